/*
 * What a room keeps in a context: it is filled once, by whichever thread comes
 * first, and not at all where that fails.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "core/status.h"
#include "cuda/slot.h"
#include "suite.h"

static atomic_int filled, emptied;

static winnow_status fill(const winnow__cuda_context *context, void *slot) {
    (void)context;
    atomic_fetch_add(&filled, 1);
    for (int i = 0; i < 100; i++) /* let the other thread come */
        sched_yield();
    *(int *)slot = 7;
    return WINNOW_OK;
}

static winnow_status fill_second_time(const winnow__cuda_context *context,
                                      void *slot) {
    static atomic_bool again;
    const winnow_status status = fill(context, slot);
    return atomic_exchange(&again, true)
               ? status
               : winnow__fail(WINNOW_ERR_CUDA, "the first time");
}

static void empty(void *slot) {
    if (*(int *)slot == 7)
        atomic_fetch_add(&emptied, 1);
}

static const winnow__slot_kind kind = {
    .bytes = sizeof(int), .fill = fill, .empty = empty};
static const winnow__slot_kind other_kind = {
    .bytes = sizeof(int), .fill = fill, .empty = empty};
static const winnow__slot_kind failing_kind = {
    .bytes = sizeof(int), .fill = fill_second_time, .empty = empty};

struct user {
    winnow_context *context;
    pthread_barrier_t *start;
    void *slot;
    int seen;
};

static void *use(void *argument) {
    struct user *const user = argument;
    pthread_barrier_wait(user->start);
    if (winnow__slot(user->context, &kind, &user->slot) == WINNOW_OK)
        user->seen = *(const int *)user->slot;
    return NULL;
}

GPU_TEST(slot, two_threads) {
    for (int round = 1; round <= 20; round++) {
        struct backend other = *backend;
        struct user users[2] = {{0}};
        pthread_barrier_t start;
        pthread_t threads[2];
        void *slot = NULL;

        backend_open_gpu(&other);
        cr_assert_eq(pthread_barrier_init(&start, NULL, 2), 0);
        for (int i = 0; i < 2; i++) {
            users[i].context = other.context;
            users[i].start = &start;
            cr_assert_eq(pthread_create(&threads[i], NULL, use, &users[i]), 0);
        }
        for (int i = 0; i < 2; i++)
            cr_assert_eq(pthread_join(threads[i], NULL), 0);
        pthread_barrier_destroy(&start);
        cr_assert_not_null(users[0].slot);
        cr_assert_eq(users[0].slot, users[1].slot);
        cr_assert_eq(users[0].seen, 7);
        cr_assert_eq(users[1].seen, 7);
        cr_assert_eq(atomic_load(&filled), 2 * round - 1);
        cr_assert_eq(winnow__slot(other.context, &other_kind, &slot),
                     WINNOW_OK);
        cr_assert_neq(slot, users[0].slot);
        cr_assert_eq(atomic_load(&filled), 2 * round);
        backend_close(&other);
        cr_assert_eq(atomic_load(&emptied), 2 * round);
    }
}

/* A slot that was not filled is neither kept nor emptied; the next call fills
 * it. */
GPU_TEST(slot, failure) {
    struct backend other = *backend;
    void *slot = NULL;

    backend_open_gpu(&other);
    cr_assert_eq(winnow__slot(other.context, &failing_kind, &slot),
                 WINNOW_ERR_CUDA);
    cr_assert_str_eq(winnow_last_error(), "the first time");
    cr_assert_eq(winnow__slot(other.context, &failing_kind, &slot), WINNOW_OK);
    cr_assert_eq(*(const int *)slot, 7);
    backend_close(&other);
    cr_assert_eq(atomic_load(&emptied), 1);
}

/* The sanitizers' calloc() ends the program. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
GPU_TEST(slot, no_memory) {
    static const winnow__slot_kind huge_kind = {
        .bytes = PTRDIFF_MAX, .fill = fill, .empty = empty};
    void *slot = NULL;

    cr_assert_eq(winnow__slot(backend->context, &huge_kind, &slot),
                 WINNOW_ERR_MEMORY);
    cr_assert_str_eq(winnow_last_error(), "no host memory for a context");
    cr_assert_null(slot);
    cr_assert_eq(atomic_load(&filled), 0);
}
#endif
