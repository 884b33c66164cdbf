/*
 * A selection and its use in one call: winnow_copy_flagged,
 * winnow_copy_columns_if, winnow_copy_records_if and winnow_partition_if,
 * against loops over the input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "selected.h"
#include "suite.h"

#define POISON 0x5a
#define GUARD 64 /* bytes of poison around an array */

static const uint64_t edges[] = {0, 1, 33, 4095, 4096, 4097, 9000, 16390};
#define EDGES (sizeof(edges) / sizeof(edges[0]))
static const char *const densities[] = {"uniform:0.5",  "all",    "none",
                                        "uniform:0.01", "prefix", "runs:32"};
#define DENSITIES (sizeof(densities) / sizeof(densities[0]))

/* An array on the backend, with what it should hold when a call is over. */
struct array {
    const struct backend *backend;
    size_t bytes;
    unsigned char *base;   /* on the backend */
    unsigned char *d;      /* where the array begins */
    unsigned char *wanted; /* from base on */
    unsigned char *values; /* in wanted: where the array begins */
};

static void array_open(struct array *array, const struct backend *backend,
                       size_t bytes, size_t offset) {
    *array =
        (struct array){.backend = backend, .bytes = bytes + 2 * GUARD + 16};
    array->base = backend_alloc(backend, array->bytes);
    array->d = array->base + GUARD + offset;
    array->wanted = must_alloc(array->bytes);
    array->values = array->wanted + GUARD + offset;
    memset(array->wanted, POISON, array->bytes);
}

static void array_upload(struct array *array) {
    backend_upload(array->backend, array->base, array->wanted, array->bytes);
}

static void array_fill(struct array *array, size_t bytes, uint64_t seed) {
    for (size_t i = 0; i < bytes; i++)
        array->values[i] = (unsigned char)data_random(seed, i);
    array_upload(array);
}

/* Is all of it as wanted? Then it goes. */
static void array_close(struct array *array, const char *name) {
    unsigned char *const seen = must_alloc(array->bytes);

    backend_download(array->backend, seen, array->base, array->bytes);
    for (size_t i = 0; i < array->bytes; i++)
        cr_assert_eq(seen[i], array->wanted[i], "%s, byte %zu of %zu", name, i,
                     array->bytes);
    backend_free(array->backend, array->base);
    free(array->wanted);
    free(seen);
}

/* What a call is given beside its data: drawn by a seed. */
struct given {
    uint64_t n, there, capacity, position;
    bool placed, in_place, has_number;
    struct array numbers; /* the count, the position, the number of items */
    uint64_t *d_count, *d_position, *d_n;
    void *d_workspace;
    size_t workspace_bytes;
};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

static void given_open(struct given *given, const struct backend *backend,
                       uint64_t n, uint64_t seed, size_t workspace_bytes) {
    uint64_t numbers[3];

    *given = (struct given){.n = n,
                            .there = n,
                            .capacity = WINNOW_NO_LIMIT,
                            .placed = draw(seed, 1, 3) == 0,
                            .has_number = draw(seed, 2, 3) == 0};
    given->in_place = !given->placed && draw(seed, 3, 2) == 0;
    if (given->placed || draw(seed, 4, 3) == 0)
        given->capacity = draw(seed, 5, n + 1);
    if (given->placed)
        given->position = draw(seed, 6, given->capacity + 2);
    if (given->has_number)
        given->there = draw(seed, 7, n + n / 4 + 1);
    numbers[0] = 77;
    numbers[1] = given->position;
    numbers[2] = given->there;
    array_open(&given->numbers, backend, sizeof(numbers), 0);
    memcpy(given->numbers.values, numbers, sizeof(numbers));
    array_upload(&given->numbers);
    given->d_count = (uint64_t *)(void *)given->numbers.d;
    given->d_position = given->placed ? given->d_count + 1 : NULL;
    given->d_n = given->has_number ? given->d_count + 2 : NULL;
    if (given->there > n)
        given->there = n;
    if (draw(seed, 8, 2) == 0) {
        given->workspace_bytes = workspace_bytes;
        given->d_workspace = backend_alloc(backend, workspace_bytes + 16);
    }
}

