/*
 * What all calls have in common: a table of them, and what their last argument
 * promises of each. A call is compared with itself, launched in another way;
 * what it computes is for the suites of each call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "out_like.h"
#include "reduced.h"
#include "suite.h"

/* ----------------------------------------------------------------- arrays */

enum {
    N = 1500, /* one block's: the calls in any order have one order, too */
    SEGMENTS = 7,
    KEYS = 64, /* below which all elements are */
    ROOM = 4 * N,
    SELECTION_BYTES = 1024 /* at least winnow_selection_bytes(N) */
};

/* All memory of a call: what it reads, then what it writes. */
struct arrays {
    uint32_t in[N];
    uint8_t flags[N];
    uint64_t offsets[SEGMENTS + 1];
    uint32_t ends[N + 1]; /* offsets, of strings and of ranges */
    uint64_t n;           /* a launch's d_n */
    _Alignas(16) uint8_t some[SELECTION_BYTES], others[SELECTION_BYTES];
    _Alignas(16) struct outputs {
        uint32_t out[ROOM], rest[ROOM];
        uint32_t sums[KEYS];
        uint8_t marks[N];
        uint64_t numbers[KEYS + 1], counts[2], count, position;
        double selectivity;
        winnow_reduction result;
        int32_t strategy;
        _Alignas(16) uint8_t selection[SELECTION_BYTES];
    } outputs;
};

struct work {
    struct backend backend;
    winnow_predicate *predicate;
    winnow_condition *condition;
    winnow_expression *expression;
    struct arrays *d; /* the device's */
    uint64_t n;
    bool no_arrays; /* every pointer to one is NULL */
    bool no_count;
    unsigned char *workspace;
};

enum {
    WORKSPACE_BYTES = 1 << 20
};

/* ------------------------------------------------------------------ calls */

#define P(MEMBER) (w->no_arrays ? NULL : w->d->MEMBER)
#define AT(MEMBER) (w->no_arrays ? NULL : &w->d->MEMBER)
#define OUT(MEMBER) P(outputs.MEMBER)
#define COUNT (w->no_count ? NULL : AT(outputs.count))

static winnow_in elements(const struct work *w) {
    return (winnow_in){.type = WINNOW_UINT32, .d_base = P(in)};
}

static winnow_move move_of(const struct work *w) {
    return (winnow_move){
        .d_in = P(in), .d_out = OUT(out), .element_bytes = sizeof(uint32_t)};
}

static winnow_mask mask_of(const struct work *w) {
    return (winnow_mask){.kind = WINNOW_MASK_BYTES, .d_flags = P(flags)};
}

static winnow_in strings_of(const struct work *w) {
    return (winnow_in){.type = WINNOW_STRING32,
                       .d_base = P(ends),
                       .d_data = P(in),
                       .data_size = 2 * N};
}

static winnow_segments segments_of(const struct work *w) {
    return (winnow_segments){.type = WINNOW_UINT64,
                             .count = SEGMENTS,
                             .d_offsets = P(offsets),
                             .d_out_offsets = OUT(numbers)};
}

typedef winnow_status call(const struct work *w, const winnow_launch *launch);

static winnow_status copy_if(const struct work *w,
                             const winnow_launch *launch) {
    return winnow_copy_if(w->backend.context, w->predicate, WINNOW_UINT32,
                          P(in), w->n, OUT(out), ROOM, COUNT, launch);
}

static winnow_status copy_index_if(const struct work *w,
                                   const winnow_launch *launch) {
    return winnow_copy_index_if(w->backend.context, w->predicate, WINNOW_UINT32,
                                P(in), w->n, WINNOW_UINT32, OUT(out), ROOM,
                                COUNT, launch);
}

static winnow_status count_if(const struct work *w,
                              const winnow_launch *launch) {
    return winnow_count_if(w->backend.context, w->predicate, WINNOW_UINT32,
                           P(in), w->n, AT(outputs.count), launch);
}

static winnow_status estimate(const struct work *w,
                              const winnow_launch *launch) {
    return winnow_estimate_selectivity(w->backend.context, w->predicate,
                                       WINNOW_UINT32, P(in), w->n,
                                       AT(outputs.selectivity), launch);
}

static winnow_status reduce_if(const struct work *w,
                               const winnow_launch *launch) {
    return winnow_reduce_if(w->backend.context, w->predicate, WINNOW_UINT32,
                            P(in), w->n,
                            WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
                                WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX,
                            AT(outputs.result), launch);
}

/* A part has equal keys: then any order is the same. */
static winnow_status partition_by_key(const struct work *w,
                                      const winnow_launch *launch) {
    const winnow_in keys = elements(w);
    const winnow_digit digit = {.parts = KEYS, .bits = 6};
    const winnow_move move = move_of(w);

    return winnow_partition_by_key(w->backend.context, &keys, w->n, &digit,
                                   &move, 1, OUT(numbers), launch);
}

