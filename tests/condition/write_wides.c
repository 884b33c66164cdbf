/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "writer.h"

static void put_wide(struct writer *w, wide value) {
    char digits[48];

    put(w, ends_word(w) ? " %s" : "%s", wide_digits(value, digits));
}

/* A rule of one comparison. */
static unsigned wide_bound(struct writer *w, unsigned wide_number,
                           winnow_compare compare, wide value) {
    const struct wide_rule rule = {
        .kind = WIDE_COMPARE, .compare = compare, .values = {value}};

    return mixed_wide(w->mixed, w->expression, wide_number, &rule);
}

unsigned write_wide(struct writer *w, unsigned wide_number) {
    const unsigned column = WRITER_NUMBERS + wide_number;
    const bool negated = draw_next(&w->seed, 2) != 0;
    bool has_null = false;
    struct wide_rule rule;
    unsigned leaf, other;

    wide_rule_random(&rule, &w->mixed->wides[wide_number], w->mixed->n,
                     &w->seed);
    if (rule.kind == WIDE_IN && rule.number == 0)
        rule.number = 1;
    put_column(w, column);
    if (rule.kind == WIDE_COMPARE) {
        put_either(w, compare_words[rule.compare], sql_words[rule.compare]);
        put_wide(w, rule.values[0]);
        return mixed_wide(w->mixed, w->expression, wide_number, &rule);
    }
    if (negated)
        put_word(w, "not");
    if (rule.kind == WIDE_RANGE) {
        put_word(w, "between");
        leaf = is_null_drawn(w)
                   ? write_null(w)
                   : (put_wide(w, rule.values[0]),
                      wide_bound(w, wide_number, WINNOW_GE, rule.values[0]));
        put_word(w, "and");
        other = is_null_drawn(w)
                    ? write_null(w)
                    : (put_wide(w, rule.values[1]),
                       wide_bound(w, wide_number, WINNOW_LE, rule.values[1]));
        return joined(w, negated, leaf, other);
    }
    put_word(w, "in");
    put(w, "(");
    for (unsigned i = 0; i < rule.number; i++) {
        if (i != 0)
            put(w, ",");
        if (is_null_drawn(w)) {
            has_null = true;
            put_word(w, "null,");
        }
        put_wide(w, rule.values[i]);
    }
    put(w, ")");
    leaf = mixed_wide(w->mixed, w->expression, wide_number, &rule);
    if (has_null)
        leaf = expression_join(w->expression, EXPRESSION_OR, leaf,
                               expression_unknown(w->expression));
    return turn(w, negated, leaf);
}