static uint64_t room_of(const struct given *given) {
    return given->placed || given->capacity < given->n ? given->capacity
                                                       : given->n;
}

/* What the call should have counted and written. */
static void given_close(struct given *given, uint64_t count, uint64_t written) {
    uint64_t *const numbers = (uint64_t *)(void *)given->numbers.values;

    numbers[0] = count;
    if (given->placed)
        numbers[1] += written;
    if (given->d_workspace != NULL)
        backend_free(given->numbers.backend, given->d_workspace);
    array_close(&given->numbers, "numbers");
}

/* The oracle: pack what is kept of one array; returns what was written. */
static uint64_t expect(const struct given *given, const uint8_t *keep,
                       const unsigned char *in, struct array *out,
                       size_t bytes) {
    const uint64_t room = room_of(given);
    uint64_t at = given->position;

    for (uint64_t i = 0; i < given->there; i++)
        if (keep[i] && at < room)
            memmove(out->values + at++ * bytes, in + i * bytes, bytes);
    return at - given->position;
}

static uint64_t count_of(const struct given *given, const uint8_t *keep) {
    return selected_number(keep, given->there);
}

/* ------------------------------------------------------------ copy_flagged */

static void run_flagged(const struct backend *backend, uint64_t n, size_t bytes,
                        const char *density, uint64_t seed) {
    const bool bits = draw(seed, 20, 2) == 0;
    const uint64_t offset = draw(seed, 21, 40);
    uint8_t *const keep = must_alloc(n + 1);
    struct array mask, in, out;
    struct given given;
    uint64_t written;
    size_t workspace;

    selected_fill(pattern_named(density), seed, n, keep);
    cr_assert_eq(
        winnow_copy_flagged_workspace(backend->context, n, bytes, &workspace),
        WINNOW_OK, "%s", winnow_last_error());
    given_open(&given, backend, n, seed, workspace);
    array_open(&mask, backend, offset + n, 0);
    for (uint64_t i = 0; i < n; i++)
        if (!bits)
            mask.values[offset + i] = keep[i];
        else if (keep[i])
            mask.values[(offset + i) / 8] |=
                (unsigned char)(1u << (offset + i) % 8);
        else
            mask.values[(offset + i) / 8] &=
                (unsigned char)~(1u << (offset + i) % 8);
    array_upload(&mask);
    array_open(&in, backend, n * bytes, draw(seed, 22, 16));
    array_fill(&in, n * bytes, seed);
    array_open(&out, backend, n * bytes, draw(seed, 23, 16));
    array_upload(&out);
    cr_assert_eq(winnow_copy_flagged(
                     backend->context,
                     bits ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES, mask.d,
                     offset, in.d, n, bytes, given.in_place ? in.d : out.d,
                     given.capacity, given.d_position, given.d_count, given.d_n,
                     given.d_workspace, given.workspace_bytes, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    written =
        expect(&given, keep, in.values, given.in_place ? &in : &out, bytes);
    given_close(&given, count_of(&given, keep), written);
    array_close(&mask, "the mask");
    array_close(&in, "the input");
    array_close(&out, "the output");
    free(keep);
}

BACKEND_TEST(one_shot, flagged) {
    static const size_t sizes[] = {1, 4, 8, 2, 12, 100};

    for (size_t e = 0; e < EDGES; e++)
        for (size_t d = 0; d < DENSITIES; d++)
            run_flagged(backend, edges[e], sizes[(e + d) % 6], densities[d],
                        2000 + 10 * e + d);
}

/* --------------------------------------------------------- copy_records_if */

static void run_records(const struct backend *backend, uint64_t n, size_t bytes,
                        winnow_type type, size_t field, uint64_t seed) {
    const struct rule rule = rules_plain(type);
    uint8_t *const keep = must_alloc(n + 1);
    winnow_predicate *predicate;
    struct array in, out;
    struct given given;
    uint64_t written;
    size_t workspace;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    cr_assert_eq(winnow_copy_records_if_workspace(backend->context, n, bytes,
                                                  &workspace),
                 WINNOW_OK, "%s", winnow_last_error());
    given_open(&given, backend, n, seed, workspace);
    array_open(&in, backend, n * bytes, draw(seed, 22, 3) * 8);
    array_fill(&in, n * bytes, seed);
    array_open(&out, backend, n * bytes, draw(seed, 23, 16));
    array_upload(&out);
    for (uint64_t i = 0; i < n; i++) {
        unsigned char element[8]; /* aligned as any type */

        memcpy(element, in.values + i * bytes + field, element_size(type));
        keep[i] = oracle_keeps(&rule, element_load(type, element));
    }
    cr_assert_eq(winnow_copy_records_if(
                     backend->context, predicate, field, in.d, n, bytes,
                     given.in_place ? in.d : out.d, given.capacity,
                     given.d_position, given.d_count, given.d_n,
                     given.d_workspace, given.workspace_bytes, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    written =
        expect(&given, keep, in.values, given.in_place ? &in : &out, bytes);
    given_close(&given, count_of(&given, keep), written);
    array_close(&in, "the input");
    array_close(&out, "the output");
    winnow_predicate_destroy(predicate);
    free(keep);
}

BACKEND_TEST(one_shot, records) {
    static const size_t sizes[] = {4, 16, 24, 32, 7, 128, 1, 1000};
    const size_t number = reduced_mode() ? EDGES - 1 : EDGES;

    for (size_t e = 0; e < number; e++)
        for (int type = 0; type < ELEMENT_TYPES; type++) {
            const uint64_t seed = 2200 + (uint64_t)(100 * e) + (uint64_t)type;
            const size_t bytes = sizes[(e + (size_t)type) % 8];
            const size_t size = element_size((winnow_type)type);
            const uint64_t n = bytes == 1000 && edges[e] > 999 ? 999 : edges[e];

            if (size <= bytes)
                run_records(backend, n, bytes, (winnow_type)type,
                            draw(seed, 24, bytes - size + 1), seed);
        }
}

/* --------------------------------------------------------- copy_columns_if */

/* The key may be the first of the columns, in place or not. */
static void run_columns(const struct backend *backend, uint64_t n,
                        uint64_t seed) {
    static const size_t sizes[] = {4, 8, 1, 20};
    const bool key_among = draw(seed, 30, 2) == 0;
    const struct rule rule = rules_plain(WINNOW_INT32);
    uint8_t *const keep = must_alloc(n + 1);
    winnow_compact_column columns[4];
    winnow_predicate *predicate;
    struct array key, in[4], out[4];
    struct given given;
    uint64_t written = 0;
    size_t workspace;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    array_open(&key, backend, n * 4, 0);
    array_fill(&key, n * 4, seed + 50);
    /* As much workspace as the most that are in place need. */
    for (unsigned c = 0; c < 4; c++)
        columns[c] = (winnow_compact_column){.element_bytes = sizes[c]};
    cr_assert_eq(winnow_copy_columns_if_workspace(backend->context, n, columns,
                                                  4, &workspace),
                 WINNOW_OK, "%s", winnow_last_error());
    given_open(&given, backend, n, seed, workspace);
    for (unsigned c = 0; c < 4; c++) {
        array_open(&in[c], backend, n * sizes[c], 4 * draw(seed, 31, 4));
        array_fill(&in[c], n * sizes[c], seed + c);
        array_open(&out[c], backend, n * sizes[c], 4 * draw(seed, 32, 4));
        array_upload(&out[c]);
        columns[c].d_in = in[c].d;
        columns[c].d_out = given.in_place && c % 2 == 0 ? in[c].d : out[c].d;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, (key_among ? in[0].values : key.values) + 4 * i, 4);
        keep[i] = oracle_keeps(&rule, bits);
    }
    cr_assert_eq(winnow_copy_columns_if(
                     backend->context, predicate, key_among ? in[0].d : key.d,
                     n, columns, 4, given.capacity, given.d_position,
                     given.d_count, given.d_n, given.d_workspace,
                     given.workspace_bytes, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    for (unsigned c = 0; c < 4; c++) {
        written =
            expect(&given, keep, in[c].values,
                   given.in_place && c % 2 == 0 ? &in[c] : &out[c], sizes[c]);
        array_close(&in[c], "a column");
        array_close(&out[c], "the output of a column");
    }
    given_close(&given, count_of(&given, keep), written);
    array_close(&key, "the key");
    winnow_predicate_destroy(predicate);
    free(keep);
}

BACKEND_TEST(one_shot, columns) {
    for (size_t e = 0; e < EDGES; e++)
        for (unsigned i = 0; i < 5; i++)
            run_columns(backend, edges[e], 3100 + 10 * e + i);
}

/* ------------------------------------------------------------ partition_if */

static void run_partition(const struct backend *backend, uint64_t n,
                          winnow_type type, const struct pattern *pattern,
                          uint64_t seed) {
    const struct rule rule = rules_plain(type);
    const size_t size = element_size(type);
    const bool one_array = draw(seed, 40, 2) == 0;
    winnow_predicate *predicate;
    struct array in, out, rejected;
    struct given given;
    uint64_t kept = 0, others = 0;
    size_t workspace;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    cr_assert_eq(winnow_partition_if_workspace(backend->context, n, &workspace),
                 WINNOW_OK, "%s", winnow_last_error());
    given_open(&given, backend, n, seed, workspace);
    given.placed = false;
    array_open(&in, backend, n * size, draw(seed, 41, 4) * size % 16);
    data_fill(&rule, pattern, seed, n, in.values);
    array_upload(&in);
    array_open(&out, backend, n * size, draw(seed, 42, 4) * size % 16);
    array_upload(&out);
    array_open(&rejected, backend, n * size, draw(seed, 43, 4) * size % 16);
    array_upload(&rejected);
    cr_assert_eq(winnow_partition_if(
                     backend->context, predicate, in.d, n, out.d,
                     one_array ? NULL : rejected.d, given.d_count, given.d_n,
                     given.d_workspace, given.workspace_bytes, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < given.there; i++) {
            const unsigned char *const from = in.values + i * size;
            const bool keeps = oracle_keeps(&rule, element_load(type, from));

            if (round == 0 && keeps)
                memcpy(out.values + kept++ * size, from, size);
            else if (round == 1 && !keeps && one_array)
                memcpy(out.values + (kept + others++) * size, from, size);
            else if (round == 1 && !keeps)
                memcpy(rejected.values + others++ * size, from, size);
        }
    given_close(&given, kept, 0);
    array_close(&in, "the input");
    array_close(&out, "the output");
    array_close(&rejected, "the rejects");
    winnow_predicate_destroy(predicate);
}

BACKEND_TEST(one_shot, partition) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_FLOAT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};

    for (size_t e = 0; e < EDGES; e++)
        for (size_t p = 0; p < PATTERNS; p++)
            run_partition(backend, edges[e], types[(e + p) % 4], &patterns[p],
                          4000 + 20 * e + p);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(one_shot, wrong_arguments) {
    uint32_t in[8] = {1, 2, 3, 4}, out[8] = {0}, out2[8] = {0};
    const uint32_t zero = 0;
    uint8_t mask[8] = {1, 1};
    uint64_t count = 77, position = 0;
    winnow_compact_column column = {in, out, 4};
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero),
        WINNOW_OK);
#define FLAGGED(mask, d_mask, d_in, bytes, d_out, capacity, d_position)        \
    winnow_copy_flagged(context, mask, d_mask, 0, d_in, 4, bytes, d_out,       \
                        capacity, d_position, &count, NULL, NULL, 0, NULL)
    WRONG(FLAGGED((winnow_mask)2, mask, in, 4, out, 4, NULL),
          "mask 2 is no winnow_mask");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, NULL, in, 4, out, 4, NULL),
          "d_mask is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, mask, NULL, 4, out, 4, NULL),
          "d_in is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, mask, in, 4097, out, 4, NULL),
          "element_bytes is 4097: wanted 1 to 4096");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, mask, in, 4, in + 1, 4, NULL),
          "d_in and d_out overlap");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, out, in, 4, out, 4, NULL),
          "d_mask and d_out overlap");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, mask, in, 4, in, 4, &position),
          "d_out is d_in: in place d_position has to be NULL");
    WRONG(winnow_copy_flagged_workspace(context, 4, 4, NULL),
          "bytes_p is NULL");
