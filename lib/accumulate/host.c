/*
 * Sums by key on the host.
 *
 * If all sums fit in a thread's buffer, each thread has sums of its own, takes
 * chunks of the items, and adds its sums to the output at the end. Otherwise
 * each thread reads all keys and adds the items of one slice of the keys, so
 * that no two threads write the same sum.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "host/task.h"

#include <pthread.h>
#include <string.h>

enum {
    CHUNK = 1 << 16, /* items that a thread takes at a time */
    /* For fewer items it is not worth waking a second thread. */
    LEAST_ITEMS_PER_THREAD = 1 << 17
};

/* Sums of the keys from `low` on and below `high`. Those of component j are at
 * to[j], with `stride` elements from one key to the next. */
typedef struct target {
    uint64_t low, high;
    void *to[WINNOW__MOST_COMPONENTS];
    uint64_t stride;
} target;

typedef struct job {
    const winnow__accumulation *a;
    const void *keys;
    uint64_t n;
    winnow__accumulate_arrays arrays;
    target out;          /* the whole output */
    winnow__turns turns; /* of chunks, or slices */
    uint64_t
        beyond; /* for chunks: under the mutex; for slices: only counted by the
                        first */
    pthread_mutex_t merging;
} job;

static uint64_t key_at(const job *j, uint64_t i) {
    return j->a->key_type == WINNOW_UINT64 ? ((const uint64_t *)j->keys)[i]
                                           : ((const uint32_t *)j->keys)[i];
}

/* A function for each type of values whose sum is a V. Adds items [first, end)
 * to the target if it has their keys; returns how many keys exceed the bound. */
#define DEFINE_ADD(NAME, T, V)                                                 \
    static uint64_t add_##NAME(const job *j, uint64_t first, uint64_t end,     \
                               const target *t) {                              \
        const unsigned components = j->a->components;                          \
        uint64_t beyond = 0;                                                   \
        for (uint64_t i = first; i < end; i++) {                               \
            const uint64_t key = key_at(j, i);                                 \
            beyond += key >= j->a->key_bound;                                  \
            if (key < t->low || key >= t->high)                                \
                continue;                                                      \
            for (unsigned c = 0; c < components; c++)                          \
                ((V *)t->to[c])[key * t->stride] +=                            \
                    (V)((const T *)                                            \
                            j->arrays.values[c])[i * j->arrays.value_stride];  \
        }                                                                      \
        return beyond;                                                         \
    }
/* A function for each of WINNOW__SUMS: adds one target's sums to another's. */
#define DEFINE_MERGE(V)                                                        \
    static void merge_##V(const job *j, const target *from) {                  \
        const target *const t = &j->out;                                       \
        for (unsigned c = 0; c < j->a->components; c++)                        \
            for (uint64_t key = 0; key < j->a->key_bound; key++) {             \
                const V sum = ((const V *)from->to[c])[key * from->stride];    \
                if (sum != 0) /* most of these keys did not occur */           \
                    ((V *)t->to[c])[key * t->stride] += sum;                   \
            }                                                                  \
    }
DEFINE_ADD(uint32_t, uint32_t, uint32_t)
DEFINE_ADD(uint64_t, uint64_t, uint64_t)
DEFINE_ADD(float, float, float)
DEFINE_ADD(double, double, double)
DEFINE_ADD(int32_into_64, int32_t, uint64_t)
DEFINE_ADD(uint32_into_64, uint32_t, uint64_t)
DEFINE_ADD(float_into_double, float, double)
DEFINE_MERGE(uint32_t)
DEFINE_MERGE(uint64_t)
DEFINE_MERGE(float)
DEFINE_MERGE(double)

typedef uint64_t adding(const job *, uint64_t, uint64_t, const target *);
typedef void merging(const job *, const target *);

static adding *add_of(const winnow__accumulation *a) {
    static adding *const same[WINNOW__SUMS] = {
        [WINNOW__SUM_UINT32] = add_uint32_t,
        [WINNOW__SUM_UINT64] = add_uint64_t,
        [WINNOW__SUM_FLOAT32] = add_float,
        [WINNOW__SUM_FLOAT64] = add_double,
    };
    if (a->value_type == a->sum_type)
        return same[winnow__sum_of(a->sum_type)];
    if (a->value_type->infinity != 0)
        return add_float_into_double;
    return a->value_type->is_signed ? add_int32_into_64 : add_uint32_into_64;
}

