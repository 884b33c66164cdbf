/*
 * Conditions over columns of all kinds in one tree, some of them with nulls,
 * against an evaluator of SQL's three values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "mixed.h"
#include "reduced.h"
#include "suite.h"

/* Several trees of a table; of which some are too large for the small
 * program. */
static void random_trial(const struct backend *backend, uint64_t seed) {
    const uint64_t n = draw_next(&seed, draw_next(&seed, 4) == 0 ? 9000 : 700);
    static struct mixed mixed;
    static struct expression expression;

    table_random(&mixed.table, 1 + (unsigned)draw_next(&seed, 6), seed);
    mixed_open(&mixed, backend, n, seed);
    for (unsigned tree = 0; tree < 6; tree++) {
        const uint64_t limit =
            draw_next(&seed, 4) == 0 ? draw_next(&seed, n + 9) : UINT64_MAX;
        winnow_condition *condition;

        mixed_random(&mixed, &expression,
                     1 + (unsigned)draw_next(&seed, tree == 0 ? 24 : 9), seed);
        condition = expression_create(&expression);
        MUST(mixed_check(&mixed, &expression, condition, limit, report));
        winnow_condition_destroy(condition);
    }
    mixed_close(&mixed);
}

BACKEND_TEST(condition_mixed, LONG(random)) {
    const unsigned trials = reduced_mode() ? 25 : 200;

    for (unsigned trial = 0; trial < trials; trial++)
        random_trial(backend, 8000 + trial);
}

/* ---------------------------------------------------- many columns of 128 bits */

enum {
    WIDE_N = 1500,
    MOST = WINNOW_CONDITION_MOST_COLUMNS
};

/* Columns of the same elements, each of which begins at another one, and has a
 * validity that begins at another bit. */
struct wide_table {
    struct wide_column column;
    unsigned char valid[(WIDE_N + 2 * MOST) / 8 + 1];
    void *d_valid;
    winnow_in in[MOST];
};

static void wide_table_open(struct wide_table *table,
                            const struct backend *backend) {
    uint64_t seed = 77;

    wide_column_open(&table->column, backend, WIDE_N + MOST, &seed);
    for (size_t i = 0; i < sizeof(table->valid); i++)
        table->valid[i] = (unsigned char)~(draw_next(&seed, 8) << i % 8);
    table->d_valid = backend_alloc(backend, sizeof(table->valid));
    backend_upload(backend, table->d_valid, table->valid, sizeof(table->valid));
    for (unsigned c = 0; c < MOST; c++) {
        table->in[c] = table->column.in;
        table->in[c].d_base = (const unsigned char *)table->column.in.d_base +
                              c * table->column.in.stride_bytes;
        table->in[c].d_valid = table->d_valid;
        table->in[c].valid_offset = 2 * c;
    }
}

static enum truth wide_truth(const struct wide_table *table, unsigned c,
                             uint64_t i, const struct wide_rule *rule) {
    const uint64_t bit = 2 * c + i;

    if ((table->valid[bit / 8] >> bit % 8 & 1) == 0)
        return TRUTH_UNKNOWN;
    return wide_rule_keeps(rule, table->column.values[c + i]) ? TRUTH_TRUE
                                                              : TRUTH_FALSE;
}

/* ((c0 and c1) or c2) and ..., each of them so compared. */
static winnow_condition *wide_chain(const struct wide_rule *rule,
                                    unsigned columns) {
    winnow_condition *chain = wide_rule_create(rule, 0);

    for (unsigned c = 1; c < columns; c++) {
        winnow_condition *const one = wide_rule_create(rule, c);
        winnow_condition *both = NULL;

        cr_assert_eq((c % 2 != 0 ? winnow_condition_and
                                 : winnow_condition_or)(&both, chain, one),
                     WINNOW_OK, "%s", winnow_last_error());
        winnow_condition_destroy(chain);
        winnow_condition_destroy(one);
        chain = both;
    }
    return chain;
}

static void check_chain(const struct wide_table *table,
                        const struct backend *backend,
                        const struct wide_rule *rule, unsigned columns) {
    static uint8_t keep[WIDE_N];
    winnow_condition *const condition = wide_chain(rule, columns);
    struct selected selected;

    for (uint64_t i = 0; i < WIDE_N; i++) {
        enum truth all = wide_truth(table, 0, i, rule);

        for (unsigned c = 1; c < columns; c++) {
            const enum truth one = wide_truth(table, c, i, rule);

            all = (c % 2 != 0) == (one < all) ? one : all;
        }
        keep[i] = all == TRUTH_TRUE;
    }
    selected_open(&selected, backend, WIDE_N);
    selected_prepare(&selected, WIDE_N);
    cr_assert_eq(winnow_select_where(backend->context, condition, table->in,
                                     MOST, WIDE_N, selected.d_selection,
                                     selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(&selected, keep, report));
    selected_close(&selected);
    winnow_condition_destroy(condition);
}

/* As many columns, with a validity each, as a program has room for: upper halves
 * of all, and both halves of half of them. One more is refused. */
BACKEND_TEST(condition_mixed, most_wide_columns) {
    static struct wide_table table;
    const struct wide_rule at_least_0 = {.kind = WIDE_COMPARE,
                                         .compare = WINNOW_GE};
    const struct wide_rule above_1 = {
        .kind = WIDE_COMPARE, .compare = WINNOW_GT, .values = {1}};
    winnow_condition *most, *one, *both = NULL;

    wide_table_open(&table, backend);
    check_chain(&table, backend, &at_least_0, MOST);
    check_chain(&table, backend, &above_1, MOST / 2);
    most = wide_chain(&above_1, MOST / 2);
    one = wide_rule_create(&above_1, MOST / 2);
    cr_assert_eq(winnow_condition_and(&both, most, one),
                 WINNOW_ERR_UNSUPPORTED);
    cr_assert_str_eq(winnow_last_error(),
                     "the condition would test more than 64 different columns, "
                     "of which one of int128 counts as two");
    cr_assert_null(both);
    winnow_condition_destroy(most);
    winnow_condition_destroy(one);
    backend_free(backend, table.d_valid);
    wide_column_close(&table.column);
}
