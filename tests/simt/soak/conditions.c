/*
 * Selections by conditions: of tests of columns, with and without sets; of strings;
 * of expressions; and the order of the tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "soak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "tests/condition/set_trees.h"
#include "table.h"
#include "tests/string/texts.h"

enum {
    BLOCK = 8 * 4096,      /* items of a block of programs, */
    STRINGS = 8 * 1024,    /* of one of strings, */
    LONG_STRINGS = 8 * 32, /* also where they are long, */
    VALUES = 4096,         /* and of one of expressions */
    SEEDS = 50             /* of a table, one after the other */
};

/* ------------------------------------------------------------------ programs */

static bool run_program(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    static struct table table;
    static struct expression expression;
    static uint8_t keep[BLOCK + 2000];
    static uint64_t opened = UINT64_MAX;
    const uint64_t of = seed / SEEDS, n = BLOCK + 1 + of % 1000;
    const unsigned columns = 1 + (unsigned)soak_draw(of, 40, 3);
    const uint64_t limit =
        soak_draw(seed, 41, 4) ? UINT64_MAX : n - soak_draw(seed, 42, 900);

    (void)number;
    if (opened != of) {
        if (opened != UINT64_MAX)
            table_close(&table);
        table_random(&table, columns, of);
        table_open(&table, backend, n);
        table_fill(&table, n, 1 + soak_draw(of, 43, 100), of);
    }
    opened = of;
    expression_random(&expression, table.pools, columns,
                      1 + (unsigned)soak_draw(seed, 44, 5), seed);
    expression_keep(&expression, table.bits, table.is_null, n, limit, keep);
    winnow_condition *const condition = expression_create(&expression);
    const winnow_status status = table_select(&table, condition, n, limit);

    winnow_condition_destroy(condition);
    return soak_done(backend, status, report) &&
           soak_check_selection(&table.selected, keep, report);
}

static bool run_sets(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    static struct set_table table;
    static uint8_t keep[BLOCK + 2000];
    static uint64_t opened = UINT64_MAX;
    const uint64_t of = seed / SEEDS, n = BLOCK + 1 + of % 1000;
    const uint64_t values = 3 + soak_draw(of, 40, 300);

    (void)number;
    if (opened != of) {
        if (opened != UINT64_MAX)
            set_table_close(&table);
        set_table_open(&table, backend, n, values, of);
    }
    opened = of;
    winnow_condition *const condition = set_tree(
        &table, 1 + (unsigned)soak_draw(seed, 41, 3), values, seed, keep);

    set_ready(&table, UINT64_MAX);
    const winnow_status status =
        set_select(&table, condition, UINT64_MAX, NULL);

    winnow_condition_destroy(condition);
    return soak_done(backend, status, report) &&
           soak_check_selection(&table.selected, keep, report);
}

/* ------------------------------------------------------------------- strings */

/* A selection by one column or two. */
static bool select_strings(const struct backend *backend,
                           winnow_condition *condition,
                           const winnow_in columns[], unsigned number,
                           uint64_t n, const uint8_t *keep,
                           struct report *report) {
    static struct selected selected;

    if (selected.backend == NULL)
        selected_open(&selected, backend, STRINGS + 2000);
    selected_prepare(&selected, n);
    const winnow_status status = winnow_select_where(
        backend->context, condition, columns, number, n, selected.d_selection,
        selected.bytes, WINNOW_LAUNCH(.stream = backend->stream));

    winnow_condition_destroy(condition);
    return soak_done(backend, status, report) &&
           soak_check_selection(&selected, keep, report);
}

/* Plain columns, or dictionaries. */
static bool run_strings(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    static struct text_column columns[2];
    static uint64_t opened[2];
    static uint8_t keep[STRINGS + 300];
    const uint64_t of = seed / SEEDS, n = STRINGS + 1 + of % 200;
    struct text_column *const column = &columns[number];
    struct text_rule rule;
    uint64_t draws = seed;

    if (opened[number] != of + 1) {
        struct text_form form;
        uint64_t from = of;

        if (opened[number] != 0)
            text_column_close(column);
        text_form_random(&form, &from);
        form.index = number == 0                 ? WINNOW_OPAQUE
                     : soak_draw(of, 45, 2) == 0 ? WINNOW_UINT8
                                                 : WINNOW_INT32;
        text_column_open(column, backend, &form, n, &from);
    }
    opened[number] = of + 1;
    const struct text *like = column->texts[draw_next(&draws, n)];

    for (uint64_t i = 0; like == NULL && i < n; i++)
        like = column->texts[i];
    if (like == NULL) /* all are null, of an empty dictionary */
        return true;
    text_rule_random(&rule, like, &draws);
    for (uint64_t i = 0; i < n; i++)
        keep[i] = column->texts[i] != NULL &&
                  text_rule_keeps(&rule, column->texts[i]);
    winnow_condition *const condition = text_rule_create(&rule, 0);

    text_rule_free(&rule);
    return select_strings(backend, condition, &column->in, 1, n, keep, report);
}

