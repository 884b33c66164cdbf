/*
 * A selection and its use in one call: winnow_copy_flagged,
 * winnow_copy_columns_if and winnow_partition_if, against loops over the input.
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
    struct array numbers; /* two counts, the position, the number of items */
    uint64_t *d_count;
    winnow_launch launch;
    winnow_plan plan;
    bool asks; /* the workspace is the caller's */
};

static uint64_t draw(uint64_t seed, uint64_t which, uint64_t below) {
    return data_random(seed, which) % below;
}

/* is_packed: there is one packed length, and so may be a position, and one
 * count, whose word may be that of the number of items. */
static void given_open(struct given *given, const struct backend *backend,
                       uint64_t n, uint64_t seed, bool is_packed) {
    const bool same_word = is_packed && draw(seed, 9, 2) == 0;
    uint64_t numbers[4] = {77, 78, 0, 0};

    *given = (struct given){
        .n = n,
        .there = n,
        .capacity = WINNOW_NO_LIMIT,
        .placed = is_packed && draw(seed, 1, 3) == 0,
        .has_number = draw(seed, 2, 3) == 0,
        .launch = {.size = sizeof(winnow_launch), .stream = backend->stream},
        .plan = {.size = sizeof(winnow_plan)},
        .asks = draw(seed, 8, 2) == 0};
    given->in_place = !given->placed && draw(seed, 3, 2) == 0;
    if (given->placed || draw(seed, 4, 3) == 0)
        given->capacity = draw(seed, 5, n + 1);
    if (given->placed)
        given->position = draw(seed, 6, given->capacity + 2);
    if (given->has_number)
        given->there = draw(seed, 7, n + n / 4 + 1);
    numbers[2] = given->position;
    numbers[same_word && given->has_number ? 0 : 3] = given->there;
    array_open(&given->numbers, backend, sizeof(numbers), 0);
    memcpy(given->numbers.values, numbers, sizeof(numbers));
    array_upload(&given->numbers);
    given->d_count = (uint64_t *)(void *)given->numbers.d;
    if (given->placed)
        given->launch.d_position = given->d_count + 2;
    if (given->has_number)
        given->launch.d_n = given->d_count + (same_word ? 0 : 3);
    if (given->there > n)
        given->there = n;
}

/* The call's launch: first for its plan, then for itself. */
static const winnow_launch *given_first(struct given *given) {
    given->launch.plan = &given->plan;
    return &given->launch;
}

static const winnow_launch *given_next(struct given *given) {
    const size_t bytes = given->plan.workspace_bytes;

    if (given->launch.plan == NULL)
        return NULL;
    given->launch.plan = NULL;
    if (given->asks) {
        given->launch.workspace_bytes = bytes;
        given->launch.d_workspace =
            backend_alloc(given->numbers.backend, bytes + 16);
    }
    return &given->launch;
}

/* The call, which uses `launch`. */
#define RUN(given, call)                                                       \
    for (const winnow_launch *launch = given_first(given); launch != NULL;     \
         launch = given_next(given))                                           \
        cr_assert_eq((call), WINNOW_OK, "%s", winnow_last_error());            \
    cr_assert_null(backend_wait((given)->numbers.backend))

static uint64_t room_of(const struct given *given) {
    return given->placed || given->capacity < given->n ? given->capacity
                                                       : given->n;
}

/* What the call should have counted and written. */
static void given_close(struct given *given, uint64_t count, uint64_t written) {
    uint64_t *const numbers = (uint64_t *)(void *)given->numbers.values;

    numbers[0] = count;
    if (given->placed)
        numbers[2] += written;
    if (given->launch.d_workspace != NULL)
        backend_free(given->numbers.backend, given->launch.d_workspace);
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
    struct array flags, in, out;
    struct given given;
    winnow_mask mask;
    winnow_move move;
    uint64_t written;

    selected_fill(pattern_named(density), seed, n, keep);
    given_open(&given, backend, n, seed, true);
    array_open(&flags, backend, offset + n, 0);
    for (uint64_t i = 0; i < n; i++)
        if (!bits)
            flags.values[offset + i] = keep[i];
        else if (keep[i])
            flags.values[(offset + i) / 8] |=
                (unsigned char)(1u << (offset + i) % 8);
        else
            flags.values[(offset + i) / 8] &=
                (unsigned char)~(1u << (offset + i) % 8);
    array_upload(&flags);
    array_open(&in, backend, n * bytes, draw(seed, 22, 16));
    array_fill(&in, n * bytes, seed);
    array_open(&out, backend, n * bytes, draw(seed, 23, 16));
    array_upload(&out);
    mask = (winnow_mask){bits ? WINNOW_MASK_BITS : WINNOW_MASK_BYTES, flags.d,
                         offset};
    move = (winnow_move){.d_in = in.d,
                         .d_out = given.in_place ? in.d : out.d,
                         .element_bytes = bytes};
    RUN(&given, winnow_copy_flagged(backend->context, &mask, n, &move, 1,
                                    given.capacity, given.d_count, launch));
    written =
        expect(&given, keep, in.values, given.in_place ? &in : &out, bytes);
    given_close(&given, count_of(&given, keep), written);
    array_close(&flags, "the mask");
    array_close(&in, "the input");
    array_close(&out, "the output");
    free(keep);
}