static winnow_status accumulate_by_key(const struct work *w,
                                       const winnow_launch *launch) {
    const winnow_in keys = elements(w);
    const winnow_out sums = {.type = WINNOW_UINT32, .d_base = OUT(sums)};

    return winnow_accumulate_by_key(w->backend.context, &keys, &keys, 1, w->n,
                                    KEYS, &sums, COUNT, launch);
}

static winnow_status select_if(const struct work *w,
                               const winnow_launch *launch) {
    return winnow_select_if(w->backend.context, w->predicate, WINNOW_UINT32,
                            P(in), w->n, OUT(selection), SELECTION_BYTES,
                            launch);
}

static winnow_status select_where(const struct work *w,
                                  const winnow_launch *launch) {
    const winnow_in column = elements(w);

    return winnow_select_where(w->backend.context, w->condition, &column, 1,
                               w->n, OUT(selection), SELECTION_BYTES, launch);
}

static winnow_status select_flagged(const struct work *w,
                                    const winnow_launch *launch) {
    const winnow_mask mask = mask_of(w);

    return winnow_select_flagged(w->backend.context, &mask, w->n,
                                 OUT(selection), SELECTION_BYTES, launch);
}

static winnow_status select_unique(const struct work *w,
                                   const winnow_launch *launch) {
    const winnow_in keys = elements(w);

    return winnow_select_unique(w->backend.context, &keys, w->n, NULL,
                                OUT(selection), SELECTION_BYTES, launch);
}

static winnow_status select_ranges(const struct work *w,
                                   const winnow_launch *launch) {
    const winnow_in ranges = strings_of(w);

    return winnow_select_ranges(w->backend.context, P(some), &ranges, w->n,
                                OUT(selection), SELECTION_BYTES, launch);
}

static winnow_status selection_combine(const struct work *w,
                                       const winnow_launch *launch) {
    return winnow_selection_combine(w->backend.context, WINNOW_XOR, P(some),
                                    P(others), w->n, OUT(selection),
                                    SELECTION_BYTES, launch);
}

static winnow_status selection_not(const struct work *w,
                                   const winnow_launch *launch) {
    return winnow_selection_not(w->backend.context, P(some), w->n,
                                OUT(selection), SELECTION_BYTES, launch);
}

static winnow_status selection_count(const struct work *w,
                                     const winnow_launch *launch) {
    return winnow_selection_count(w->backend.context, P(some), w->n,
                                  AT(outputs.count), launch);
}

static winnow_status selection_segments(const struct work *w,
                                        const winnow_launch *launch) {
    const winnow_segments segments = segments_of(w);

    return winnow_selection_segments(w->backend.context, P(some), w->n,
                                     &segments, launch);
}

static winnow_status selection_to_mask(const struct work *w,
                                       const winnow_launch *launch) {
    return winnow_selection_to_mask(w->backend.context, P(some), w->n,
                                    WINNOW_MASK_BYTES, OUT(marks), 0, launch);
}

static winnow_status compact(const struct work *w,
                             const winnow_launch *launch) {
    return winnow_compact(w->backend.context, P(some), P(in), w->n,
                          sizeof(uint32_t), OUT(out), ROOM, COUNT, launch);
}

static winnow_status compact_columns(const struct work *w,
                                     const winnow_launch *launch) {
    const winnow_move move = move_of(w);

    return winnow_compact_columns(w->backend.context, P(some), w->n, &move, 1,
                                  ROOM, COUNT, launch);
}

static winnow_status compact_strings(const struct work *w,
                                     const winnow_launch *launch) {
    const winnow_in strings = strings_of(w);

    return winnow_compact_strings(w->backend.context, P(some), &strings, w->n,
                                  OUT(out), ROOM - 1, OUT(rest),
                                  sizeof(uint32_t) * ROOM, OUT(counts), launch);
}

static winnow_status split(const struct work *w, const winnow_launch *launch) {
    const winnow_in in = elements(w);

    return winnow_split(w->backend.context, P(some), &in, w->n,
                        OUT_LIKE(in, OUT(out)), ROOM, OUT_LIKE(in, OUT(rest)),
                        ROOM, OUT(counts), launch);
}

static winnow_status expand(const struct work *w, const winnow_launch *launch) {
    const winnow_in packed = elements(w);
    const uint32_t fill = 7;

    return winnow_expand(w->backend.context, P(some), &packed, WINNOW_NO_LIMIT,
                         w->n, &fill, OUT_LIKE(packed, OUT(out)), launch);
}

static winnow_status compact_index(const struct work *w,
                                   const winnow_launch *launch) {
    return winnow_compact_index(w->backend.context, P(some), w->n,
                                WINNOW_UINT32, OUT(out), ROOM, COUNT, launch);
}

