/*
 * Tests of strings in conditions, on every backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "reduced.h"
#include "selected.h"
#include "suite.h"
#include "tests/string/texts.h"

static winnow_condition *parse(const char *text) {
    static const winnow_field fields[] = {
        {.name = "s", .type = WINNOW_STRING32},
        {.name = "t", .type = WINNOW_VIEW},
        {.name = "x", .type = WINNOW_INT32}};
    winnow_condition *condition = NULL;

    cr_assert_eq(winnow_condition_parse(&condition, fields, 3, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    return condition;
}

/* Does a selection of n items, or of *d_n, keep those? The condition is
 * destroyed. */
static void check(const struct backend *backend, winnow_condition *condition,
                  const winnow_in *columns, unsigned number, uint64_t n,
                  const uint64_t *d_n, const uint8_t *keep,
                  struct selected *selected) {
    const winnow_launch launch = {
        .size = sizeof(launch), .stream = backend->stream, .d_n = d_n};

    selected_prepare(selected, n);
    cr_assert_eq(winnow_select_where(backend->context, condition, columns,
                                     number, n, selected->d_selection,
                                     selected->bytes, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    MUST(selected_check(selected, keep, report));
}

/* A rule of one column, by the calls or by the text. */
static winnow_condition *create(const struct text_rule *rule, bool by_text) {
    for (unsigned i = 0; i < rule->number; i++)
        if (memchr(rule->texts[i].bytes, 0, rule->texts[i].length) != NULL)
            by_text = false;
    if (!by_text)
        return text_rule_create(rule, 0);
    char *const text = text_rule_write(rule, "s");
    winnow_condition *const condition = parse(text);

    free(text);
    return condition;
}

/* Random rules over a column in a random form; every other one under `not`. */
static void random_trial(const struct backend *backend, uint64_t seed) {
    const uint64_t n = draw_next(&seed, draw_next(&seed, 8) == 0 ? 9000 : 500);
    struct text_form form;
    struct text_column column;
    struct selected selected;
    uint8_t *const keep = malloc(n + 1);

    text_form_random(&form, &seed);
    text_column_open(&column, backend, &form, n, &seed);
    selected_open(&selected, backend, n);
    for (unsigned r = 0; r < 12; r++) {
        struct text like, none = {0};
        struct text_rule rule;

        text_random(&like, &seed);
        if (n != 0) {
            const struct text *const one = column.texts[draw_next(&seed, n)];

            like = one != NULL ? *one : none;
        }
        text_rule_random(&rule, &like, &seed);
        for (uint64_t i = 0; i < n; i++)
            keep[i] = column.texts[i] != NULL &&
                      text_rule_keeps(&rule, column.texts[i]);
        check(backend, create(&rule, r % 2 == 0), &column.in, 1, n, NULL, keep,
              &selected);
        text_rule_free(&rule);
    }
    selected_close(&selected);
    text_column_close(&column);
    free(keep);
}

BACKEND_TEST(condition_strings, LONG(random)) {
    const unsigned trials = reduced_mode() ? 60 : 600;

    for (unsigned trial = 0; trial < trials; trial++)
        random_trial(backend, 4000 + trial);
}

/* Of the items that are looked at: *d_n, where that is less than n. */
BACKEND_TEST(condition_strings, fewer_items) {
    static const uint64_t numbers[] = {0, 1, 32, 777, 4096, 4999, 5000, 70000};
    const uint64_t n = 5000;
    uint64_t *const d_n = backend_alloc(backend, sizeof(*d_n)), seed = 4700;
    uint8_t *const keep = malloc(n);
    struct selected selected;

    selected_open(&selected, backend, n);
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t number = numbers[i % 8];
        struct text_form form;
        struct text_column column;
        struct text_rule rule;

        text_form_random(&form, &seed);
        form.index = i % 4 == 0 ? WINNOW_INT16 : WINNOW_OPAQUE;
        text_column_open(&column, backend, &form, n, &seed);
        const struct text *const like = column.texts[draw_next(&seed, n)];
        const struct text none = {0};
        text_rule_random(&rule, like != NULL ? like : &none, &seed);
        for (uint64_t j = 0; j < n; j++)
            keep[j] = j < number && column.texts[j] != NULL &&
                      text_rule_keeps(&rule, column.texts[j]);
        backend_upload(backend, d_n, &number, sizeof(number));
        check(backend, create(&rule, true), &column.in, 1, n, d_n, keep,
              &selected);
        text_rule_free(&rule);
        text_column_close(&column);
    }
    selected_close(&selected);
    free(keep);
    backend_free(backend, d_n);
}

/* ------------------------------------------------- nulls among the values */

enum {
    INDICES = 40,
    VALUES = 11
};

/* Whether entries of a dictionary are null is asked whatever they are: these are
 * nowhere. */
BACKEND_TEST(condition_strings, null_values) {
    static const char *const texts[] = {"x is null", "x is not null",
                                        "not (x is null or s is null)"};
    static const winnow_field fields[] = {{.name = "x"},
                                          {.name = "s", .type = WINNOW_VIEW}};
    const uint8_t values_valid[] = {0x00, 0xa6, 0x05}; /* from bit 8 on */
    uint8_t indices_valid[INDICES / 8], keep[INDICES];
    int8_t indices[INDICES];
    uint8_t *const d_values_valid = backend_alloc(backend, 3);
    uint8_t *const d_valid = backend_alloc(backend, INDICES / 8);
    int8_t *const d_indices = backend_alloc(backend, INDICES);
    const winnow_in dictionary = {
        .type = WINNOW_FLOAT64, .d_valid = d_values_valid, .valid_offset = 8};
    winnow_in columns[2] = {{.type = WINNOW_INT8,
                             .d_base = d_indices,
                             .dictionary = &dictionary,
                             .dictionary_n = VALUES},
                            {.type = WINNOW_VIEW, .d_valid = d_valid}};
    struct selected selected;

    for (unsigned i = 0; i < INDICES; i++)
        indices[i] = (int8_t)(i % 14 - 1); /* one below, and two above */
    memset(indices_valid, 0xb7, sizeof(indices_valid));
    backend_upload(backend, d_values_valid, values_valid, 3);
    backend_upload(backend, d_valid, indices_valid, sizeof(indices_valid));
    backend_upload(backend, d_indices, indices, sizeof(indices));
    selected_open(&selected, backend, INDICES);
    for (unsigned t = 0; t < 6; t++) {
        winnow_condition *condition = NULL;

        /* Once with a validity of the indices. */
        columns[0].d_valid = t < 3 ? NULL : d_valid;
        for (unsigned i = 0; i < INDICES; i++) {
            const unsigned bit = 8 + (unsigned)indices[i];
            const bool valid = (indices_valid[i / 8] >> i % 8 & 1) != 0;
            const bool is_value = indices[i] >= 0 && indices[i] < VALUES &&
                                  (values_valid[bit / 8] >> bit % 8 & 1) != 0 &&
                                  (t < 3 || valid);

            keep[i] =
                t % 3 == 0 ? !is_value : is_value && (t % 3 == 1 || valid);
        }
        cr_assert_eq(
            winnow_condition_parse(&condition, fields, 2, texts[t % 3]),
            WINNOW_OK, "%s", winnow_last_error());
        check(backend, condition, columns, 2, INDICES, NULL, keep, &selected);
    }
    selected_close(&selected);
    backend_free(backend, d_values_valid);
    backend_free(backend, d_valid);
    backend_free(backend, d_indices);
}

Test(condition_strings, wrong_null_values) {
    static _Alignas(16) unsigned char selection[1024];
    static const int8_t indices[100];
    winnow_in dictionary = {.type = WINNOW_FLOAT64, .d_valid = indices};
    winnow_in column = {.type = WINNOW_INT8,
                        .d_base = indices,
                        .dictionary = &dictionary,
                        .dictionary_n = 50};
    winnow_in columns[2];
    winnow_condition *condition;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_is_null(&condition, 0), WINNOW_OK);
#define REFUSED(text)                                                          \
    do {                                                                       \
        cr_assert_eq(winnow_select_where(context, condition, &column, 1, 100,  \
                                         selection, sizeof(selection), NULL),  \
                     WINNOW_ERR_ARGUMENT);                                     \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)
    cr_assert_eq(winnow_select_where(context, condition, &column, 1, 100,
                                     selection, sizeof(selection), NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    dictionary.valid_offset = UINT64_MAX - 20;
    REFUSED("columns[0].dictionary->valid_offset is 18446744073709551595: that "
            "runs past the end of the address space");
    dictionary.valid_offset = 0;
    dictionary.d_valid = selection + 8;
    REFUSED("columns[0].dictionary->d_valid and d_selection overlap");
    dictionary.d_valid = indices;
    column.d_base = selection + 16;
    REFUSED("columns[0].d_base and d_selection overlap");
    column.d_base = NULL;
    REFUSED("columns[0].d_base is NULL");
    column.d_base = indices;
    column.type = WINNOW_FLOAT32;
    REFUSED("columns[0].type is float32: indices of a dictionary are integers");
    column.type = WINNOW_INT8;
    column.reserved[0] = 1;
    REFUSED("columns[0].reserved is not 0");
    winnow_condition_destroy(condition);
    column.reserved[0] = 0;
    columns[0] = columns[1] = column;
    condition = parse("length(t) > 1");
    cr_assert_eq(winnow_select_where(context, condition, columns, 2, 100,
                                     selection, sizeof(selection), NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(),
                     "columns[1].dictionary->type is float64, and the "
                     "condition tests strings");
    winnow_condition_destroy(condition);
    winnow_context_destroy(context);
}