BACKEND_TEST(one_call, flagged) {
    static const size_t sizes[] = {1, 4, 8, 2, 12, 100};

    for (size_t e = 0; e < EDGES; e++)
        for (size_t d = 0; d < DENSITIES; d++)
            run_flagged(backend, edges[e], sizes[(e + d) % 6], densities[d],
                        2000 + 10 * e + d);
}

/* ---------------------------------- copy_columns_if, copy_where, of records */

static void run_records(const struct backend *backend, uint64_t n, size_t bytes,
                        winnow_type type, size_t field, uint64_t seed) {
    const struct rule rule = rules_plain(type);
    uint8_t *const keep = must_alloc(n + 1);
    const bool by_condition = draw(seed, 25, 2) == 0;
    winnow_condition *condition;
    winnow_predicate *predicate;
    struct array in, out;
    struct given given;
    winnow_move move;
    winnow_in key;
    uint64_t written;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    given_open(&given, backend, n, seed, true);
    array_open(&in, backend, n * bytes, draw(seed, 22, 3) * 8);
    array_fill(&in, n * bytes, seed);
    array_open(&out, backend, n * bytes, draw(seed, 23, 16));
    array_upload(&out);
    for (uint64_t i = 0; i < n; i++) {
        unsigned char element[8]; /* aligned as any type */

        memcpy(element, in.values + i * bytes + field, element_size(type));
        keep[i] = oracle_keeps(&rule, element_load(type, element));
    }
    key = (winnow_in){
        .type = type, .d_base = in.d + field, .stride_bytes = (int64_t)bytes};
    move = (winnow_move){.d_in = in.d,
                         .d_out = given.in_place ? in.d : out.d,
                         .element_bytes = bytes};
    if (by_condition) {
        cr_assert_eq(winnow_condition_test(&condition, 0, predicate),
                     WINNOW_OK);
        RUN(&given,
            winnow_copy_where(backend->context, condition, &key, 1, n, &move, 1,
                              given.capacity, given.d_count, launch));
        winnow_condition_destroy(condition);
    } else {
        RUN(&given,
            winnow_copy_columns_if(backend->context, predicate, &key, n, &move,
                                   1, given.capacity, given.d_count, launch));
    }
    written =
        expect(&given, keep, in.values, given.in_place ? &in : &out, bytes);
    given_close(&given, count_of(&given, keep), written);
    array_close(&in, "the input");
    array_close(&out, "the output");
    winnow_predicate_destroy(predicate);
    free(keep);
}

BACKEND_TEST(one_call, records) {
    static const size_t sizes[] = {4, 16, 24, 32, 7, 128, 1, 1000};
    const size_t number = reduced_mode() ? EDGES - 1 : EDGES;

    for (size_t e = 0; e < number; e++)
        FOR_EACH_TYPE(type) {
            const uint64_t seed = 2200 + (uint64_t)(100 * e) + (uint64_t)type;
            const size_t bytes = sizes[(e + (size_t)type) % 8];
            const size_t size = element_size(type);
            const uint64_t n = bytes == 1000 && edges[e] > 999 ? 999 : edges[e];

            if (size <= bytes)
                run_records(backend, n, bytes, type,
                            draw(seed, 24, bytes - size + 1), seed);
        }
}