/* So long that a warp takes one at a time. */
static bool run_long(const struct backend *backend, unsigned number,
                     uint64_t seed, struct report *report) {
    enum {
        MOST = LONG_STRINGS + 60
    };
    static struct text texts[MOST];
    static unsigned char bytes[MOST * TEXTS_MOST_BYTES];
    static uint8_t keep[MOST];
    static unsigned char *d_bytes;
    uint32_t offsets[MOST + 1] = {0};
    const uint64_t n = LONG_STRINGS + 1 + soak_draw(seed, 40, 50);
    struct text pattern = {.length = 2 + soak_draw(seed, 41, 6)};
    const struct text_rule rule = {
        .test = WINNOW_TEXT_CONTAINS, .number = 1, .texts = &pattern};

    (void)number;
    if (d_bytes == NULL)
        d_bytes = backend_alloc(backend, sizeof(bytes) + sizeof(offsets));
    for (size_t i = 0; i < pattern.length; i++)
        pattern.bytes[i] = (unsigned char)('a' + soak_draw(seed, 50 + i, 2));
    for (uint64_t s = 0; s < n; s++) {
        struct text *const text = &texts[s];

        text->length = TEXTS_MOST_BYTES - soak_draw(seed, 1000 + s, 40);
        for (size_t i = 0; i < text->length; i += 64) {
            const uint64_t draw = data_random(seed, (s << 10) + i);
            const unsigned skew = draw % 7 == 0; /* all are 'b' */

            for (size_t b = i; b < i + 64 && b < text->length; b++)
                text->bytes[b] =
                    (unsigned char)('a' + (skew | (draw >> (b - i) & 1)));
        }
        memcpy(bytes + offsets[s], text->bytes, text->length);
        offsets[s + 1] = offsets[s] + (uint32_t)text->length;
        keep[s] = text_rule_keeps(&rule, text);
    }
    backend_upload(backend, d_bytes, offsets, sizeof(offsets));
    backend_upload(backend, d_bytes + sizeof(offsets), bytes, offsets[n]);
    const winnow_in column = {.type = WINNOW_STRING32,
                              .d_base = d_bytes,
                              .d_data = d_bytes + sizeof(offsets),
                              .data_size = offsets[n]};

    return select_strings(backend, text_rule_create(&rule, 0), &column, 1, n,
                          keep, report);
}

static bool compares(const char *compare, const struct text *a,
                     const struct text *b) {
    const size_t both = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->bytes, b->bytes, both);

    if (order == 0)
        order = (a->length > b->length) - (a->length < b->length);
    return strcmp(compare, "=") == 0    ? order == 0
           : strcmp(compare, "<>") == 0 ? order != 0
           : strcmp(compare, "<") == 0  ? order < 0
                                        : order >= 0;
}

/* Two columns with each other. */
static bool run_compare(const struct backend *backend, unsigned number,
                        uint64_t seed, struct report *report) {
    static const char *const compare[] = {"=", "<>", "<", ">="};
    static struct text_column columns[2];
    static uint64_t opened;
    static uint8_t keep[STRINGS + 300];
    const uint64_t of = seed / SEEDS, n = STRINGS + 1 + of % 200;
    const char *const with = compare[soak_draw(seed, 40, 4)];
    winnow_field fields[2] = {{.name = "a"}, {.name = "b"}};
    winnow_in in[2];
    char text[16];
    winnow_condition *condition;

    (void)number;
    for (unsigned c = 0; c < 2; c++) {
        if (opened != of + 1) {
            struct text_form form;
            uint64_t from = of + 1000 * c;

            if (opened != 0)
                text_column_close(&columns[c]);
            text_form_random(&form, &from);
            form.null_values = false;
            text_column_open(&columns[c], backend, &form, n, &from);
        }
        in[c] = columns[c].in;
        fields[c].type =
            in[c].dictionary != NULL ? in[c].dictionary->type : in[c].type;
    }
    opened = of + 1;
    for (uint64_t i = 0; i < n; i++) {
        const struct text *const a = columns[0].texts[i];
        const struct text *const b = columns[1].texts[i];

        keep[i] = a != NULL && b != NULL && compares(with, a, b);
    }
    snprintf(text, sizeof(text), "a %s b", with);
    if (winnow_condition_parse(&condition, fields, 2, text) != WINNOW_OK)
        return report_fail(report, "%s: %s", text, winnow_last_error());
    return select_strings(backend, condition, in, 2, n, keep, report);
}

