/*
 * winnow_unique and winnow_segmented_copy_if: a source and a sink in one call,
 * in a workspace of the caller's or the context's own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "region.h"
#include "data.h"
#include "suite.h"

#define MOST 9001
#define ROOM (MOST * 16 + 2 * REGION_GUARD)

static const uint64_t sizes[] = {0, 1, 31, 33, 4095, 4096, 4097, MOST};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

struct shot {
    const struct backend *backend;
    struct region keys, values, keys_out, values_out, count;
    unsigned char *d_workspace;
    size_t workspace_bytes;
    uint64_t *d_n, *d_count, *d_position;
    uint64_t position; /* where the output begins */
};

/* What a call is given, beside arrays. */
struct limits {
    uint64_t there; /* items; UINT64_MAX: d_n is NULL */
    bool same_word; /* as the count's: d_n */
    uint64_t capacity;
    uint64_t position; /* 0: d_position is NULL */
};

/* What a plan says of the most keys of all. */
static size_t needed(const struct backend *backend) {
    const winnow_in keys = {.element_bytes = 16};
    const winnow_move move = {.element_bytes = 16};
    winnow_plan plan = {.size = sizeof(plan)};

    cr_assert_eq(winnow_unique(backend->context, &keys, MOST, NULL, &move, 1,
                               MOST, NULL, WINNOW_LAUNCH(.plan = &plan)),
                 WINNOW_OK, "%s", winnow_last_error());
    return plan.workspace_bytes;
}

static void shot_open(struct shot *shot, const struct backend *backend) {
    *shot = (struct shot){.backend = backend};
    shot->workspace_bytes = needed(backend);
    region_open(&shot->keys, backend, ROOM);
    region_open(&shot->values, backend, ROOM);
    region_open(&shot->keys_out, backend, ROOM);
    region_open(&shot->values_out, backend, ROOM);
    region_open(&shot->count, backend, 136);
    shot->d_workspace = backend_alloc(backend, shot->workspace_bytes + 16);
    shot->d_n = backend_alloc(backend, sizeof(*shot->d_n));
    shot->d_position = backend_alloc(backend, sizeof(*shot->d_position));
    shot->d_count = (uint64_t *)(void *)(shot->count.base + 64);
}

static void shot_close(struct shot *shot) {
    region_close(&shot->keys);
    region_close(&shot->values);
    region_close(&shot->keys_out);
    region_close(&shot->values_out);
    region_close(&shot->count);
    backend_free(shot->backend, shot->d_workspace);
    backend_free(shot->backend, shot->d_n);
    backend_free(shot->backend, shot->d_position);
}

/* The launch of a call of n items, whose workspace is the caller's or the
 * context's own. */
static winnow_launch launch_of(struct shot *shot, uint64_t n,
                               const struct limits *limits, bool given) {
    const bool limited = limits->there < n;
    uint64_t *const d_n = limits->same_word ? shot->d_count : shot->d_n;

    shot->position = limits->position;
    backend_upload(shot->backend, shot->d_position, &limits->position, 8);
    if (limited)
        backend_upload(shot->backend, d_n, &limits->there, 8);
    return (winnow_launch){.size = sizeof(winnow_launch),
                           .stream = shot->backend->stream,
                           .d_workspace = given ? shot->d_workspace : NULL,
                           .workspace_bytes = given ? shot->workspace_bytes : 0,
                           .d_n = limited ? d_n : NULL,
                           .d_position =
                               limits->position != 0 ? shot->d_position : NULL};
}

static uint64_t items_there(const struct limits *limits, uint64_t n) {
    return limits->there < n ? limits->there : n;
}

/* Elements that there is room for. */
static uint64_t room_of(const struct limits *limits) {
    return limits->capacity > limits->position
               ? limits->capacity - limits->position
               : 0;
}