static merging *merge_of(const winnow__accumulation *a) {
    static merging *const each[WINNOW__SUMS] = {
        [WINNOW__SUM_UINT32] = merge_uint32_t,
        [WINNOW__SUM_UINT64] = merge_uint64_t,
        [WINNOW__SUM_FLOAT32] = merge_float,
        [WINNOW__SUM_FLOAT64] = merge_double,
    };
    return each[winnow__sum_of(a->sum_type)];
}

static uint64_t add(const job *j, uint64_t first, uint64_t end,
                    const target *t) {
    return add_of(j->a)(j, first, end, t);
}

/* ------------------------------------------------------------------ chunks */

static size_t bytes_of_key(const winnow__accumulation *a) {
    return (size_t)a->components * a->sum_type->size;
}

/* The sums of a thread, all 0, with a key's components next to each other. */
static target own_sums(const winnow__accumulation *a, unsigned char *buffer) {
    target t = {.high = a->key_bound, .stride = a->components};
    memset(buffer, 0, a->key_bound * bytes_of_key(a));
    for (unsigned c = 0; c < a->components; c++)
        t.to[c] = buffer + (size_t)c * a->sum_type->size;
    return t;
}

static void add_chunks(void *argument, unsigned char *buffer) {
    job *const j = argument;
    uint64_t chunk, beyond = 0;
    if (!winnow__take_turn(&j->turns, &chunk))
        return;
    const target own = own_sums(j->a, buffer);
    do {
        const uint64_t first = chunk * CHUNK, left = j->n - first;
        beyond += add(j, first, first + (left < CHUNK ? left : CHUNK), &own);
    } while (winnow__take_turn(&j->turns, &chunk));
    pthread_mutex_lock(&j->merging);
    j->beyond += beyond;
    merge_of(j->a)(j, &own);
    pthread_mutex_unlock(&j->merging);
}

/* ------------------------------------------------------------------ slices */

static uint64_t slice_start(const job *j, uint64_t slice) {
    const uint64_t bound = j->a->key_bound, slices = j->turns.pieces;
    const uint64_t longer = bound % slices;
    return slice * (bound / slices) + (slice < longer ? slice : longer);
}

static void add_slices(void *argument, unsigned char *buffer) {
    job *const j = argument;
    uint64_t slice;
    (void)buffer;
    while (winnow__take_turn(&j->turns, &slice)) {
        target t = j->out;
        t.low = slice_start(j, slice);
        t.high = slice_start(j, slice + 1);
        const uint64_t beyond = add(j, 0, j->n, &t);
        if (slice == 0) /* each slice meets all of these keys */
            j->beyond = beyond;
    }
}

/* --------------------------------------------------------------------- all */

/* False: one thread has to do all the work. */
static bool add_together(job *j, winnow__team *team) {
    const unsigned threads =
        winnow__team_threads(team, j->n / LEAST_ITEMS_PER_THREAD);
    const bool fits =
        j->a->key_bound <= WINNOW__HOST_CHUNK / bytes_of_key(j->a);
    if (threads < 2)
        return false;
    j->turns = winnow__begin_turns(fits ? (j->n + CHUNK - 1) / CHUNK : threads);
    pthread_mutex_init(&j->merging, NULL);
    const bool done =
        winnow__team_run(team, threads, fits ? add_chunks : add_slices, j);
    pthread_mutex_destroy(&j->merging);
    return done;
}

winnow_status winnow__accumulate_on_host(const winnow__call *call,
                                         const winnow__host_task *task) {
    const winnow__accumulation *const a = call->query.details;
    job j = {.a = a,
             .keys = call->in,
             .n = task->n,
             .arrays = winnow__accumulate_arrays_of(call),
             .out = {.high = a->key_bound}};
    j.out.stride = j.arrays.out_stride;
    memcpy(j.out.to, j.arrays.out, sizeof j.out.to);
    if (!add_together(&j, task->team))
        j.beyond = add(&j, 0, j.n, &j.out);
    if (a->beyond != NULL)
        *a->beyond = j.beyond;
    return WINNOW_OK;
}