/* All elements arrive. */
static winnow_status fill_holes(const struct work *w,
                                const winnow_launch *launch) {
    const winnow_arrivals arrivals = {.n = N};
    const winnow_move move = move_of(w);

    return winnow_fill_holes(w->backend.context, P(some), w->n, &arrivals,
                             &move, 1, ROOM, COUNT, launch);
}

static winnow_status copy_where(const struct work *w,
                                const winnow_launch *launch) {
    const winnow_in column = elements(w);
    const winnow_move move = move_of(w);

    return winnow_copy_where(w->backend.context, w->condition, &column, 1, w->n,
                             &move, 1, ROOM, COUNT, launch);
}

static winnow_status reduce_where(const struct work *w,
                                  const winnow_launch *launch) {
    const winnow_in column = elements(w);
    const winnow_aggregate aggregate = {
        .expression = w->expression,
        .wanted = WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM |
                  WINNOW_REDUCE_MAXIMUM | WINNOW_REDUCE_INDEX};

    return winnow_reduce_where(w->backend.context, w->condition, &column, 1,
                               w->n, &aggregate, 1, AT(outputs.result), launch);
}

static winnow_status accumulate_where(const struct work *w,
                                      const winnow_launch *launch) {
    const winnow_in column = elements(w);
    const winnow_out sums = {.type = WINNOW_UINT32, .d_base = OUT(sums)};
    const winnow_accumulation accumulation = {.keys = &column,
                                              .values = &column,
                                              .sums = &sums,
                                              .components = 1,
                                              .key_bound = KEYS};

    return winnow_accumulate_where(w->backend.context, w->condition, &column, 1,
                                   w->n, &accumulation, COUNT, launch);
}

static winnow_status copy_columns_if(const struct work *w,
                                     const winnow_launch *launch) {
    const winnow_in key = elements(w);
    const winnow_move move = move_of(w);

    return winnow_copy_columns_if(w->backend.context, w->predicate, &key, w->n,
                                  &move, 1, ROOM, COUNT, launch);
}

static winnow_status copy_flagged(const struct work *w,
                                  const winnow_launch *launch) {
    const winnow_mask mask = mask_of(w);
    const winnow_move move = move_of(w);

    return winnow_copy_flagged(w->backend.context, &mask, w->n, &move, 1, ROOM,
                               COUNT, launch);
}

static winnow_status partition_if(const struct work *w,
                                  const winnow_launch *launch) {
    return winnow_partition_if(w->backend.context, w->predicate, WINNOW_UINT32,
                               P(in), w->n, OUT(out), OUT(rest), OUT(counts),
                               launch);
}

static winnow_status unique(const struct work *w, const winnow_launch *launch) {
    const winnow_in keys = elements(w);
    const winnow_move move = move_of(w);

    return winnow_unique(w->backend.context, &keys, w->n, NULL, &move, 1, ROOM,
                         COUNT, launch);
}

static winnow_status segmented_copy_if(const struct work *w,
                                       const winnow_launch *launch) {
    const winnow_segments segments = segments_of(w);

    return winnow_segmented_copy_if(w->backend.context, w->predicate,
                                    WINNOW_UINT32, P(in), w->n, &segments,
                                    OUT(out), ROOM, COUNT, launch);
}

/* What a call has, and takes of a launch. */
enum {
    COUNTS = 1, /* a d_count, which may be NULL */
    POSITION = 2,
    STRATEGY = 4,
    /* The results of its first items are those of a shorter input: it is given
     * no selection, and makes none, which would be laid out by n. */
    PREFIX = 8
};

static const struct row {
    const char *name;
    call *make;
    unsigned has;
} rows[] = {
    {"copy_if", copy_if, COUNTS | POSITION | STRATEGY | PREFIX},
    {"copy_index_if", copy_index_if, COUNTS | POSITION | STRATEGY | PREFIX},
    {"count_if", count_if, PREFIX},
    {"estimate_selectivity", estimate, PREFIX},
    {"reduce_if", reduce_if, PREFIX},
    {"partition_by_key", partition_by_key, PREFIX},
    {"accumulate_by_key", accumulate_by_key, COUNTS | PREFIX},
    {"select_if", select_if, 0},
    {"select_where", select_where, 0},
    {"select_flagged", select_flagged, 0},
    {"select_unique", select_unique, 0},
    {"select_ranges", select_ranges, 0},
    {"selection_combine", selection_combine, 0},
    {"selection_not", selection_not, 0},
    {"selection_count", selection_count, 0},
    {"selection_segments", selection_segments, 0},
    {"selection_to_mask", selection_to_mask, 0},
    {"compact", compact, COUNTS | POSITION},
    {"compact_columns", compact_columns, COUNTS | POSITION},
    {"compact_strings", compact_strings, 0},
    {"split", split, 0},
    {"expand", expand, 0},
    {"compact_index", compact_index, COUNTS | POSITION},
    {"fill_holes", fill_holes, COUNTS},
    {"copy_where", copy_where, COUNTS | POSITION | PREFIX},
    {"reduce_where", reduce_where, PREFIX},
    {"accumulate_where", accumulate_where, COUNTS | PREFIX},
    {"copy_columns_if", copy_columns_if, COUNTS | POSITION | PREFIX},
    {"copy_flagged", copy_flagged, COUNTS | POSITION | PREFIX},
    {"partition_if", partition_if, PREFIX},
    {"unique", unique, COUNTS | POSITION | PREFIX},
    {"segmented_copy_if", segmented_copy_if, COUNTS | POSITION | PREFIX},
};

