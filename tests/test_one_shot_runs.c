/*
 * winnow_unique, winnow_unique_by_key and winnow_segmented_copy_if: a source
 * and a sink in one call, in a workspace of the caller's or the context's own.
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
    uint64_t *d_n;
};

static void shot_open(struct shot *shot, const struct backend *backend) {
    *shot = (struct shot){.backend = backend};
    cr_assert_eq(
        winnow_unique_workspace(backend->context, MOST, &shot->workspace_bytes),
        WINNOW_OK);
    region_open(&shot->keys, backend, ROOM);
    region_open(&shot->values, backend, ROOM);
    region_open(&shot->keys_out, backend, ROOM);
    region_open(&shot->values_out, backend, ROOM);
    region_open(&shot->count, backend, 136);
    shot->d_workspace = backend_alloc(backend, shot->workspace_bytes + 16);
    shot->d_n = backend_alloc(backend, sizeof(*shot->d_n));
}

static void shot_close(struct shot *shot) {
    region_close(&shot->keys);
    region_close(&shot->values);
    region_close(&shot->keys_out);
    region_close(&shot->values_out);
    region_close(&shot->count);
    backend_free(shot->backend, shot->d_workspace);
    backend_free(shot->backend, shot->d_n);
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

static bool check_count(struct shot *shot, uint64_t wanted,
                        struct report *report) {
    uint64_t count;

    region_fetch(&shot->count, 136);
    memcpy(&count, shot->count.seen + 64, sizeof(count));
    return count == wanted ||
           report_fail(report, "the count is %llu, not %llu",
                       (unsigned long long)count, (unsigned long long)wanted);
}

/* Is element `rank` of out element i of in? */
static bool is_element(const struct region *out, uint64_t rank,
                       const struct region *in, uint64_t i, size_t bytes,
                       struct report *report) {
    return memcmp(out->seen + REGION_GUARD + rank * bytes,
                  in->shadow + i * bytes, bytes) == 0 ||
           report_fail(report, "element %llu is not item %llu",
                       (unsigned long long)rank, (unsigned long long)i);
}

static bool check_rest(struct region *out, uint64_t written, size_t bytes,
                       struct report *report) {
    return region_untouched(out, "output", REGION_GUARD, 0, REGION_GUARD,
                            report) &&
           region_untouched(out, "output", REGION_GUARD,
                            REGION_GUARD + written * bytes, ROOM, report);
}

/* The first, or the last, of each run; value_bytes 0: winnow_unique(). */
static bool check_unique(struct shot *shot, uint64_t n, uint64_t capacity,
                         size_t key_bytes, size_t value_bytes, bool last,
                         struct report *report) {
    const unsigned char *const keys = shot->keys.shadow;
    uint64_t rank = 0;

    region_fetch(&shot->keys_out, ROOM);
    region_fetch(&shot->values_out, ROOM);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t other = last ? i + 1 : i - 1;
        const bool at_end = last ? other == n : i == 0;

        if (!at_end && memcmp(keys + i * key_bytes, keys + other * key_bytes,
                              key_bytes) == 0)
            continue;
        if (rank < capacity &&
            (!is_element(&shot->keys_out, rank, &shot->keys, i, key_bytes,
                         report) ||
             !is_element(&shot->values_out, rank, &shot->values, i, value_bytes,
                         report)))
            return false;
        rank++;
    }
    return check_count(shot, rank, report) &&
           check_rest(&shot->keys_out, rank < capacity ? rank : capacity,
                      key_bytes, report) &&
           check_rest(&shot->values_out, rank < capacity ? rank : capacity,
                      value_bytes, report);
}