#define RECORDS(predicate, field, bytes, d_out)                                \
    winnow_copy_records_if(context, predicate, field, in, 4, bytes, d_out, 4,  \
                           NULL, &count, NULL, NULL, 0, NULL)
    WRONG(RECORDS(NULL, 0, 4, out), "predicate is NULL");
    WRONG(RECORDS(predicate, 1, 4, out),
          "field_offset is 1: a uint32 there ends behind the record, which has "
          "4 bytes");
    WRONG(RECORDS(predicate, SIZE_MAX, 8, out),
          "field_offset is 18446744073709551615: a uint32 there ends behind "
          "the record, which has 8 bytes");
    WRONG(RECORDS(predicate, 0, 0, out),
          "element_bytes is 0: wanted 1 to 4096");
#define COLUMNS(predicate, d_key, number)                                      \
    winnow_copy_columns_if(context, predicate, d_key, 4, &column, number, 4,   \
                           NULL, &count, NULL, NULL, 0, NULL)
    WRONG(COLUMNS(NULL, in, 1), "predicate is NULL");
    WRONG(COLUMNS(predicate, NULL, 1), "d_key is NULL");
    WRONG(COLUMNS(predicate, in, 0), "number is 0: wanted 1 to 64 columns");
    WRONG(COLUMNS(predicate, out, 1), "d_key and columns[0].d_out overlap");
    column.d_in = column.d_out = in;
    WRONG(COLUMNS(predicate, in + 1, 1), "d_key and columns[0].d_out overlap");
