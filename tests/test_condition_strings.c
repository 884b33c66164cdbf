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
#include "texts.h"

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

BACKEND_TEST(condition_strings, random) {
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