/* Records that are the key, which is packed as it is tested. */
BACKEND_TEST(one_call, key_alone) {
    const unsigned trials = backend->gpu ? 1 : 12;

    for (size_t e = 0; e < EDGES; e++)
        FOR_EACH_TYPE(type) {
            const uint64_t seed = 52000 + 300 * (uint64_t)e + (uint64_t)type;

            for (unsigned t = 0; t < trials; t++)
                run_records(backend, edges[e], element_size(type), type, 0,
                            seed + 20 * t);
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
    winnow_move moves[4];
    winnow_predicate *predicate;
    struct array keys, in[4], out[4];
    struct given given;
    winnow_in key;
    uint64_t written = 0;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    array_open(&keys, backend, n * 4, 0);
    array_fill(&keys, n * 4, seed + 50);
    given_open(&given, backend, n, seed, true);
    for (unsigned c = 0; c < 4; c++) {
        array_open(&in[c], backend, n * sizes[c], 4 * draw(seed, 31, 4));
        array_fill(&in[c], n * sizes[c], seed + c);
        array_open(&out[c], backend, n * sizes[c], 4 * draw(seed, 32, 4));
        array_upload(&out[c]);
        moves[c] = (winnow_move){
            .d_in = in[c].d,
            .d_out = given.in_place && c % 2 == 0 ? in[c].d : out[c].d,
            .element_bytes = sizes[c]};
    }
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, (key_among ? in[0].values : keys.values) + 4 * i, 4);
        keep[i] = oracle_keeps(&rule, bits);
    }
    key = (winnow_in){.type = WINNOW_INT32,
                      .d_base = key_among ? in[0].d : keys.d};
    RUN(&given,
        winnow_copy_columns_if(backend->context, predicate, &key, n, moves, 4,
                               given.capacity, given.d_count, launch));
    for (unsigned c = 0; c < 4; c++) {
        written =
            expect(&given, keep, in[c].values,
                   given.in_place && c % 2 == 0 ? &in[c] : &out[c], sizes[c]);
        array_close(&in[c], "a column");
        array_close(&out[c], "the output of a column");
    }
    given_close(&given, count_of(&given, keep), written);
    array_close(&keys, "the key");
    winnow_predicate_destroy(predicate);
    free(keep);
}

BACKEND_TEST(one_call, columns) {
    for (size_t e = 0; e < EDGES; e++)
        for (unsigned i = 0; i < 5; i++)
            run_columns(backend, edges[e], 3100 + 10 * e + i);
}

/* Keys any number of bytes apart, also backwards, that may lie in a column
 * which is packed in place. */
static void run_strided(const struct backend *backend, uint64_t n,
                        winnow_type type, uint64_t seed) {
    const struct rule rule = rules_plain(type);
    const size_t size = element_size(type);
    const size_t bytes = 2 * size + draw(seed, 50, 20);
    const bool backwards = draw(seed, 51, 2) == 0;
    const bool inside = draw(seed, 52, 2) == 0;
    const size_t field = draw(seed, 53, bytes - size + 1);
    uint8_t *const keep = must_alloc(n + 1);
    winnow_predicate *predicate;
    struct array keys, in, out;
    winnow_move moves[2];
    struct given given;
    winnow_in key;
    uint64_t written;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    given_open(&given, backend, n, seed, true);
    array_open(&keys, backend, n * bytes, draw(seed, 54, 16));
    array_fill(&keys, n * bytes, seed + 1);
    array_open(&in, backend, n * 8, 0);
    array_fill(&in, n * 8, seed + 2);
    array_open(&out, backend, n * 8, 8);
    array_upload(&out);
    for (uint64_t i = 0; i < n; i++) {
        unsigned char element[8]; /* aligned as any type */
        const uint64_t place = backwards ? n - 1 - i : i;

        memcpy(element, keys.values + place * bytes + field, size);
        keep[i] = oracle_keeps(&rule, element_load(type, element));
    }
    key = (winnow_in){
        .type = type,
        .d_base = keys.d + field + (backwards && n != 0 ? (n - 1) * bytes : 0),
        .stride_bytes = backwards ? -(int64_t)bytes : (int64_t)bytes};
    moves[0] = (winnow_move){.d_in = in.d,
                             .d_out = given.in_place ? in.d : out.d,
                             .element_bytes = 8};
    /* Where the keys are, as an array of their own. */
    moves[1] =
        (winnow_move){.d_in = keys.d, .d_out = keys.d, .element_bytes = bytes};
    RUN(&given, winnow_copy_columns_if(backend->context, predicate, &key, n,
                                       moves, inside && given.in_place ? 2 : 1,
                                       given.capacity, given.d_count, launch));
    if (inside && given.in_place)
        expect(&given, keep, keys.values, &keys, bytes);
    written = expect(&given, keep, in.values, given.in_place ? &in : &out, 8);
    given_close(&given, count_of(&given, keep), written);
    array_close(&keys, "the key");
    array_close(&in, "a column");
    array_close(&out, "its output");
    winnow_predicate_destroy(predicate);
    free(keep);
}

