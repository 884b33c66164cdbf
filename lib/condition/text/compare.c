/*
 * Comparisons in the text of a condition, and ranges.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/ascii.h"
#include "text.h"

static bool is_rising(winnow_compare compare) {
    return compare == WINNOW_LT || compare == WINNOW_LE;
}

/* ---------------------------------------------------------------- mistakes */

bool winnow__text_fail_inverted(winnow__text *text, const winnow__text_value *a,
                                winnow__text_span word) {
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
        "! applies before %.*s, as in C: use not %.*s "
        "%.*s ..., or !(%.*s %.*s ...)",
        WINNOW__TEXT_SHOWN(text, word, 20), WINNOW__TEXT_NAME(text, a),
        WINNOW__TEXT_SHOWN(text, word, 20), WINNOW__TEXT_NAME(text, a),
        WINNOW__TEXT_SHOWN(text, word, 20));
}

/* Fail for `a & b = c` or `a = b & c` without parentheses. */
static bool fail_two_readings(winnow__text *text, const winnow__text_value *a,
                              const winnow__text_value *comparison,
                              const winnow__text_value *b) {
#define SHOWN(span) WINNOW__TEXT_SHOWN(text, span, 30)
    const winnow__text_span op = comparison->span;
    if (a->kind == WINNOW__TEXT_COLUMN && a->bare)
        return winnow__text_fail(
            text, WINNOW_ERR_SYNTAX, op.begin,
            "write (%.*s) %.*s %.*s, as Python reads it, or %.*s & (%.*s %.*s "
            "%.*s), as C does",
            SHOWN(a->span), SHOWN(op), SHOWN(b->span), SHOWN(a->left),
            SHOWN(a->right), SHOWN(op), SHOWN(b->span));
    return winnow__text_fail(
        text, WINNOW_ERR_SYNTAX, op.begin,
        "write %.*s %.*s (%.*s), as Python reads it, or (%.*s %.*s %.*s) & "
        "%.*s, as C does; conditions are joined by 'and' or &&",
        SHOWN(a->span), SHOWN(op), SHOWN(b->span), SHOWN(a->span), SHOWN(op),
        SHOWN(b->left), SHOWN(b->right));
#undef SHOWN
}

/* Is it the word true, or false? */
static bool is_literal(const winnow__text *text,
                       const winnow__text_value *value) {
    const char *const from = text->from + value->span.begin;
    const uint32_t length = value->span.end - value->span.begin;
    return value->kind == WINNOW__TEXT_CONSTANT &&
           ((length == 4 && winnow__ascii_same(from, "true", 4)) ||
            (length == 5 && winnow__ascii_same(from, "false", 5)));
}

/* Fail because one of the two cannot be compared. */
static bool fail_compared(winnow__text *text, const winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    const uint32_t place = comparison->span.begin;
    if (!winnow__is_equality((winnow_compare)comparison->compare) &&
        !is_literal(text, a) && !is_literal(text, b))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                                 "a condition has no order; the middle of a "
                                 "range is a column, or computed of some, as "
                                 "in 10 <= x <= 20");
    if (is_literal(text, a) || is_literal(text, b))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                                 "true and false are conditions, and compared "
                                 "with nothing: for x = true write x, for x = "
                                 "false not x");
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                             "a condition is compared with nothing: it is "
                             "joined by 'and' and 'or'");
}

bool winnow__text_check_left(winnow__text *text, const winnow__text_value *a,
                             winnow__text_span word) {
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, word);
    if (!winnow__text_check_tested(text, a))
        return false;
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (a->kind != WINNOW__TEXT_COLUMN && a->kind != WINNOW__TEXT_STRINGS)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, a->span.begin,
                                 "expected a column before '%.*s'",
                                 WINNOW__TEXT_SHOWN(text, word, 20));
    if (a->bare)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, a->span.begin,
                                 "write (%.*s) %.*s ...: & needs parentheses "
                                 "beside a comparison",
                                 WINNOW__TEXT_SHOWN(text, a->span, 60),
                                 WINNOW__TEXT_SHOWN(text, word, 20));
    return !winnow__text_is_bit(text, a) || winnow__text_fail_bit(text, a);
}