#define FOR_EACH_CALL(row)                                                     \
    for (const struct row *row = rows;                                         \
         row < rows + sizeof(rows) / sizeof(rows[0]); row++)

/* -------------------------------------------------------------- a session */

/* Beyond what is written nothing changes. */
static void poison(const struct work *w) {
    struct outputs *const outputs = must_alloc(sizeof(*outputs));

    memset(outputs, 0xa5, sizeof(*outputs));
    memset(outputs->sums, 0, sizeof(outputs->sums));
    outputs->position = 0;
    backend_upload(&w->backend, &w->d->outputs, outputs, sizeof(*outputs));
    free(outputs);
}

static struct outputs *see(const struct work *w) {
    struct outputs *const outputs = must_alloc(sizeof(*outputs));

    cr_assert_null(backend_wait(&w->backend));
    backend_download(&w->backend, outputs, &w->d->outputs, sizeof(*outputs));
    return outputs;
}

static void select_items(struct work *w, uint8_t *d_selection, unsigned add) {
    const uint32_t value = 20 + add;
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_LT, &value),
        WINNOW_OK);
    cr_assert_eq(winnow_select_if(w->backend.context, predicate, WINNOW_UINT32,
                                  w->d->in, N, d_selection, SELECTION_BYTES,
                                  WINNOW_LAUNCH(.stream = w->backend.stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(&w->backend));
    winnow_predicate_destroy(predicate);
}

static void open_work(struct work *w, const struct backend *backend) {
    const uint32_t value = 30;
    struct arrays *const arrays = must_alloc(sizeof(*arrays));

    *w = (struct work){.backend = *backend, .n = N};
    memset(arrays, 0, sizeof(*arrays));
    for (unsigned i = 0; i < N; i++) {
        arrays->in[i] = (uint32_t)(data_random(51, i) % KEYS);
        arrays->flags[i] = data_random(52, i) % 3 == 0;
    }
    for (unsigned i = 0; i <= SEGMENTS; i++)
        arrays->offsets[i] = i * i * 20;
    for (unsigned i = 0; i <= N; i++)
        arrays->ends[i] = i * 2 + i % 2;
    w->d = backend_alloc(backend, sizeof(*w->d));
    w->workspace = backend_alloc(backend, WORKSPACE_BYTES);
    backend_upload(backend, w->d, arrays, sizeof(*arrays));
    free(arrays);
    cr_assert_eq(winnow_predicate_compare(&w->predicate, WINNOW_UINT32,
                                          WINNOW_LT, &value),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&w->condition, 0, w->predicate),
                 WINNOW_OK);
    cr_assert_eq(winnow_expression_column(&w->expression, 0, WINNOW_UINT32),
                 WINNOW_OK);
    select_items(w, w->d->some, 0);
    select_items(w, w->d->others, 20);
    poison(w);
}

static void close_work(struct work *w) {
    winnow_expression_destroy(w->expression);
    winnow_condition_destroy(w->condition);
    winnow_predicate_destroy(w->predicate);
    backend_free(&w->backend, w->workspace);
    backend_free(&w->backend, w->d);
}

/* What a launch makes of the outputs. */
static struct outputs *outcome(const struct work *w, const struct row *row,
                               const winnow_launch *launch) {
    poison(w);
    cr_assert_eq(row->make(w, launch), WINNOW_OK, "%s: %s", row->name,
                 winnow_last_error());
    return see(w);
}

static void expect(const struct work *w, const struct row *row,
                   const winnow_launch *launch, const struct outputs *wanted,
                   const char *what) {
    struct outputs *const seen = outcome(w, row, launch);

    cr_assert_eq(memcmp(seen, wanted, sizeof(*seen)), 0, "%s: %s", row->name,
                 what);
    free(seen);
}

static winnow_launch plain(const struct work *w) {
    return (winnow_launch){.size = sizeof(winnow_launch),
                           .stream = w->backend.stream};
}

/* Refused, with a detail that names `member`; nothing is written. */
static void refuse(const struct work *w, const struct row *row,
                   const winnow_launch *launch, winnow_status wanted,
                   const char *member) {
    struct outputs *const before = see(w), *after;

    cr_assert_eq(row->make(w, launch), wanted, "%s, %s: %s", row->name, member,
                 winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), member), "%s: %s", row->name,
                       winnow_last_error());
    after = see(w);
    cr_assert_eq(memcmp(before, after, sizeof(*before)), 0, "%s: %s", row->name,
                 member);
    free(before);
    free(after);
}