BACKEND_TEST(one_call, strided) {
    for (size_t e = 0; e < EDGES; e++)
        FOR_EACH_TYPE(type)
    run_strided(backend, edges[e], type,
                3500 + (uint64_t)(20 * e) + (uint64_t)type);
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

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    given_open(&given, backend, n, seed, false);
    array_open(&in, backend, n * size, draw(seed, 41, 4) * size % 16);
    data_fill(&rule, pattern, seed, n, in.values);
    array_upload(&in);
    array_open(&out, backend, n * size, draw(seed, 42, 4) * size % 16);
    array_upload(&out);
    array_open(&rejected, backend, n * size, draw(seed, 43, 4) * size % 16);
    array_upload(&rejected);
    RUN(&given, winnow_partition_if(backend->context, predicate, type, in.d, n,
                                    out.d, one_array ? NULL : rejected.d,
                                    given.d_count, launch));
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
    ((uint64_t *)(void *)given.numbers.values)[1] = others;
    given_close(&given, kept, 0);
    array_close(&in, "the input");
    array_close(&out, "the output");
    array_close(&rejected, "the rejects");
    winnow_predicate_destroy(predicate);
}

BACKEND_TEST(one_call, partition) {
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

#define REFUSED(call, text)                                                    \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_UNSUPPORTED);                          \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(one_call, wrong_arguments) {
    uint32_t in[8] = {1, 2, 3, 4}, out[8] = {0}, out2[8] = {0};
    const uint32_t zero = 0;
    uint8_t flags[8] = {1, 1};
    uint64_t counts[3] = {77, 77, 77}, position = 0;
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero),
        WINNOW_OK);
#define MOVE(in_, bytes, out_)                                                 \
    (&(winnow_move){.d_in = in_, .d_out = out_, .element_bytes = bytes})
#define FLAGGED(kind, d_flags, d_in, bytes, d_out, d_position_)                \
    winnow_copy_flagged(context, &(winnow_mask){kind, d_flags, 0}, 4,          \
                        MOVE(d_in, bytes, d_out), 1, 4, counts,                \
                        WINNOW_LAUNCH(.d_position = d_position_))
    WRONG(winnow_copy_flagged(context, NULL, 4, MOVE(in, 4, out), 1, 4, counts,
                              NULL),
          "mask is NULL");
    WRONG(FLAGGED((winnow_mask_kind)2, flags, in, 4, out, NULL),
          "mask->kind 2 is no winnow_mask_kind");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, NULL, in, 4, out, NULL),
          "mask->d_flags is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, NULL, 4, out, NULL),
          "moves[0].d_in is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, in, 4, NULL, NULL),
          "moves[0].d_out is NULL");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, in, 4097, out, NULL),
          "moves[0].element_bytes is 4097: wanted 1 to 4096");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, in, 4, in + 1, NULL),
          "moves[0].d_in and moves[0].d_out overlap");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, out, in, 4, out, NULL),
          "mask->d_flags and moves[0].d_out overlap");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, in, in, 1, in, NULL),
          "mask->d_flags and moves[0].d_out overlap");
    WRONG(FLAGGED(WINNOW_MASK_BYTES, flags, in, 4, in, &position),
          "moves[0].d_out is moves[0].d_in: in place launch->d_position has to "
          "be NULL");
#define COLUMNS(predicate, key, move, number)                                  \
    winnow_copy_columns_if(context, predicate, key, 4, move, number, 4,        \
                           counts, NULL)
