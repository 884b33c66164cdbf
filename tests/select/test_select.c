/*
 * The sources of selections: winnow_select_if.
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

/* Around words, vectors, tiles, and the tiles of a block. */
static const uint64_t edges[] = {0,     1,     2,     15,    16,    17,   31,
                                 32,    33,    127,   128,   129,   1000, 4079,
                                 4095,  4096,  4097,  8191,  8192,  8193, 12289,
                                 32767, 32768, 32769, 70001, 300007};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* Of them, as many as there is time for. */
static size_t edges_here(void) {
    return reduced_mode() ? EDGES - 2 : EDGES;
}

/* A column on the backend, and what the oracle keeps of it. */
struct column {
    const struct backend *backend;
    struct rule rule;
    winnow_predicate *predicate;
    size_t size;
    struct region memory; /* the column, at its end, and nothing behind it */
    unsigned char *values;
    uint8_t *keep;
};

static void column_open(struct column *column, const struct backend *backend,
                        const struct rule *rule, uint64_t most) {
    const size_t size = element_size(rule->type);

    *column = (struct column){.backend = backend, .rule = *rule, .size = size};
    cr_assert_eq(rule_create(rule, &column->predicate), WINNOW_OK);
    region_open(&column->memory, backend, most * size + 32);
    column->values = must_alloc(most * size);
    column->keep = must_alloc(most);
}

static void column_close(struct column *column) {
    winnow_predicate_destroy(column->predicate);
    region_close(&column->memory);
    free(column->values);
    free(column->keep);
}

/* n elements, `offset` of them off their alignment to 16 bytes. */
static void column_run(struct column *column, struct selected *selected,
                       const struct pattern *pattern, uint64_t seed, uint64_t n,
                       unsigned offset) {
    const struct backend *const backend = column->backend;
    const size_t front = offset * column->size % 32;

    data_fill(&column->rule, pattern, seed, n, column->values);
    for (uint64_t i = 0; i < n; i++)
        column->keep[i] = oracle_keeps(
            &column->rule,
            element_load(column->rule.type, column->values + i * column->size));
    region_poison(&column->memory, column->memory.bytes);
    region_write(&column->memory, front, column->values, n * column->size);
    selected_prepare(selected, n);
    cr_assert_eq(winnow_select_if(
                     backend->context, column->predicate, column->rule.type,
                     column->memory.base + front, n, selected->d_selection,
                     selected->bytes, WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(selected, column->keep, report));
}

/* Every type, and every kind of test. */
BACKEND_TEST(select, types_and_rules) {
    const uint64_t n = reduced_mode() ? 5003 : 70001;
    struct selected selected;

    selected_open(&selected, backend, n);
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t i = 0; i < RULES_KINDS; i++) {
            struct column column;

            column_open(&column, backend, &rules[i], n);
            column_run(&column, &selected, pattern_named("uniform:0.5"), 70 + i,
                       n, (unsigned)i);
            column_close(&column);
        }
    }
    selected_close(&selected);
}

/* Lengths around every edge, at changing alignments. */
BACKEND_TEST(select, sizes) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_FLOAT16,
                                        WINNOW_INT32, WINNOW_FLOAT64};
    const size_t number = edges_here();
    struct selected selected;

    selected_open(&selected, backend, edges[number - 1]);
    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct column column;

        column_open(&column, backend, &rule, edges[number - 1]);
        for (size_t i = 0; i < number; i++)
            column_run(&column, &selected, &patterns[i % PATTERNS], 71 + i,
                       edges[i], (unsigned)(3 * i + t));
        column_close(&column);
    }
    selected_close(&selected);
}

/* Small elements at every alignment: tiles that begin inside of a vector. */
BACKEND_TEST(select, alignments) {
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_UINT16};
    static const uint64_t sizes[] = {3, 30, 4090, 8200};
    struct selected selected;

    selected_open(&selected, backend, 8200);
    for (size_t t = 0; t < 2; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct column column;

        column_open(&column, backend, &rule, 8200);
        for (unsigned offset = 0; offset < 16; offset++)
            for (size_t i = 0; i < 4; i++)
                column_run(&column, &selected, pattern_named("uniform:0.5"),
                           72 + i, sizes[i], offset);
        column_close(&column);
    }
    selected_close(&selected);
}

/* One survivor, at either end; all but one. */
BACKEND_TEST(select, single_items) {
    static const uint64_t sizes[] = {1, 33, 4096, 9000};
    uint8_t keep[9000];
    struct selected selected;

    selected_open(&selected, backend, 9000);
    for (size_t i = 0; i < 4; i++)
        for (int rest = 0; rest <= 1; rest++)
            for (int last = 0; last <= 1; last++) {
                memset(keep, rest, sizeof(keep));
                keep[last ? sizes[i] - 1 : 0] = !rest;
                MUST(selected_make(&selected, keep, sizes[i], report));
                MUST(selected_check(&selected, keep, report));
            }
    selected_close(&selected);
}

/* Indices of both sizes; with room for some, or none, and no count. */
BACKEND_TEST(select, index_capacities) {
    const uint64_t n = 9001;
    uint8_t *const keep = must_alloc(n);
    struct selected selected;

    selected_open(&selected, backend, n);
    for (size_t p = 0; p < PATTERNS; p++) {
        selected_fill(&patterns[p], 74, n, keep);
        MUST(selected_make(&selected, keep, n, report));
        for (uint64_t capacity = 0; capacity < 2 * n;
             capacity = 5 * capacity + 1)
            for (int wide = 0; wide <= 1; wide++)
                MUST(selected_check_indices(&selected, keep, wide != 0,
                                            capacity, capacity % 2 != 0,
                                            report));
    }
    selected_close(&selected);
    free(keep);
}