/* ------------------------------------------------------------------ struct */

BACKEND_TEST(launch, null_is_zeros) {
    const winnow_launch zeros = {.size = sizeof(zeros)};
    struct backend default_stream = *backend;
    struct work w;

    default_stream.stream = NULL;
    open_work(&w, &default_stream);
    FOR_EACH_CALL(row) {
        struct outputs *const wanted = outcome(&w, row, NULL);

        expect(&w, row, &zeros, wanted, "zeros are not the defaults");
        free(wanted);
    }
    close_work(&w);
}

BACKEND_TEST(launch, sizes) {
    static const size_t wrong[] = {0, 8, offsetof(winnow_launch, reserved) - 8,
                                   sizeof(winnow_launch) + 1, 1 << 20};
    union {
        winnow_launch launch;
        unsigned char bytes[sizeof(winnow_launch) + 64];
    } longer;
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        winnow_launch launch = plain(&w);
        struct outputs *const wanted = outcome(&w, row, &launch);

        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            launch.size = wrong[i];
            refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->size");
        }
        launch.size = offsetof(winnow_launch, reserved);
        memset(launch.reserved, 0xff, sizeof(launch.reserved));
        expect(&w, row, &launch, wanted, "a shorter launch");
        memset(&longer, 0, sizeof(longer));
        longer.launch = plain(&w);
        longer.launch.size = sizeof(longer);
        expect(&w, row, &longer.launch, wanted, "a longer launch");
        longer.bytes[sizeof(longer) - 1] = 1;
        refuse(&w, row, &longer.launch, WINNOW_ERR_ARGUMENT, "launch->size");
        free(wanted);
    }
    close_work(&w);
}

BACKEND_TEST(launch, values) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        const winnow_launch good = plain(&w);
        winnow_launch launch;

#define WRONG(MEMBER, VALUE)                                                   \
    do {                                                                       \
        launch = good;                                                         \
        launch.MEMBER = (VALUE);                                               \
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->" #MEMBER);     \
    } while (0)
        WRONG(order, (winnow_order)2);
        WRONG(order, (winnow_order)-1);
        WRONG(strategy, (winnow_strategy)99);
        WRONG(strategy, (winnow_strategy)-2);
        WRONG(selectivity, -DBL_MIN);
        WRONG(selectivity, 1 + DBL_EPSILON);
        WRONG(selectivity, (double)NAN);
        WRONG(reserved[0], 1);
        WRONG(reserved[3], UINT64_C(1) << 63);
#undef WRONG
        launch = good;
        launch.workspace_bytes = 16;
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->d_workspace");
        launch.d_workspace = w.workspace + 8;
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->d_workspace");
        launch = good;
        launch.d_n = (uint64_t *)(void *)((char *)&w.d->n + 4);
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->d_n");
    }
    close_work(&w);
}

/* What would change a result, and cannot be honoured. */
BACKEND_TEST(launch, refused) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        winnow_launch launch = plain(&w);

        launch.d_position = &w.d->outputs.position;
        if ((row->has & POSITION) == 0)
            refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED,
                   "launch->d_position");
        launch = plain(&w);
        if ((row->has & STRATEGY) != 0) {
            launch.order = WINNOW_STABLE;
            launch.strategy = WINNOW_GLOBAL_ATOMIC;
            refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED, "global_atomic");
            continue;
        }
        launch.strategy = WINNOW_TILE_SCAN;
        refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED, "launch->strategy");
        launch = plain(&w);
        launch.d_strategy = &w.d->outputs.strategy;
        refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED, "launch->d_strategy");
    }
    close_work(&w);
}

/* CUB's kernels read neither word. In place, nothing has a position. */
BACKEND_TEST(launch, refused_copies) {
    struct work w;

    open_work(&w, backend);
    for (const struct row *row = rows; row < rows + 2; row++) {
        winnow_launch launch = plain(&w);

        launch.strategy = WINNOW_CUB_SCAN;
        launch.d_n = &w.d->n;
        refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED, "cub_scan");
        launch.d_n = NULL;
        launch.d_position = &w.d->outputs.position;
        refuse(&w, row, &launch, WINNOW_ERR_UNSUPPORTED, "cub_scan");
    }
    cr_assert_eq(
        winnow_copy_if(w.backend.context, w.predicate, WINNOW_UINT32, w.d->in,
                       N, w.d->in, N, NULL,
                       WINNOW_LAUNCH(.order = WINNOW_STABLE,
                                     .stream = w.backend.stream,
                                     .d_position = &w.d->outputs.position)),
        WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(
        strstr(winnow_last_error(), "without launch->d_position"), "%s",
        winnow_last_error());
    cr_assert_eq(
        winnow_copy_if(w.backend.context, w.predicate, WINNOW_UINT32, w.d->in,
                       N, w.d->outputs.out, WINNOW_NO_LIMIT, NULL,
                       WINNOW_LAUNCH(.stream = w.backend.stream,
                                     .d_position = &w.d->outputs.position)),
        WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "capacity"), "%s",
                       winnow_last_error());
    close_work(&w);
}