#define PARTITION(predicate, d_in, d_out, d_rejected)                          \
    winnow_partition_if(context, predicate, d_in, 4, d_out, d_rejected,        \
                        &count, NULL, NULL, 0, NULL)
    WRONG(PARTITION(NULL, in, out, out2), "predicate is NULL");
    WRONG(PARTITION(predicate, in, NULL, out2), "d_out is NULL");
    WRONG(PARTITION(predicate, in, out, out + 3),
          "d_out and d_rejected overlap");
    WRONG(PARTITION(predicate, in, in, NULL), "d_in and d_out overlap");
    WRONG(winnow_partition_if_workspace(context, 4, NULL), "bytes_p is NULL");
    WRONG(winnow_partition_if(context, predicate, in, 4, out, NULL, &count,
                              &count, NULL, 0, NULL),
          "d_count and d_n overlap");
    cr_assert_eq(winnow_partition_if_workspace(context, (UINT64_C(1) << 42) + 1,
                                               (size_t *)&position),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_eq(count, 77u);
    cr_assert_eq(position, 0u);
    cr_assert_eq(out[0], 0u);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

/* The caller's workspace has to be large enough. */
#ifdef WINNOW_CUDA
GPU_TEST(one_shot, small_workspace) {
    unsigned char *const d = backend_alloc(backend, 4096);
    size_t bytes;

    cr_assert_eq(
        winnow_copy_flagged_workspace(backend->context, 100, 4, &bytes),
        WINNOW_OK);
    cr_assert_eq(winnow_copy_flagged(backend->context, WINNOW_MASK_BYTES, d, 0,
                                     d + 512, 100, 4, d + 1024, 100, NULL, NULL,
                                     NULL, d + 2048, 16, backend->stream),
                 WINNOW_ERR_WORKSPACE);
    cr_assert_leq(bytes, 2048u);
    cr_assert_eq(winnow_copy_flagged(backend->context, WINNOW_MASK_BYTES, d, 0,
                                     d + 512, 100, 4, d + 1024, 100, NULL, NULL,
                                     NULL, d + 2048, bytes, backend->stream),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_free(backend, d);
}
#endif