bool winnow__text_check_looked_for(winnow__text *text,
                                   const winnow__text_value *a,
                                   winnow__text_span word) {
    return a->kind == WINNOW__TEXT_NUMBER ||
           winnow__text_check_left(text, a, word);
}

/* ------------------------------------------------------------- comparisons */

/* *column op a number or a moment. *column becomes the condition. */
static bool compare_column(winnow__text *text, winnow__text_value *column,
                           winnow_compare compare,
                           const winnow__text_value *number) {
    const winnow__domain domain = winnow__text_domain(text, column);
    winnow__point at;
    return winnow__text_point(text, column, number, &at) &&
           winnow__text_add_keys(text, column,
                                 winnow__point_keys(&at, compare, &domain),
                                 column->span.begin) &&
           winnow__text_turn(text, column, compare == WINNOW_NE);
}

/* *bit = truth or *bit <> truth. *bit becomes the condition. */
static bool compare_bit(winnow__text *text, winnow__text_value *bit,
                        const winnow__text_value *comparison, bool truth) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    if (!winnow__is_equality(compare))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->span.begin,
                                 "true and false are equal or not, and have no "
                                 "order");
    return winnow__text_condition(text, bit) &&
           winnow__text_turn(text, bit, truth != (compare == WINNOW_EQ));
}

bool winnow__holds(int order, winnow_compare compare) {
    switch (compare) {
    case WINNOW_LT:
        return order < 0;
    case WINNOW_LE:
        return order <= 0;
    case WINNOW_EQ:
        return order == 0;
    case WINNOW_NE:
        return order != 0;
    case WINNOW_GE:
        return order >= 0;
    default:
        return order > 0;
    }
}

static void compare_numbers(const winnow__text *text, winnow__text_value *a,
                            winnow_compare compare,
                            const winnow__text_value *b) {
    const winnow__number left = winnow__text_number(text, a);
    const winnow__number right = winnow__text_number(text, b);
    winnow__text_be_constant(
        a, winnow__holds(winnow__number_order(&left, &right), compare));
}

/* ------------------------------------------------------------------ ranges */

bool winnow__text_check_range(winnow__text *text, const winnow__text_value *a,
                              const winnow__text_value *comparison,
                              const char *example) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    if (winnow__is_equality(compare) ||
        is_rising(compare) != is_rising((winnow_compare)a->compare))
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, comparison->span.begin,
            "the comparisons of a range go one way, as in %s", example);
    return true;
}

void winnow__text_go_on(winnow__text_value *a, winnow_compare compare,
                        const winnow__text_value *b) {
    const uint32_t node = a->first;
    if (a->kind != WINNOW__TEXT_CONDITION)
        return;
    *a = *b;
    a->kind = WINNOW__TEXT_CONDITION;
    a->first = node;
    a->compare = (uint8_t)compare;
    a->continues = true;
}

bool winnow__text_join_range(winnow__text *text, winnow__text_value *a,
                             winnow__text_value *second) {
    if (!winnow__text_join(text, WINNOW__NODE_AND, a, second))
        return false;
    if (second->continues) { /* a < b < c < ... */
        second->kind = a->kind;
        second->first = a->first;
        second->truth = a->truth;
        *a = *second;
    }
    return true;
}

/* The second half of 10 <= x <= 20. *a is the first half. */
static bool compare_range(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    winnow__text_value second = *a;
    second.kind = WINNOW__TEXT_COLUMN;
    second.continues = false;
    return winnow__text_check_range(text, a, comparison, "10 <= x <= 20") &&
           winnow__text_compare(text, &second, comparison, b) &&
           winnow__text_join_range(text, a, &second);
}

static bool may_be_end(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_COLUMN || winnow__text_is_point(value);
}