BACKEND_TEST(launch, init) {
    unsigned char bytes[sizeof(winnow_launch) + 16];
    const winnow_launch zeros = {.size = sizeof(zeros)};
    winnow_launch launch;

    (void)backend;
    memset(&launch, 0xff, sizeof(launch));
    cr_assert_eq(winnow_launch_init(&launch, sizeof(launch)), WINNOW_OK);
    cr_assert_eq(memcmp(&launch, &zeros, sizeof(launch)), 0);
    memset(bytes, 0xff, sizeof(bytes));
    cr_assert_eq(
        winnow_launch_init((winnow_launch *)(void *)bytes, sizeof(launch) + 8),
        WINNOW_OK);
    cr_assert_eq(bytes[sizeof(launch) + 7], 0, "all of a later struct");
    cr_assert_eq(bytes[sizeof(launch) + 8], 0xff, "and no more");
    cr_assert_eq(winnow_launch_init(NULL, sizeof(launch)), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_launch_init(&launch, 0), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_launch_init(&launch, sizeof(launch) - 4),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(memcmp(&launch, &zeros, sizeof(launch)), 0);
}

/* ---------------------------------------------------------------- honoured */

/* One struct serves a chain: what a call has no use for changes nothing. */
BACKEND_TEST(launch, hints) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        winnow_launch launch = plain(&w);
        struct outputs *const wanted = outcome(&w, row, &launch);

        launch.d_workspace = w.workspace;
        launch.workspace_bytes = WORKSPACE_BYTES;
        expect(&w, row, &launch, wanted, "with a workspace");
        launch.selectivity = 0.25;
        expect(&w, row, &launch, wanted, "with a hint");
        launch.strategy = backend->gpu ? WINNOW_AUTO : WINNOW_HOST;
        launch.order = WINNOW_STABLE;
        expect(&w, row, &launch, wanted, "in a stable order");
        free(wanted);
    }
    close_work(&w);
}

/* Number n as a launch has it, in memory of its own. */
static void expect_with_n(const struct work *w, const struct row *row,
                          uint64_t n, const struct outputs *wanted) {
    winnow_launch launch = plain(w);

    launch.d_n = &w->d->n;
    backend_upload(&w->backend, &w->d->n, &n, sizeof(n));
    expect(w, row, &launch, wanted, "with a d_n");
}

/* A d_n from n on changes nothing; a smaller one is as a smaller n. */
BACKEND_TEST(launch, LONG(number_of_items)) {
    static const uint64_t fewer[] = {0, 1, 33, 700, N - 1};
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        const winnow_launch launch = plain(&w);
        struct outputs *wanted = outcome(&w, row, &launch);

        expect_with_n(&w, row, N, wanted);
        expect_with_n(&w, row, N + 1, wanted);
        expect_with_n(&w, row, UINT64_MAX, wanted);
        free(wanted);
        if ((row->has & PREFIX) == 0)
            continue;
        for (size_t i = 0; i < sizeof(fewer) / sizeof(fewer[0]); i++) {
            w.n = fewer[i];
            wanted = outcome(&w, row, &launch);
            w.n = N;
            expect_with_n(&w, row, fewer[i], wanted);
            free(wanted);
        }
    }
    close_work(&w);
}

/* The count is what makes the difference. */
BACKEND_TEST(launch, no_count) {
    const uint64_t poisoned = UINT64_C(0xa5a5a5a5a5a5a5a5);
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        const winnow_launch launch = plain(&w);
        struct outputs *wanted;

        if ((row->has & COUNTS) == 0)
            continue;
        wanted = outcome(&w, row, &launch);
        cr_assert_neq(wanted->count, poisoned, "%s", row->name);
        wanted->count = poisoned;
        w.no_count = true;
        expect(&w, row, &launch, wanted, "without d_count");
        w.no_count = false;
        free(wanted);
    }
    close_work(&w);
}

/* The same survivors, one behind the other. */
BACKEND_TEST(launch, position) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        winnow_launch launch = plain(&w);
        struct outputs *once, *twice;
        uint64_t count;

        if ((row->has & POSITION) == 0)
            continue;
        launch.order = WINNOW_STABLE;
        once = outcome(&w, row, &launch);
        count = once->count;
        launch.d_position = &w.d->outputs.position;
        twice = outcome(&w, row, &launch);
        cr_assert_eq(twice->position, count, "%s", row->name);
        cr_assert_eq(twice->count, count, "%s", row->name);
        cr_assert_eq(memcmp(twice->out, once->out, sizeof(once->out)), 0, "%s",
                     row->name);
        free(twice);
        cr_assert_eq(row->make(&w, &launch), WINNOW_OK, "%s: %s", row->name,
                     winnow_last_error());
        twice = see(&w);
        cr_assert_eq(twice->position, 2 * count, "%s", row->name);
        cr_assert_eq(memcmp(twice->out, once->out, count * 4), 0, "%s",
                     row->name);
        cr_assert_eq(memcmp(twice->out + count, once->out, count * 4), 0, "%s",
                     row->name);
        free(once);
        free(twice);
    }
    close_work(&w);
}