/* Keys in runs of 1 to some, and random values. */
static void fill(struct shot *shot, uint64_t n, size_t key_bytes,
                 size_t value_bytes, uint64_t seed) {
    unsigned char *const bytes = must_alloc(MOST * 16);
    uint64_t run = 0;

    region_poison(&shot->keys, ROOM);
    region_poison(&shot->values, ROOM);
    region_poison(&shot->keys_out, ROOM);
    region_poison(&shot->values_out, ROOM);
    region_poison(&shot->count, 136);
    for (uint64_t i = 0; i < n; i++) {
        run += data_random(seed, i) % (1 + seed % 4) == 0;
        for (size_t b = 0; b < key_bytes; b++)
            bytes[i * key_bytes + b] = (unsigned char)data_random(run, b);
    }
    region_write(&shot->keys, 0, bytes, n * key_bytes);
    for (uint64_t i = 0; i < n * value_bytes; i++)
        bytes[i] = (unsigned char)data_random(seed + 1, i);
    region_write(&shot->values, 0, bytes, n * value_bytes);
    free(bytes);
}

static bool check_count(struct shot *shot, uint64_t wanted, uint64_t written,
                        struct report *report) {
    uint64_t count, position;

    backend_download(shot->backend, &position, shot->d_position, 8);
    if (shot->position != 0 && position != shot->position + written)
        return report_fail(report, "the position is %llu, not %llu",
                           (unsigned long long)position,
                           (unsigned long long)(shot->position + written));

    region_fetch(&shot->count, 136);
    memcpy(&count, shot->count.seen + 64, sizeof(count));
    return count == wanted ||
           report_fail(report, "the count is %llu, not %llu",
                       (unsigned long long)count, (unsigned long long)wanted);
}

/* Is element `rank` of out element i of in? */
static bool is_element(const struct shot *shot, const struct region *out,
                       uint64_t rank, const struct region *in, uint64_t i,
                       size_t bytes, struct report *report) {
    const uint64_t at = shot->position + rank;

    return memcmp(out->seen + REGION_GUARD + at * bytes, in->shadow + i * bytes,
                  bytes) == 0 ||
           report_fail(report, "element %llu is not item %llu",
                       (unsigned long long)rank, (unsigned long long)i);
}

static bool check_rest(struct region *out, uint64_t start, uint64_t written,
                       size_t bytes, struct report *report) {
    return region_untouched(out, "output", REGION_GUARD, 0,
                            REGION_GUARD + start * bytes, report) &&
           region_untouched(out, "output", REGION_GUARD,
                            REGION_GUARD + (start + written) * bytes, ROOM,
                            report);
}

/* The first, or the last, of each run; value_bytes 0: keys alone. */
static bool check_unique(struct shot *shot, uint64_t n, uint64_t room,
                         size_t key_bytes, size_t value_bytes, bool last,
                         struct report *report) {
    const unsigned char *const keys = shot->keys.shadow;
    uint64_t rank = 0, written;

    region_fetch(&shot->keys_out, ROOM);
    region_fetch(&shot->values_out, ROOM);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t other = last ? i + 1 : i - 1;
        const bool at_end = last ? other == n : i == 0;

        if (!at_end && memcmp(keys + i * key_bytes, keys + other * key_bytes,
                              key_bytes) == 0)
            continue;
        if (rank < room && (!is_element(shot, &shot->keys_out, rank,
                                        &shot->keys, i, key_bytes, report) ||
                            !is_element(shot, &shot->values_out, rank,
                                        &shot->values, i, value_bytes, report)))
            return false;
        rank++;
    }
    written = rank < room ? rank : room;
    return check_count(shot, rank, written, report) &&
           check_rest(&shot->keys_out, shot->position, written, key_bytes,
                      report) &&
           check_rest(&shot->values_out, shot->position, written, value_bytes,
                      report);
}