/* ---------------------------------------------------------------- bad input */

struct wrong {
    uint64_t n;
    size_t bytes;
    unsigned in, selection; /* bytes off */
    winnow_status status;
    const char *detail;
};

#define N 100
#define ENOUGH 1024

Test(select, wrong_arguments) {
    static const struct wrong cases[] = {
        {N, 0, 0, 0, WINNOW_ERR_ARGUMENT, "the selection has 0 bytes"},
        {N, 543, 0, 0, WINNOW_ERR_ARGUMENT, "544 are needed"},
        {N, ENOUGH, 1, 0, WINNOW_ERR_ARGUMENT, "d_in"},
        {N, ENOUGH, 0, 8, WINNOW_ERR_ARGUMENT, "d_selection"},
        {(UINT64_C(1) << 42) + 1, SIZE_MAX, 0, 0, WINNOW_ERR_UNSUPPORTED,
         "2^42"}};
    static _Alignas(16) unsigned char selection[ENOUGH + 16];
    static const uint32_t in[N + 1];
    const uint32_t zero = 0;
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_EQ, &zero),
        WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct wrong *const c = &cases[i];

        cr_assert_eq(winnow_select_if(context, predicate, WINNOW_UINT32,
                                      (const char *)in + c->in, c->n,
                                      selection + c->selection, c->bytes, NULL),
                     c->status, "case %zu", i);
        cr_assert_not_null(strstr(winnow_last_error(), c->detail),
                           "case %zu: %s", i, winnow_last_error());
    }
#define WRONG(call, text)                                                      \
    do {                                                                       \
        cr_assert_eq((call), WINNOW_ERR_ARGUMENT);                             \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)
    WRONG(winnow_select_if(NULL, predicate, WINNOW_UINT32, in, N, selection,
                           ENOUGH, NULL),
          "context is NULL");
    WRONG(winnow_select_if(context, NULL, WINNOW_UINT32, in, N, selection,
                           ENOUGH, NULL),
          "predicate is NULL");
    WRONG(winnow_select_if(context, predicate, WINNOW_UINT32, NULL, N,
                           selection, ENOUGH, NULL),
          "d_in is NULL");
    WRONG(winnow_select_if(context, predicate, WINNOW_UINT32, in, N, NULL,
                           ENOUGH, NULL),
          "d_selection is NULL");
    WRONG(winnow_select_if(context, predicate, WINNOW_UINT32, selection, N,
                           selection, ENOUGH, NULL),
          "d_in and d_selection overlap");
    WRONG(winnow_select_if(context, predicate, WINNOW_FLOAT32, in, N, selection,
                           ENOUGH, NULL),
          "type is float32, and the predicate is of uint32");
    WRONG(winnow_select_if(context, predicate, WINNOW_OPAQUE, in, N, selection,
                           ENOUGH, NULL),
          "type 0 is no winnow_type of elements that can be tested");
    WRONG(winnow_selection_bytes(N, NULL), "bytes_p is NULL");
    for (size_t i = 0; i < sizeof(selection); i++)
        cr_assert_eq(selection[i], 0);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

Test(select, wrong_sinks) {
    static _Alignas(16) unsigned char selection[ENOUGH];
    uint64_t indices[N] = {0}, count = 77;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    WRONG(winnow_selection_count(context, NULL, N, &count, NULL),
          "d_selection is NULL");
    WRONG(winnow_selection_count(context, selection, N, NULL, NULL),
          "d_count is NULL");
    WRONG(winnow_selection_count(context, selection, N,
                                 (uint64_t *)(void *)selection, NULL),
          "d_selection and d_count overlap");
    WRONG(winnow_compact_index(NULL, selection, N, WINNOW_UINT64, indices,
                               WINNOW_NO_LIMIT, &count, NULL),
          "context is NULL");
    WRONG(winnow_compact_index(context, selection, N, WINNOW_INT32, indices,
                               WINNOW_NO_LIMIT, &count, NULL),
          "index_type 3, int32, is neither WINNOW_UINT32 nor WINNOW_UINT64");
    WRONG(winnow_compact_index(context, selection, N, WINNOW_UINT64, NULL,
                               WINNOW_NO_LIMIT, &count, NULL),
          "d_indices is NULL");
    WRONG(winnow_compact_index(context, selection, N, WINNOW_UINT64, selection,
                               1, &count, NULL),
          "d_selection and d_indices overlap");
    cr_assert_eq(winnow_compact_index(context, selection,
                                      (UINT64_C(1) << 42) + 1, WINNOW_UINT64,
                                      indices, 1, &count, NULL),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_eq(count, 77u);
    winnow_context_destroy(context);
}

/* What the header promises of the size. */
Test(select, bytes) {
    size_t bytes = 1;

    cr_assert_eq(winnow_selection_bytes(0, &bytes), WINNOW_OK);
    cr_assert_eq(bytes, 16u);
    cr_assert_eq(winnow_selection_bytes(UINT64_C(1) << 42, &bytes), WINNOW_OK);
    cr_assert_leq(bytes, (UINT64_C(1) << 39) / 49 * 50);
    cr_assert_eq(winnow_selection_bytes((UINT64_C(1) << 42) + 1, &bytes),
                 WINNOW_ERR_UNSUPPORTED);
}