static void run_unique(struct shot *shot, uint64_t n, uint64_t there,
                       uint64_t capacity, size_t key_bytes, size_t value_bytes,
                       uint64_t seed) {
    const struct backend *const backend = shot->backend;
    winnow_unique_options options = WINNOW_UNIQUE_OPTIONS_INIT;
    void *const workspace = seed % 2 ? shot->d_workspace : NULL;
    const size_t bytes = seed % 2 ? shot->workspace_bytes : 0;
    uint64_t *const d_count = (uint64_t *)(void *)(shot->count.base + 64);
    const uint64_t *const d_n = there < n ? shot->d_n : NULL;

    fill(shot, n, key_bytes, value_bytes, seed);
    backend_upload(backend, shot->d_n, &there, sizeof(there));
    options.keep = seed % 3 ? WINNOW_UNIQUE_FIRST : WINNOW_UNIQUE_LAST;
    cr_assert_eq(
        value_bytes == 0
            ? winnow_unique(backend->context, shot->keys.base, n, key_bytes,
                            &options, shot->keys_out.base + REGION_GUARD,
                            capacity, d_count, workspace, bytes, d_n,
                            backend->stream)
            : winnow_unique_by_key(backend->context, shot->keys.base, key_bytes,
                                   shot->values.base, value_bytes, n, &options,
                                   shot->keys_out.base + REGION_GUARD,
                                   shot->values_out.base + REGION_GUARD,
                                   capacity, d_count, workspace, bytes, d_n,
                                   backend->stream),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(check_unique(shot, there < n ? there : n, capacity, key_bytes,
                      value_bytes, options.keep == WINNOW_UNIQUE_LAST, report));
}

BACKEND_TEST(one_shot_runs, unique) {
    static const size_t key_bytes[] = {1, 2, 3, 4, 8, 12, 16};
    struct shot shot;

    shot_open(&shot, backend);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < 7; k++) {
            run_unique(&shot, sizes[i], UINT64_MAX, WINNOW_NO_LIMIT,
                       key_bytes[k], 0, 7 * i + k);
            run_unique(&shot, sizes[i], sizes[i] / 2, sizes[i] / 5,
                       key_bytes[k], 0, 7 * i + k);
        }
    shot_close(&shot);
}

BACKEND_TEST(one_shot_runs, unique_by_key) {
    static const size_t value_bytes[] = {1, 4, 5, 8, 16};
    struct shot shot;

    shot_open(&shot, backend);
    for (size_t i = 0; i < SIZES; i++)
        for (size_t v = 0; v < 5; v++) {
            run_unique(&shot, sizes[i], UINT64_MAX, WINNOW_NO_LIMIT, 4,
                       value_bytes[v], 5 * i + v);
            run_unique(&shot, sizes[i], sizes[i] / 2 + 1, sizes[i] / 3, 8,
                       value_bytes[v], 5 * i + v);
        }
    shot_close(&shot);
}

/* ------------------------------------------------------ segmented_copy_if */

#define SEGMENTS 300

/* Elements below 128, of bytes; segments of n / 300 and some. */
static bool check_segments(struct shot *shot, uint64_t n, uint64_t capacity,
                           const uint64_t *offsets, struct report *report) {
    const uint64_t *const out =
        (const uint64_t *)(const void *)(shot->values_out.seen + REGION_GUARD);
    uint64_t rank = 0, s = 0;

    region_fetch(&shot->keys_out, ROOM);
    region_fetch(&shot->values_out, ROOM);
    for (uint64_t i = 0; i <= n; i++) {
        for (; s <= SEGMENTS && offsets[s] == i; s++)
            if (out[s] != rank)
                return report_fail(report, "segment %llu begins at %llu",
                                   (unsigned long long)s,
                                   (unsigned long long)out[s]);
        if (i == n || shot->keys.shadow[i] >= 128)
            continue;
        if (rank < capacity &&
            !is_element(&shot->keys_out, rank, &shot->keys, i, 1, report))
            return false;
        rank++;
    }
    return check_count(shot, rank, report) &&
           check_rest(&shot->keys_out, rank < capacity ? rank : capacity, 1,
                      report) &&
           check_rest(&shot->values_out, SEGMENTS + 1, 8, report);
}

BACKEND_TEST(one_shot_runs, segmented_copy_if) {
    const uint8_t half = 128;
    uint64_t offsets[SEGMENTS + 1];
    winnow_predicate *predicate;
    struct shot shot;

    shot_open(&shot, backend);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_LT, &half),
        WINNOW_OK);
    for (size_t i = 0; i < 2 * SIZES; i++) {
        const uint64_t n = sizes[i / 2];
        const uint64_t capacity = i % 2 ? n / 3 : n;
        size_t needed;

        fill(&shot, n, 1, 0, i);
        for (uint64_t s = 0; s <= SEGMENTS; s++)
            offsets[s] = s / 2 * 2 * n / SEGMENTS;
        region_write(&shot.values, 0, offsets, sizeof(offsets));
        cr_assert_eq(winnow_segmented_copy_if_workspace(backend->context,
                                                        predicate, n, &needed),
                     WINNOW_OK);
        cr_assert_leq(needed, shot.workspace_bytes);
        cr_assert_eq(winnow_segmented_copy_if(
                         backend->context, predicate, shot.keys.base, n,
                         WINNOW_UINT64, SEGMENTS, shot.values.base,
                         shot.keys_out.base + REGION_GUARD, capacity, NULL,
                         shot.values_out.base + REGION_GUARD,
                         (uint64_t *)(void *)(shot.count.base + 64),
                         i % 3 ? shot.d_workspace : NULL, i % 3 ? needed : 0,
                         backend->stream),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_null(backend_wait(backend));
        MUST(check_segments(&shot, n, capacity, offsets, report));
    }
    winnow_predicate_destroy(predicate);
    shot_close(&shot);
}