/* ------------------------------------------------------------------- plans */

/* The bytes of a plan serve the call, and fewer do not. */
static void run_plan(struct work *w, const struct row *row) {
    winnow_launch launch = plain(w);
    struct outputs *const wanted = outcome(w, row, &launch), *seen;
    winnow_plan plan = {.size = sizeof(plan)}, known;

    poison(w);
    launch.plan = &plan;
    cr_assert_eq(row->make(w, &launch), WINNOW_OK, "%s: %s", row->name,
                 winnow_last_error());
    known = plan;
    w->no_arrays = true;
    memset(&plan, 0, sizeof(plan));
    plan.size = sizeof(plan);
    cr_assert_eq(row->make(w, &launch), WINNOW_OK, "%s: %s", row->name,
                 winnow_last_error());
    w->no_arrays = false;
    cr_assert_eq(memcmp(&plan, &known, sizeof(plan)), 0,
                 "%s: a plan depends on addresses", row->name);
    seen = see(w);
    for (size_t i = 0; i < sizeof(*seen); i++)
        if (i < offsetof(struct outputs, sums))
            cr_assert_eq(((unsigned char *)seen)[i], 0xa5,
                         "%s: a plan writes to the outputs", row->name);
    cr_assert_eq(seen->count, UINT64_C(0xa5a5a5a5a5a5a5a5), "%s", row->name);
    free(seen);
    launch.plan = NULL;
    launch.d_workspace = w->workspace;
    cr_assert_leq(plan.workspace_bytes, WORKSPACE_BYTES);
    launch.workspace_bytes = plan.workspace_bytes;
    expect(w, row, &launch, wanted, "with the plan's workspace");
    launch.d_n = &w->d->n;
    expect_with_n(w, row, N, wanted);
    launch.d_n = NULL;
    if (plan.workspace_bytes != 0) {
        launch.workspace_bytes = 0;
        refuse(w, row, &launch, WINNOW_ERR_WORKSPACE, "workspace_bytes");
        launch.workspace_bytes = plan.workspace_bytes - 1;
        refuse(w, row, &launch, WINNOW_ERR_WORKSPACE, "workspace_bytes");
    }
    free(wanted);
}

BACKEND_TEST(launch, plan) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        run_plan(&w, row);
    }
    close_work(&w);
}

BACKEND_TEST(launch, text_of_a_plan) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL(row) {
        char text[4096], begin[64];
        winnow_launch launch = plain(&w);
        winnow_plan plan = {
            .size = sizeof(plan), .text = text, .text_bytes = sizeof(text)};
        size_t length;

        snprintf(begin, sizeof(begin), "call: %s of %d ", row->name, N);
        launch.plan = &plan;
        cr_assert_eq(row->make(&w, &launch), WINNOW_OK, "%s: %s", row->name,
                     winnow_last_error());
        length = plan.text_length;
        cr_assert_eq(length, strlen(text), "%s", row->name);
        cr_assert_eq(strncmp(text, begin, strlen(begin)), 0, "%s", text);
        memset(text, 'x', sizeof(text));
        plan.text_bytes = 6;
        cr_assert_eq(row->make(&w, &launch), WINNOW_OK);
        cr_assert_str_eq(text, "call:");
        cr_assert_eq(text[6], 'x', "%s: the text is not cut", row->name);
        cr_assert_eq(plan.text_length, length, "%s", row->name);
        plan.text = NULL;
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->plan->text");
        plan.text_bytes = 0;
        plan.reserved[1] = 1;
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->plan->reserved");
        plan.reserved[1] = 0;
        plan.size = 0;
        refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT, "launch->plan->size");
    }
    close_work(&w);
}

/* ------------------------------------------------------------------- types */

/* A predicate of another type is seen. */
BACKEND_TEST(launch, wrong_type) {
    static const uint32_t low = 1;
    static const char *const typed[] = {"copy_if",      "copy_index_if",
                                        "count_if",     "reduce_if",
                                        "select_if",    "estimate_selectivity",
                                        "partition_if", "segmented_copy_if"};
    struct work w;

    open_work(&w, backend);
    winnow_predicate_destroy(w.predicate);
    cr_assert_eq(
        winnow_predicate_compare(&w.predicate, WINNOW_FLOAT32, WINNOW_GT, &low),
        WINNOW_OK);
    FOR_EACH_CALL(row) {
        const winnow_launch launch = plain(&w);

        for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++)
            if (strcmp(row->name, typed[i]) == 0)
                refuse(&w, row, &launch, WINNOW_ERR_ARGUMENT,
                       "type is uint32, and the predicate is of float32");
    }
    close_work(&w);
}

