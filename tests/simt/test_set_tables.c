/*
 * The tables of sets in the memory of devices: made once, by whoever comes
 * first, and freed when nothing can read them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/type.h"
#include "gpu.h"
#include "set/image.h"
#include "set/tables.h"
#include "simt/simt.h"
#include "suite.h"

/* So many values of 4 bytes, far from each other. */
static winnow__set *set_of(uint64_t number, uint32_t seed) {
    uint32_t *const values = must_alloc(number * sizeof(uint32_t));
    winnow__set *set;
    winnow__test test;

    for (uint32_t i = 0; i < number; i++)
        values[i] = (i + seed) * 2654435761u;
    cr_assert_eq(winnow__set_create(&set, &test, winnow__type(WINNOW_UINT32),
                                    UINT32_MAX, values, number),
                 WINNOW_OK);
    cr_assert_not_null(set);
    free(values);
    return set;
}

static const winnow__table_use plain = {0}, captured = {.captured = true};

static const winnow__set_table *table_of(const winnow_context *context,
                                         const winnow__set *set,
                                         const winnow__table_use *use) {
    winnow__set_ref ref;

    cr_assert_eq(winnow__table_of(context, set, use, &ref), WINNOW_OK, "%s",
                 winnow_last_error());
    cr_assert_eq(ref.place, WINNOW__SET_STAYS);
    return ref.table;
}

/* Pieces of memory that are taken, where no call for one has failed. */
static unsigned taken(void) {
    return simt_calls("cudaMalloc") - simt_calls("cudaFree");
}

/* The device's memory, which the CPU has as well. */
static bool has_values(const winnow__set_table *table, const winnow__set *set) {
    for (unsigned i = 0; i < set->number; i++)
        if (table->few[i] != winnow__set_value(set, i))
            return false;
    return table->form == WINNOW__SET_FEW;
}

GPU_TEST(set_tables, made_once) {
    winnow__set *const set = set_of(4, 1), *const other = set_of(4, 9);
    const unsigned before = simt_calls("cudaMalloc");
    const winnow__set_table *const table =
        table_of(backend->context, set, &plain);

    cr_assert(has_values(table, set));
    cr_assert_eq(table_of(backend->context, set, &captured), table);
    cr_assert_neq(table_of(backend->context, other, &plain), table);
    cr_assert_eq(simt_calls("cudaMalloc"), before + 2);
    winnow__set_release(winnow__set_share(set));
    cr_assert_eq(table_of(backend->context, set, &plain), table);
    winnow__set_release(set);
    winnow__set_release(other);
}

GPU_TEST(set_tables, told_to_prepare) {
    const winnow__table_use use = {.may_not_make = "it is Sunday"};
    winnow__set *const set = set_of(4, 1);
    const unsigned before = simt_calls("cudaMalloc");
    winnow__set_ref ref;

    cr_assert_eq(winnow__table_of(backend->context, set, &use, &ref),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "it is Sunday"));
    cr_assert_not_null(
        strstr(winnow_last_error(), "winnow_condition_prepare()"));
    cr_assert_eq(simt_calls("cudaMalloc"), before);
    const winnow__set_table *const table =
        table_of(backend->context, set, &plain);
    cr_assert_eq(table_of(backend->context, set, &use), table);
    winnow__set_release(set);
}

/* Without its set a table is freed where memory is short; but not where a graph
 * may read it. */
GPU_TEST(set_tables, retired) {
    for (unsigned graph = 0; graph < 2; graph++) {
        struct backend other = *backend;
        winnow__set *const first = set_of(4, 1), *const second = set_of(4, 9);
        const unsigned at_first = taken();

        backend_open_gpu(&other);
        table_of(other.context, first, graph ? &captured : &plain);
        const unsigned before = simt_calls("cudaFree");
        winnow__set_release(first);
        cr_assert_eq(simt_calls("cudaFree"), before);
        simt_fail("cudaMalloc", cudaErrorMemoryAllocation, 0);
        if (graph) {
            winnow__set_ref ref;

            cr_assert_eq(winnow__table_of(other.context, second, &plain, &ref),
                         WINNOW_ERR_MEMORY);
        } else {
            table_of(other.context, second, &plain);
            cr_assert_eq(cudaGetLastError(), cudaSuccess);
        }
        cr_assert_eq(simt_calls("cudaFree"), before + !graph);
        winnow__set_release(second);
        backend_close(&other);
        cr_assert_eq(taken(), at_first + 1); /* the call that failed */
    }
}

/* However many sets come and go, what is retired is no more than 64 MiB and the
 * table that was too much. */
GPU_TEST(set_tables, few_retired) {
    const unsigned before = simt_calls("cudaFree");

    for (uint32_t i = 0; i < 3; i++) {
        winnow__set *const set = set_of(1 << 22, 77 * i); /* 32 MiB */

        cr_assert_eq(simt_calls("cudaFree"), before);
        table_of(backend->context, set, &plain);
        winnow__set_release(set);
    }
    cr_assert_eq(simt_calls("cudaFree"), before + 2);
}