static void run_unique(struct shot *shot, uint64_t n,
                       const struct limits *limits, size_t key_bytes,
                       size_t value_bytes, uint64_t seed) {
    const struct backend *const backend = shot->backend;
    const winnow_unique_options options = {
        .size = sizeof(options),
        .keep = seed % 3 ? WINNOW_UNIQUE_FIRST : WINNOW_UNIQUE_LAST};
    const winnow_in keys = {.element_bytes = (uint32_t)key_bytes,
                            .d_base = shot->keys.base};
    const winnow_move moves[2] = {
        {.d_in = shot->keys.base,
         .d_out = shot->keys_out.base + REGION_GUARD,
         .element_bytes = key_bytes},
        {.d_in = shot->values.base,
         .d_out = shot->values_out.base + REGION_GUARD,
         .element_bytes = value_bytes}};
    winnow_launch launch;

    fill(shot, n, key_bytes, value_bytes, seed);
    launch = launch_of(shot, n, limits, seed % 2 != 0);
    cr_assert_eq(winnow_unique(backend->context, &keys, n, &options, moves,
                               value_bytes == 0 ? 1 : 2, limits->capacity,
                               shot->d_count, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(check_unique(shot, items_there(limits, n), room_of(limits), key_bytes,
                      value_bytes, options.keep == WINNOW_UNIQUE_LAST, report));
}

/* All items; some of them; and behind what is there. */
static void run_uniques(struct shot *shot, uint64_t n, size_t key_bytes,
                        size_t value_bytes, uint64_t seed) {
    const struct limits limits[] = {
        {.there = UINT64_MAX, .capacity = WINNOW_NO_LIMIT},
        {.there = n / 2, .capacity = n / 5},
        {.there = n / 2 + 1, .capacity = n / 3, .same_word = true},
        {.there = UINT64_MAX, .capacity = n, .position = 1 + n / 9},
        {.there = n / 2, .capacity = n, .same_word = true, .position = 3}};

    for (size_t i = 0; i < 5; i++)
        run_unique(shot, n, &limits[i], key_bytes, value_bytes, seed + i);
}

BACKEND_TEST(one_call_runs, LONG(unique)) {
    static const size_t key_bytes[] = {1, 2, 3, 4, 8, 12, 16};
    struct shot shot;

    shot_open(&shot, backend);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 7; k++)
            run_uniques(&shot, sizes[i], key_bytes[k], 0, 7 * i + k);
    shot_close(&shot);
}

BACKEND_TEST(one_call_runs, LONG(unique_of_values)) {
    static const size_t value_bytes[] = {1, 4, 5, 8, 16};
    struct shot shot;

    shot_open(&shot, backend);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t v = 0; v < 5; v++)
            run_uniques(&shot, sizes[i], v % 2 ? 8 : 4, value_bytes[v],
                        5 * i + v);
    shot_close(&shot);
}

/* ------------------------------------------------------ segmented_copy_if */

#define SEGMENTS 300

/* Elements below 128, of bytes; segments of n / 300 and some. */
static bool check_segments(struct shot *shot, uint64_t n, uint64_t there,
                           uint64_t room, const uint64_t *offsets,
                           struct report *report) {
    const uint64_t *const out =
        (const uint64_t *)(const void *)(shot->values_out.seen + REGION_GUARD);
    uint64_t rank = 0, s = 0, written;

    region_fetch(&shot->keys_out, ROOM);
    region_fetch(&shot->values_out, ROOM);
    for (uint64_t i = 0; i <= n; i++) {
        for (; s <= SEGMENTS && offsets[s] == i; s++)
            if (out[s] != rank)
                return report_fail(report, "segment %llu begins at %llu",
                                   (unsigned long long)s,
                                   (unsigned long long)out[s]);
        if (i >= there || shot->keys.shadow[i] >= 128)
            continue;
        if (rank < room &&
            !is_element(shot, &shot->keys_out, rank, &shot->keys, i, 1, report))
            return false;
        rank++;
    }
    written = rank < room ? rank : room;
    return check_count(shot, rank, written, report) &&
           check_rest(&shot->keys_out, shot->position, written, 1, report) &&
           check_rest(&shot->values_out, 0, SEGMENTS + 1, 8, report);
}