/* ------------------------------------------------------------------ chains */

#ifdef WINNOW_CUDA

/* Filters of elements whose bits are all set. */
enum {
    FILTERS = 3,
    CHAIN = 20000
};
static const uint32_t masks[FILTERS] = {0x1, 0x10, 0x400};

struct chain {
    uint32_t *d_in, *d_out[2];
    uint64_t *d_count;
    winnow_reduction *d_result;
    winnow_predicate *predicates[FILTERS];
    winnow_order order;
};

/* `filters` of them, the last of which reduces what the others leave: each
 * reads its number of items from where the one before has written its count. */
static void enqueue_chain(const struct backend *backend, const struct chain *c,
                          unsigned filters) {
    const winnow_launch launch = {.size = sizeof(launch),
                                  .stream = backend->stream,
                                  .order = c->order,
                                  .d_n = c->d_count};
    const uint32_t *from = c->d_in;

    for (unsigned i = 0; i + 1 < filters; i++) {
        cr_assert_eq(winnow_copy_if(backend->context, c->predicates[i],
                                    WINNOW_UINT32, from, CHAIN, c->d_out[i % 2],
                                    CHAIN, c->d_count, &launch),
                     WINNOW_OK, "%s", winnow_last_error());
        from = c->d_out[i % 2];
    }
    cr_assert_eq(winnow_reduce_if(backend->context, c->predicates[filters - 1],
                                  WINNOW_UINT32, from, CHAIN,
                                  WINNOW_REDUCE_SUM | WINNOW_REDUCE_MAXIMUM,
                                  c->d_result, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
}

static void check_chain(const struct backend *backend, const struct chain *c,
                        unsigned filters, const uint32_t *in, uint64_t n) {
    winnow_reduction wanted = {.maximum = {.uint64 = 0}}, seen;
    uint64_t left = 0, count;

    for (uint64_t i = 0; i < n; i++) {
        unsigned passed = 0;

        while (passed < filters && (in[i] & masks[passed]) == masks[passed])
            passed++;
        left += passed >= filters - 1;
        if (passed < filters)
            continue;
        wanted.count++;
        wanted.sum.uint64 += in[i];
        if (in[i] > wanted.maximum.uint64)
            wanted.maximum.uint64 = in[i];
    }
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &seen, c->d_result, sizeof(seen));
    backend_download(backend, &count, c->d_count, sizeof(count));
    cr_assert_eq(count, left);
    cr_assert_eq(seen.count, wanted.count);
    cr_assert_eq(seen.sum.uint64, wanted.sum.uint64);
    cr_assert_eq(seen.maximum.uint64, wanted.maximum.uint64);
}

/* Captured once, replayed on other data, and on other numbers of it. */
static void run_chain(const struct backend *backend, const struct chain *c,
                      unsigned filters) {
    static const uint64_t numbers[] = {CHAIN, CHAIN / 3, 1, 0, UINT64_MAX};
    uint32_t *const in = must_alloc(CHAIN * sizeof(*in));
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    enqueue_chain(backend, c, filters);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        for (uint64_t k = 0; k < CHAIN; k++)
            in[k] = (uint32_t)data_random(60 + i, k);
        backend_upload(backend, c->d_in, in, CHAIN * sizeof(*in));
        backend_upload(backend, c->d_count, &numbers[i], sizeof(numbers[i]));
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        check_chain(backend, c, filters, in,
                    numbers[i] < CHAIN ? numbers[i] : CHAIN);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    free(in);
}

GPU_TEST(launch, chain_in_a_graph) {
    struct chain c = {.d_in = backend_alloc(backend, CHAIN * 4),
                      .d_out = {backend_alloc(backend, CHAIN * 4),
                                backend_alloc(backend, CHAIN * 4)},
                      .d_count = backend_alloc(backend, sizeof(uint64_t)),
                      .d_result =
                          backend_alloc(backend, sizeof(winnow_reduction))};

    for (unsigned i = 0; i < FILTERS; i++)
        cr_assert_eq(winnow_predicate_bits(&c.predicates[i], WINNOW_UINT32,
                                           masks[i], masks[i]),
                     WINNOW_OK);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++)
        for (unsigned filters = 2; filters <= FILTERS; filters++) {
            c.order = (winnow_order)order;
            run_chain(backend, &c, filters);
        }
    for (unsigned i = 0; i < FILTERS; i++)
        winnow_predicate_destroy(c.predicates[i]);
    backend_free(backend, c.d_in);
    backend_free(backend, c.d_out[0]);
    backend_free(backend, c.d_out[1]);
    backend_free(backend, c.d_count);
    backend_free(backend, c.d_result);
}

#endif