bool winnow__text_between(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *b,
                          const winnow__text_value *c, bool negated) {
    winnow__text_value bounds[2] = {*b, *c};
    winnow__point low, high;
    if (!winnow__text_check_tested(text, b) ||
        !winnow__text_check_tested(text, c))
        return false;
    if (a->kind == WINNOW__TEXT_NUMBER || a->kind == WINNOW__TEXT_NULL ||
        b->kind == WINNOW__TEXT_NULL || c->kind == WINNOW__TEXT_NULL ||
        a->kind == WINNOW__TEXT_STRINGS)
        return winnow__text_between_any(text, a, b, c, negated);
    for (int i = 0; i < 2; i++) {
        winnow__text_value *const bound = &bounds[i];
        winnow__text_take_moment(text, a, bound);
        if (!may_be_end(bound))
            return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                     bound->span.begin,
                                     "found '%.*s', expected a number: as in x "
                                     "between 10 and 20",
                                     WINNOW__TEXT_SHOWN(text, bound->span, 60));
    }
    if (!winnow__text_is_point_of(text, a, &bounds[0]) ||
        !winnow__text_is_point_of(text, a, &bounds[1]))
        return winnow__text_between_any(text, a, b, c, negated);
    const winnow__domain domain = winnow__text_domain(text, a);
    if (!winnow__text_point(text, a, &bounds[0], &low) ||
        !winnow__text_point(text, a, &bounds[1], &high))
        return false;
    const winnow__keys keys =
        winnow__keys_of_both(winnow__point_keys(&low, WINNOW_GE, &domain),
                             winnow__point_keys(&high, WINNOW_LE, &domain));
    return winnow__text_add_keys(text, a, keys, a->span.begin) &&
           winnow__text_turn(text, a, negated);
}

/* A text that is compared with a moment, or a column of them, becomes a moment. */
static void take_moments(const winnow__text *text, winnow__text_value *a,
                         winnow__text_value *b) {
    if (a->kind == WINNOW__TEXT_COLUMN || a->continues)
        winnow__text_take_moment(text, a, b);
    if (b->kind == WINNOW__TEXT_COLUMN)
        winnow__text_take_moment(text, b, a);
}

bool winnow__text_compare(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    winnow__text_value right = *b;
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    take_moments(text, a, &right);
    b = &right;
    const bool point_a = winnow__text_is_point(a);
    const bool point_b = winnow__text_is_point(b);
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, comparison->span);
    if (a->kind == WINNOW__TEXT_NULL || b->kind == WINNOW__TEXT_NULL ||
        (a->continues && a->of_null))
        return a->kind == WINNOW__TEXT_CONSTANT && !winnow__is_equality(compare)
                   ? fail_compared(text, a, comparison, b)
                   : winnow__text_compare_null(text, a, comparison, b);
    if (winnow__text_is_string(a) || winnow__text_is_string(b) ||
        (a->continues &&
         winnow__is_string_type(winnow__text_element_type(text, a))))
        return winnow__text_compare_strings(text, a, comparison, b);
    if (a->continues && may_be_end(b) && !b->bare)
        return compare_range(text, a, comparison, b);
    if ((a->kind == WINNOW__TEXT_COLUMN && a->bare) ||
        (b->kind == WINNOW__TEXT_COLUMN && b->bare))
        return fail_two_readings(text, a, comparison, b);
    if (a->kind == WINNOW__TEXT_NUMBER && b->kind == WINNOW__TEXT_NUMBER) {
        compare_numbers(text, a, compare, b);
        return true;
    }
    if (winnow__text_is_bit(text, a) && b->kind == WINNOW__TEXT_CONSTANT)
        return compare_bit(text, a, comparison, b->truth);
    if (winnow__text_is_bit(text, b) && a->kind == WINNOW__TEXT_CONSTANT) {
        winnow__text_value bit = *b;
        const bool compared = compare_bit(text, &bit, comparison, a->truth);
        *a = bit;
        return compared;
    }
    if (winnow__text_is_bit(text, a) && point_b)
        return winnow__text_fail_bit(text, a);
    if (winnow__text_is_bit(text, b) && point_a)
        return winnow__text_fail_bit(text, b);
    if (!may_be_end(a) || !may_be_end(b))
        return fail_compared(text, a, comparison, b);
    if (a->kind == WINNOW__TEXT_COLUMN && point_b &&
        winnow__text_is_point_of(text, a, b))
        return compare_column(text, a, compare, b);
    if (!point_a || b->kind != WINNOW__TEXT_COLUMN ||
        !winnow__text_is_point_of(text, b, a))
        return winnow__text_compare_values(text, a, comparison, b);
    winnow__text_value column = *b;
    if (!compare_column(text, &column, winnow__mirrored(compare), a))
        return false;
    *a = column;
    a->compare = (uint8_t)compare;
    a->continues = !winnow__is_equality(compare);
    return true;
}