static void run_segments(struct shot *shot, const winnow_predicate *predicate,
                         uint64_t n, const struct limits *limits,
                         uint64_t seed) {
    const struct backend *const backend = shot->backend;
    const winnow_segments segments = {.type = WINNOW_UINT64,
                                      .count = SEGMENTS,
                                      .d_offsets = shot->values.base,
                                      .d_out_offsets =
                                          shot->values_out.base + REGION_GUARD};
    winnow_plan plan = {.size = sizeof(plan)};
    uint64_t offsets[SEGMENTS + 1];
    winnow_launch launch;

    fill(shot, n, 1, 0, seed);
    for (uint64_t s = 0; s <= SEGMENTS; s++)
        offsets[s] = s / 2 * 2 * n / SEGMENTS;
    region_write(&shot->values, 0, offsets, sizeof(offsets));
    launch = launch_of(shot, n, limits, seed % 3 != 0);
    for (int round = 0; round < 2; round++) {
        launch.plan = round == 0 ? &plan : NULL;
        if (launch.d_workspace != NULL)
            launch.workspace_bytes = plan.workspace_bytes;
        cr_assert_eq(
            winnow_segmented_copy_if(backend->context, predicate, WINNOW_UINT8,
                                     shot->keys.base, n, &segments,
                                     shot->keys_out.base + REGION_GUARD,
                                     limits->capacity, shot->d_count, &launch),
            WINNOW_OK, "%s", winnow_last_error());
    }
    cr_assert_null(backend_wait(backend));
    cr_assert_leq(plan.workspace_bytes, shot->workspace_bytes);
    MUST(check_segments(shot, n, items_there(limits, n), room_of(limits),
                        offsets, report));
}

BACKEND_TEST(one_call_runs, segmented_copy_if) {
    const uint8_t half = 128;
    winnow_predicate *predicate;
    struct shot shot;

    shot_open(&shot, backend);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_LT, &half),
        WINNOW_OK);
    for (size_t i = 0; i < SIZES; i++) {
        const uint64_t n = sizes[i];
        const struct limits limits[] = {
            {.there = UINT64_MAX, .capacity = n},
            {.there = UINT64_MAX, .capacity = n / 3},
            {.there = n / 2, .capacity = n},
            {.there = n / 3, .capacity = n, .same_word = true},
            {.there = UINT64_MAX, .capacity = n, .position = 5},
            {.there = n / 2, .capacity = n / 2 + 1, .position = 1 + n / 7}};

        for (size_t l = 0; l < 6; l++)
            run_segments(&shot, predicate, n, &limits[l], 6 * i + l);
    }
    winnow_predicate_destroy(predicate);
    shot_close(&shot);
}

/* ---------------------------------------------------------------- bad input */

BACKEND_TEST(one_call_runs, small_workspace) {
    struct shot shot;

    shot_open(&shot, backend);
    fill(&shot, MOST, 4, 0, 1);
    cr_assert_eq(
        winnow_unique(
            backend->context,
            &(winnow_in){.element_bytes = 4, .d_base = shot.keys.base}, MOST,
            NULL,
            &(winnow_move){.d_in = shot.keys.base,
                           .d_out = shot.keys_out.base,
                           .element_bytes = 4},
            1, WINNOW_NO_LIMIT, NULL,
            WINNOW_LAUNCH(.stream = backend->stream,
                          .d_workspace = shot.d_workspace,
                          .workspace_bytes = shot.workspace_bytes - 1)),
        WINNOW_ERR_WORKSPACE);
    region_fetch(&shot.keys_out, ROOM);
    MUST(region_untouched(&shot.keys_out, "d_out", 0, 0, ROOM, report));
    shot_close(&shot);
}

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(one_call_runs, wrong_arguments) {
    uint32_t in[4] = {1, 1, 2, 2}, out[4] = {0}, values[4] = {0};
    uint64_t offsets[2] = {0, 4}, count = 77;
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_LT, &in[2]),
        WINNOW_OK);