#define KEY(key_type, base, stride)                                            \
    (&(winnow_in){.type = key_type, .d_base = base, .stride_bytes = stride})
    WRONG(COLUMNS(NULL, KEY(WINNOW_UINT32, in, 0), MOVE(in, 4, out), 1),
          "predicate is NULL");
    WRONG(COLUMNS(predicate, NULL, MOVE(in, 4, out), 1), "key is NULL");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, NULL, 0), MOVE(in, 4, out), 1),
          "key->d_base is NULL");
    WRONG(COLUMNS(predicate, KEY(WINNOW_INT32, in, 0), MOVE(in, 4, out), 1),
          "key->type is int32, and the predicate is of uint32");
    WRONG(COLUMNS(predicate, KEY((winnow_type)99, in, 0), MOVE(in, 4, out), 1),
          "key->type 99 is no winnow_type");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in, 0), NULL, 1),
          "moves is NULL");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in, 0), MOVE(in, 4, out), 0),
          "move_count is 0: wanted 1 to 64 columns");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in, 0), MOVE(in, 4, out), 65),
          "move_count is 65: wanted 1 to 64 columns");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, out, 0), MOVE(in, 4, out), 1),
          "key->d_base and moves[0].d_out overlap");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in + 1, 0), MOVE(in, 4, in), 1),
          "key->d_base and moves[0].d_out overlap");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in, 8), MOVE(in, 4, in), 1),
          "key->d_base and moves[0].d_out overlap");
    WRONG(COLUMNS(predicate, KEY(WINNOW_UINT32, in, INT64_MAX),
                  MOVE(in, 4, out), 1),
          "key: n is 4: elements 9223372036854775807 bytes apart run past the "
          "end of the address space");
    cr_assert_eq(COLUMNS(predicate, KEY(WINNOW_UINT32, (char *)in + 1, 0),
                         MOVE(in, 4, out), 1),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "is misaligned"));
    WRONG(COLUMNS(predicate,
                  (&(winnow_in){
                      .type = WINNOW_UINT32, .d_base = in, .reserved = {0, 1}}),
                  MOVE(in, 4, out), 1),
          "key->reserved is not 0");
    REFUSED(COLUMNS(predicate,
                    (&(winnow_in){
                        .type = WINNOW_UINT32, .d_base = in, .d_valid = flags}),
                    MOVE(in, 4, out), 1),
            "key->d_valid is set: this call takes no nulls; "
            "winnow_copy_where(), winnow_reduce_where() and "
            "winnow_accumulate_where() do, by conditions such as x is not "
            "null");
#define PARTITION(predicate, type, d_in, d_out, d_rejected, launch)            \
    winnow_partition_if(context, predicate, type, d_in, 4, d_out, d_rejected,  \
                        counts, launch)
    WRONG(PARTITION(NULL, WINNOW_UINT32, in, out, out2, NULL),
          "predicate is NULL");
    WRONG(PARTITION(predicate, WINNOW_FLOAT32, in, out, out2, NULL),
          "type is float32, and the predicate is of uint32");
    WRONG(PARTITION(predicate, WINNOW_UINT32, in, NULL, out2, NULL),
          "d_out is NULL");
    WRONG(PARTITION(predicate, WINNOW_UINT32, in, out, out + 3, NULL),
          "d_out and d_rejected overlap");
    WRONG(PARTITION(predicate, WINNOW_UINT32, in, in, NULL, NULL),
          "d_in and d_out overlap");
    for (int i = 0; i < 2; i++)
        WRONG(PARTITION(predicate, WINNOW_UINT32, in, out, NULL,
                        WINNOW_LAUNCH(.d_n = counts + i)),
              "d_counts and launch->d_n overlap");
    REFUSED(PARTITION(predicate, WINNOW_UINT32, in, out, out2,
                      WINNOW_LAUNCH(.d_position = &position)),
            "launch->d_position is set, and winnow_partition_if always writes "
            "from the beginning of its outputs");
    cr_assert_eq(winnow_partition_if(context, predicate, WINNOW_UINT32, in,
                                     (UINT64_C(1) << 42) + 1, out, NULL, NULL,
                                     NULL),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert(counts[0] == 77 && counts[1] == 77);
    cr_assert_eq(position, 0u);
    cr_assert_eq(out[0], 0u);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

/* The caller's workspace has to be large enough. On the host, small calls need
 * none. */
BACKEND_TEST(one_call, small_workspace) {
    enum {
        N = 100000
    };
    unsigned char *const d = backend_alloc(backend, 3 * N);
    unsigned char *const d_workspace = backend_alloc(backend, N);
    const winnow_mask mask = {WINNOW_MASK_BYTES, NULL, 0},
                      flags = {WINNOW_MASK_BYTES, d, 0};
    winnow_plan plan = {.size = sizeof(plan)};
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = backend->stream,
                            .d_workspace = d_workspace};

    cr_assert_eq(winnow_copy_flagged(backend->context, &mask, N,
                                     MOVE(NULL, 1, NULL), 1, N, NULL,
                                     WINNOW_LAUNCH(.plan = &plan)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert(plan.workspace_bytes > N / 8 && plan.workspace_bytes < N);
    launch.workspace_bytes = plan.workspace_bytes - 1;
    cr_assert_eq(winnow_copy_flagged(backend->context, &flags, N,
                                     MOVE(d + N, 1, d + 2 * N), 1, N, NULL,
                                     &launch),
                 WINNOW_ERR_WORKSPACE);
    launch.workspace_bytes++;
    cr_assert_eq(winnow_copy_flagged(backend->context, &flags, N,
                                     MOVE(d + N, 1, d + 2 * N), 1, N, NULL,
                                     &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_free(backend, d);
    backend_free(backend, d_workspace);
}