/* ---------------------------------------------------------------- bad input */

/* On a device, where there is a workspace. */
#ifdef WINNOW_CUDA
GPU_TEST(one_shot_runs, small_workspace) {
    struct shot shot;

    shot_open(&shot, backend);
    fill(&shot, MOST, 4, 0, 1);
    cr_assert_eq(winnow_unique(backend->context, shot.keys.base, MOST, 4, NULL,
                               shot.keys_out.base, WINNOW_NO_LIMIT, NULL,
                               shot.d_workspace, shot.workspace_bytes - 1, NULL,
                               backend->stream),
                 WINNOW_ERR_WORKSPACE);
    region_fetch(&shot.keys_out, ROOM);
    MUST(region_untouched(&shot.keys_out, "d_out", 0, 0, ROOM, report));
    shot_close(&shot);
}
#endif

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(one_shot_runs, wrong_arguments) {
    uint32_t in[4] = {1, 1, 2, 2}, out[4] = {0}, values[4] = {0};
    uint64_t offsets[2] = {0, 4}, count = 77;
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_LT, &in[2]),
        WINNOW_OK);
#define UNIQUE(context, in, bytes, out)                                        \
    winnow_unique(context, in, 4, bytes, NULL, out, 4, &count, NULL, 0, NULL,  \
                  NULL)
    WRONG(UNIQUE(NULL, in, 4, out), "context is NULL");
    WRONG(UNIQUE(context, NULL, 4, out), "d_in is NULL");
    WRONG(UNIQUE(context, in, 4, NULL), "d_out is NULL");
    WRONG(UNIQUE(context, in, 4, in), "d_in and d_out overlap");
    WRONG(UNIQUE(context, in, 0, out), "element_bytes is 0: wanted 1 to 16");
    WRONG(UNIQUE(context, in, 17, out), "element_bytes is 17: wanted 1 to 16");
#define BY_KEY(keys, key_bytes, values, value_bytes, keys_out, values_out)     \
    winnow_unique_by_key(context, keys, key_bytes, values, value_bytes, 2,     \
                         NULL, keys_out, values_out, 2, &count, NULL, 0, NULL, \
                         NULL)
    WRONG(BY_KEY(NULL, 4, values, 4, out, out + 2), "d_keys is NULL");
    WRONG(BY_KEY(in, 4, NULL, 4, out, out + 2), "d_values is NULL");
    WRONG(BY_KEY(in, 4, values, 4, NULL, out + 2), "d_keys_out is NULL");
    WRONG(BY_KEY(in, 4, values, 4, out, NULL), "d_values_out is NULL");
    WRONG(BY_KEY(in, 4, values, 4, out, out),
          "d_keys_out and d_values_out overlap");
    WRONG(BY_KEY(in, 17, values, 4, out, out + 2),
          "key_bytes is 17: wanted 1 to 16");
    WRONG(BY_KEY(in, 4, values, 4097, out, out + 2),
          "value_bytes is 4097: wanted 1 to 4096");
#define SEGMENTED(predicate, in, type, offsets, out)                           \
    winnow_segmented_copy_if(context, predicate, in, 4, type, 1, offsets, out, \
                             4, NULL, NULL, &count, NULL, 0, NULL)
    WRONG(SEGMENTED(NULL, in, WINNOW_UINT64, offsets, out),
          "predicate is NULL");
    WRONG(SEGMENTED(predicate, NULL, WINNOW_UINT64, offsets, out),
          "d_in is NULL");
    WRONG(SEGMENTED(predicate, in, WINNOW_UINT8, offsets, out),
          "offset_type 4 is neither WINNOW_UINT32 nor WINNOW_UINT64");
    WRONG(SEGMENTED(predicate, in, WINNOW_UINT64, NULL, out),
          "d_offsets is NULL");
    WRONG(SEGMENTED(predicate, in, WINNOW_UINT64, offsets, NULL),
          "d_out is NULL");
    cr_assert(count == 77 && out[0] == 0);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}