/* --------------------------------------------------------------- expressions */

static bool run_values(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    static const winnow_field fields[] = {
        {.name = "k", .type = WINNOW_INT32},
        {.name = "x", .type = WINNOW_FLOAT32}};
    static int32_t k[VALUES + 200];
    static float x[VALUES + 200];
    static uint8_t keep[VALUES + 200];
    static unsigned char *d_columns;
    const uint64_t n = VALUES + 1 + soak_draw(seed, 40, 190);
    const int limit = (int)soak_draw(seed, 41, 3000);
    const unsigned which = (unsigned)soak_draw(seed, 42, 3);
    winnow_condition *condition;
    char text[100];

    (void)number;
    if (d_columns == NULL)
        d_columns = backend_alloc(backend, sizeof(k) + sizeof(x));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t any = data_random(seed, i);

        k[i] = (int32_t)(any % 2000) - 1000;
        x[i] = (float)(any >> 20 & 0xfff) / 4;
        const bool a = 3 * k[i] + 1 < limit, b = (double)x[i] * 2.5 > limit;
        keep[i] = which == 0 ? a : which == 1 ? a && b : a || !b;
    }
    snprintf(text, sizeof(text),
             which == 0   ? "k * 3 + 1 < %d"
             : which == 1 ? "k * 3 + 1 < %d and x * 2.5 > %d"
                          : "k * 3 + 1 < %d or not x * 2.5 > %d",
             limit, limit);
    backend_upload(backend, d_columns, k, sizeof(k));
    backend_upload(backend, d_columns + sizeof(k), x, sizeof(x));
    const winnow_in columns[] = {
        {.type = WINNOW_INT32, .d_base = d_columns},
        {.type = WINNOW_FLOAT32, .d_base = d_columns + sizeof(k)}};

    if (winnow_condition_parse(&condition, fields, 2, text) != WINNOW_OK)
        return report_fail(report, "%s: %s", text, winnow_last_error());
    return select_strings(backend, condition, columns, 2, n, keep, report);
}

/* So many tests that no argument holds them. */
static bool run_stored(const struct backend *backend, unsigned number,
                       uint64_t seed, struct report *report) {
    enum {
        TESTS = 70
    };
    static const winnow_field field = {.name = "k", .type = WINNOW_INT32};
    static uint8_t keep[VALUES + 100];
    static int32_t k[VALUES + 100];
    static unsigned char *d_k;
    static char text[TESTS * 48];
    const uint64_t n = VALUES + 1 + seed % 99;
    const int32_t first = (int32_t)soak_draw(seed, 40, 1000);
    winnow_condition *condition;
    size_t length = 0;

    (void)number;
    if (d_k == NULL)
        d_k = backend_alloc(backend, sizeof(k));
    for (uint64_t i = 0; i < n; i++) {
        const int32_t beyond = (int32_t)(data_random(seed, i) % (5 * TESTS));

        k[i] = first + beyond;
        keep[i] = beyond < 3 * TESTS && beyond % 3 != 2;
    }
    for (int32_t t = 0; t < TESTS; t++)
        length += (size_t)snprintf(
            text + length, sizeof(text) - length, "%sk between %d and %d",
            t == 0 ? "" : " or ", first + 3 * t, first + 3 * t + 1);
    backend_upload(backend, d_k, k, sizeof(k));
    if (winnow_condition_parse(&condition, &field, 1, text) != WINNOW_OK)
        return report_fail(report, "%s: %s", text, winnow_last_error());
    return select_strings(backend, condition,
                          &(winnow_in){.type = WINNOW_INT32, .d_base = d_k}, 1,
                          n, keep, report);
}

void soak_conditions(void) {
    soak_add(SOAK_USUAL, run_program, 0, "condition");
    soak_add(SOAK_USUAL, run_stored, 0, "condition of many tests");
    soak_add(SOAK_USUAL, run_sets, 0, "condition with sets");
    soak_add(SOAK_USUAL, run_strings, 0, "test of strings");
    soak_add(SOAK_USUAL, run_strings, 1, "test of a dictionary");
    soak_add(SOAK_USUAL, run_long, 0, "test of long strings");
    soak_add(SOAK_USUAL, run_compare, 0, "strings compared");
    soak_add(SOAK_USUAL, run_values, 0, "condition of expressions");
}