#define UNIQUE(context, keys, bytes, in_, in_bytes, out_)                      \
    winnow_unique(                                                             \
        context, &(winnow_in){.element_bytes = bytes, .d_base = keys}, 2,      \
        NULL,                                                                  \
        (winnow_move[2]){                                                      \
            {.d_in = in, .d_out = out, .element_bytes = 4},                    \
            {.d_in = in_, .d_out = out_, .element_bytes = in_bytes}},          \
        2, 2, &count, NULL)
    WRONG(UNIQUE(NULL, in, 4, values, 4, out + 2), "context is NULL");
    WRONG(winnow_unique(context, NULL, 2, NULL, NULL, 0, 2, NULL, NULL),
          "keys is NULL");
    WRONG(UNIQUE(context, NULL, 4, values, 4, out + 2), "keys->d_base is NULL");
    WRONG(UNIQUE(context, in, 4, NULL, 4, out + 2), "moves[1].d_in is NULL");
    WRONG(UNIQUE(context, in, 4, values, 4, NULL), "moves[1].d_out is NULL");
    WRONG(UNIQUE(context, in, 4, values, 4, in),
          "keys->d_base and moves[1].d_out overlap");
    WRONG(UNIQUE(context, in, 4, values, 4, values),
          "moves[1].d_in and moves[1].d_out overlap");
    WRONG(UNIQUE(context, in, 4, values, 4, out),
          "moves[0].d_out and moves[1].d_out overlap");
    WRONG(UNIQUE(context, in, 0, values, 4, out + 2),
          "keys has no type, and element_bytes is 0");
    WRONG(UNIQUE(context, in, 17, values, 4, out + 2),
          "keys->element_bytes is 17: wanted 1 to 16");
    WRONG(UNIQUE(context, in, 4, values, 4097, out + 2),
          "moves[1].element_bytes is 4097: wanted 1 to 4096");
    WRONG(winnow_unique(
              context, &(winnow_in){.element_bytes = 4, .d_base = in}, 2,
              &(winnow_unique_options){.keep = WINNOW_UNIQUE_LAST},
              &(winnow_move){.d_in = in, .d_out = out, .element_bytes = 4}, 1,
              2, NULL, NULL),
          "options->size is 0: wanted sizeof(winnow_unique_options), which is "
          "32");
#define SEGMENTED(predicate, of, in, offset_type, offsets, out)                \
    winnow_segmented_copy_if(context, predicate, of, in, 4,                    \
                             &(winnow_segments){.type = offset_type,           \
                                                .count = 1,                    \
                                                .d_offsets = offsets},         \
                             out, 4, &count, NULL)
    WRONG(SEGMENTED(NULL, WINNOW_UINT32, in, WINNOW_UINT64, offsets, out),
          "predicate is NULL");
    WRONG(SEGMENTED(predicate, WINNOW_INT32, in, WINNOW_UINT64, offsets, out),
          "type is int32, and the predicate is of uint32");
    WRONG(
        SEGMENTED(predicate, WINNOW_UINT32, NULL, WINNOW_UINT64, offsets, out),
        "d_in is NULL");
    WRONG(SEGMENTED(predicate, WINNOW_UINT32, in, WINNOW_UINT8, offsets, out),
          "segments->type 5, uint8, is neither WINNOW_UINT32 nor "
          "WINNOW_UINT64");
    WRONG(SEGMENTED(predicate, WINNOW_UINT32, in, WINNOW_UINT64, NULL, out),
          "segments->d_offsets is NULL");
    WRONG(SEGMENTED(predicate, WINNOW_UINT32, in, WINNOW_UINT64, offsets, NULL),
          "d_out is NULL");
    WRONG(SEGMENTED(predicate, WINNOW_UINT32, in, WINNOW_UINT64, offsets, in),
          "d_in and d_out overlap");
    WRONG(winnow_segmented_copy_if(context, predicate, WINNOW_UINT32, in, 4,
                                   NULL, out, 4, &count, NULL),
          "segments is NULL");
    cr_assert(count == 77 && out[0] == 0);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}