/* The first to go, a set or a context, ends the table. */
GPU_TEST(set_tables, two_contexts) {
    struct backend a = *backend, b = *backend;
    winnow__set *const set = set_of(4, 1), *const other = set_of(4, 9);
    const unsigned at_first = taken();
    unsigned without;

    backend_open_gpu(&a);
    const winnow__set_table *const table = table_of(a.context, set, &plain);
    without = taken();
    backend_open_gpu(&b);
    cr_assert_neq(table_of(b.context, set, &plain), table);
    table_of(b.context, other, &plain);
    backend_close(&b);
    cr_assert_eq(taken(), without);
    cr_assert_eq(table_of(a.context, set, &plain), table);
    cr_assert(has_values(table, set));
    winnow__set_release(set);
    winnow__set_release(other);
    backend_close(&a);
    cr_assert_eq(taken(), at_first);
}

/* While another stream is captured, of which CUDA forbids to allocate: the
 * table is made all the same, and the thread is as it was. */
GPU_TEST(set_tables, beside_a_capture) {
    winnow__set *const set = set_of(4, 1);
    cudaStream_t stream;
    cudaGraph_t graph;
    void *memory;

    GPU_MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_assert(has_values(table_of(backend->context, set, &plain), set));
    cr_assert_eq(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphDestroy(graph));
    GPU_MUST(cudaStreamDestroy(stream));
    winnow__set_release(set);
}

/* Whatever fails, the next try does what the first should have. */
GPU_TEST(set_tables, failures) {
    static const char *const functions[] = {
        "cudaThreadExchangeStreamCaptureMode", "cudaMalloc",
        "cudaStreamCreateWithFlags", "cudaMemcpyAsync",
        "cudaStreamSynchronize"};

    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        winnow__set *const set = set_of(4, i);
        const unsigned at_first = taken();
        winnow__set_ref ref;

        simt_fail(functions[i], cudaErrorUnknown, 0);
        cr_assert_eq(winnow__table_of(backend->context, set, &plain, &ref),
                     WINNOW_ERR_CUDA, "%s", functions[i]);
        cudaGetLastError();
        /* A call that fails counts as well. */
        cr_assert_eq(taken(), at_first + (i == 1), "%s", functions[i]);
        cr_assert(has_values(table_of(backend->context, set, &plain), set));
        winnow__set_release(set);
    }
}

struct user {
    const winnow_context *context;
    const winnow__set *set;
    pthread_barrier_t *start;
    winnow_status status;
    winnow__set_ref ref;
};

static void *use(void *argument) {
    struct user *const user = argument;

    pthread_barrier_wait(user->start);
    user->status =
        winnow__table_of(user->context, user->set, &plain, &user->ref);
    return NULL;
}

GPU_TEST(set_tables, threads) {
    enum {
        THREADS = 4
    };

    for (uint32_t round = 0; round < 20; round++) {
        winnow__set *const set = set_of(4, round);
        struct user users[THREADS];
        pthread_t threads[THREADS];
        pthread_barrier_t start;

        cr_assert_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int i = 0; i < THREADS; i++) {
            users[i] = (struct user){
                backend->context, set, &start, WINNOW_ERR_CUDA, {0}};
            cr_assert_eq(pthread_create(&threads[i], NULL, use, &users[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            cr_assert_eq(pthread_join(threads[i], NULL), 0);
        for (int i = 0; i < THREADS; i++) {
            cr_assert_eq(users[i].status, WINNOW_OK);
            cr_assert_eq(users[i].ref.table, users[0].ref.table);
        }
        cr_assert(has_values(users[0].ref.table, set));
        pthread_barrier_destroy(&start);
        winnow__set_release(set);
    }
}

/* ------------------------------------------------------------------- seeds */

/* The table of a set that is made by a seed. */
static winnow__set_image image_by(uint64_t seed) {
    winnow__set_image image;

    simt_seed(seed);
    winnow__set *const set = set_of(500, 3);
    cr_assert_eq(winnow__set_image_make(set, 0, &image), WINNOW_OK);
    cr_assert_eq(image.table->form, WINNOW__SET_BUCKETS);
    winnow__set_release(set);
    return image;
}

/* A seed of the CPU device repeats a run, and another one makes another table. */
Test(set_tables, follow_the_seed) {
    winnow__set_image first = image_by(41), again = image_by(41),
                      other = image_by(42);

    cr_assert_eq(first.bytes, again.bytes);
    cr_assert_eq(memcmp(first.table, again.table, first.bytes), 0);
    cr_assert_neq(first.table->mix, other.table->mix);
    winnow__set_image_free(&first);
    winnow__set_image_free(&again);
    winnow__set_image_free(&other);
}
