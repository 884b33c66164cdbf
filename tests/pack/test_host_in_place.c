/*
 * Columns packed in place on the host, by one thread and by many: elements of
 * every size, at any alignment, in every density. The program for the CPU
 * device has these tests too, for tools/sabotage and ThreadSanitizer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"

enum {
    /* Worth 8 threads: bytes of elements of each size. */
    BYTES = 9 << 20,
    GUARD = 64,
    ROOM = GUARD + BYTES + GUARD
};

static const unsigned threads[] = {1, 2, 3, 8, 64};
#define THREADS (sizeof(threads) / sizeof(threads[0]))

static const char *const densities[] = {
    "uniform:0.99", "uniform:0.5", "uniform:0.01", "runs:1024",
    "runs:65536",   "prefix",      "all",          "none"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

struct packing {
    winnow_context *context;
    unsigned char *values; /* what the memory holds before a call, */
    unsigned char *wanted; /* and after it */
    unsigned char *memory;
    uint8_t *keep, *key; /* the second one is packed, too */
};

static void packing_open(struct packing *p, const struct backend *backend) {
    p->context = backend->context;
    p->values = must_alloc(ROOM);
    p->wanted = must_alloc(ROOM);
    p->memory = must_alloc(ROOM);
    p->keep = must_alloc(BYTES);
    p->key = must_alloc(BYTES);
    for (uint64_t i = 0; i < ROOM / 8; i++) {
        const uint64_t random = data_random(410, i);

        memcpy(p->values + 8 * i, &random, 8);
    }
}

static void packing_close(struct packing *p) {
    free(p->values);
    free(p->wanted);
    free(p->memory);
    free(p->keep);
    free(p->key);
}

struct column {
    uint64_t n, capacity;
    size_t bytes, start; /* of an element; of the column, in the memory */
};

/* The oracle. Returns how many are kept. */
static uint64_t expect(struct packing *p, const struct column *column) {
    unsigned char *const out = p->wanted + column->start;
    const unsigned char *const in = p->values + column->start;
    uint64_t kept = 0;

    memcpy(p->wanted, p->values, ROOM);
    for (uint64_t i = 0; i < column->n; i++) {
        if (p->keep[i] && kept < column->capacity)
            memcpy(out + kept * column->bytes, in + i * column->bytes,
                   column->bytes);
        kept += p->keep[i] != 0;
    }
    return kept;
}

/* The selection is made by the call, and by the key, which is in place, too. */
static winnow_status
copy_columns(struct packing *p, const struct column *column, uint64_t *count) {
    const winnow_in key = {.type = WINNOW_UINT8, .d_base = p->key};
    const winnow_move list[] = {
        {.d_in = p->key, .d_out = p->key, .element_bytes = 1},
        {.d_in = p->memory + column->start,
         .d_out = p->memory + column->start,
         .element_bytes = column->bytes}};
    const uint8_t zero = 0;
    winnow_predicate *predicate;
    winnow_status status =
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_NE, &zero);

    if (status != WINNOW_OK)
        return status;
    memcpy(p->key, p->keep, column->n);
    status = winnow_copy_columns_if(p->context, predicate, &key, column->n,
                                    list, 2, column->capacity, count, NULL);
    winnow_predicate_destroy(predicate);
    return status;
}

static winnow_status
copy_flagged(struct packing *p, const struct column *column, uint64_t *count) {
    unsigned char *const data = p->memory + column->start;
    const winnow_mask mask = {WINNOW_MASK_BYTES, p->keep, 0};
    const winnow_move move = {
        .d_in = data, .d_out = data, .element_bytes = column->bytes};

    return winnow_copy_flagged(p->context, &mask, column->n, &move, 1,
                               column->capacity, count, NULL);
}

static void run(struct packing *p, const struct column *column, unsigned number,
                bool by_key) {
    uint64_t count = 0;
    const uint64_t kept = expect(p, column);

    memcpy(p->memory, p->values, ROOM);
    cr_assert_eq(winnow_context_set_threads(p->context, number), WINNOW_OK);
    cr_assert_eq(by_key ? copy_columns(p, column, &count)
                        : copy_flagged(p, column, &count),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(count, kept);
    cr_assert(memcmp(p->memory, p->wanted, ROOM) == 0,
              "%llu elements of %zu bytes, %llu of them kept, capacity %llu, "
              "%u threads",
              (unsigned long long)column->n, column->bytes,
              (unsigned long long)kept, (unsigned long long)column->capacity,
              number);
    for (uint64_t i = 0; by_key && i < kept && i < column->capacity; i++)
        cr_assert_neq(p->key[i], 0, "key %llu", (unsigned long long)i);
}

/* Each density meets each number of threads, with other sizes in between. */
static void run_size(struct packing *p, size_t bytes, size_t any) {
    const size_t step = reduced_mode() ? THREADS : 1;

    for (size_t d = 0; d < DENSITIES; d++) {
        struct column column = {.bytes = bytes,
                                .n = BYTES / bytes - data_random(411, d) % 40,
                                .capacity = WINNOW_NO_LIMIT,
                                .start = GUARD - data_random(412, d) % 16};

        selected_fill(pattern_named(densities[d]), 413 + d, column.n, p->keep);
        for (size_t t = (any + d) % step; t < THREADS; t += step)
            run(p, &column, threads[t], (d + t) % 2 == 0);
        column.capacity = column.n / 5;
        run(p, &column, threads[(any + d) % THREADS], false);
    }
}

Test(schedules, host_in_place) {
    static const size_t sizes[] = {1, 2, 3, 4, 8, 12, 100, 1000, 4095, 4096};
    struct backend backend;
    struct packing p;

    backend_open_host(&backend);
    packing_open(&p, &backend);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]);
         s += reduced_mode() ? 3 : 1)
        run_size(&p, sizes[s], s);
    packing_close(&p);
    backend_close(&backend);
}

/* By a byte of their own. */
Test(schedules, host_records_in_place) {
    enum {
        FIELD = 3
    };
    const uint8_t bound = 200;
    struct column column = {.bytes = 12,
                            .n = BYTES / 12,
                            .capacity = WINNOW_NO_LIMIT,
                            .start = GUARD};
    winnow_predicate *predicate;
    struct backend backend;
    struct packing p;
    uint64_t count = 0;

    backend_open_host(&backend);
    packing_open(&p, &backend);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_LT, &bound),
        WINNOW_OK);
    for (uint64_t i = 0; i < column.n; i++)
        p.keep[i] = p.values[GUARD + 12 * i + FIELD] < bound;
    for (size_t t = 0; t < THREADS; t++) {
        const uint64_t kept = expect(&p, &column);
        const winnow_in key = {.type = WINNOW_UINT8,
                               .d_base = p.memory + GUARD + FIELD,
                               .stride_bytes = 12};
        const winnow_move move = {.d_in = p.memory + GUARD,
                                  .d_out = p.memory + GUARD,
                                  .element_bytes = 12};

        memcpy(p.memory, p.values, ROOM);
        cr_assert_eq(winnow_context_set_threads(p.context, threads[t]),
                     WINNOW_OK);
        cr_assert_eq(winnow_copy_columns_if(p.context, predicate, &key,
                                            column.n, &move, 1, WINNOW_NO_LIMIT,
                                            &count, NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_eq(count, kept);
        cr_assert(memcmp(p.memory, p.wanted, ROOM) == 0, "%u threads",
                  threads[t]);
    }
    winnow_predicate_destroy(predicate);
    packing_close(&p);
    backend_close(&backend);
}
