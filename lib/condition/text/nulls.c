/*
 * Nulls in the text of a condition: the word null, which is unknown as a
 * condition, and tests for null.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"

static bool is_condition(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_CONDITION;
}

static bool is_column(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_COLUMN ||
           value->kind == WINNOW__TEXT_STRINGS ||
           value->kind == WINNOW__TEXT_UNTESTED;
}

bool winnow__text_check_tested(winnow__text *text,
                               const winnow__text_value *value) {
    if (value->kind != WINNOW__TEXT_UNTESTED)
        return true;
    text->named = value->column; /* the text may name others behind it */
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, value->span.begin, "column '%.100s' %s",
        text->fields[value->column].name,
        winnow__names_refusal(&text->names, value->column).why);
}

/* Turn the condition *value into: it is neither true nor false. */
static bool be_unknown_of(winnow__text *text, winnow__text_value *value) {
    const uint32_t end = text->number;
    winnow__text_value other = *value;
    if (!winnow__text_add_is_true(text))
        return false;
    winnow__text_turn(text, value, true);
    other.first = text->number;
    return winnow__text_copy(text, value->first, end, value->span.begin) &&
           winnow__text_turn(text, &other, true) &&
           winnow__text_add_is_true(text) &&
           winnow__text_turn(text, &other, true) &&
           winnow__text_join(text, WINNOW__NODE_AND, value, &other);
}

/* Is a value null exactly when one of the columns that it reads is? */
static bool is_null_with_columns(const winnow__expression *expression) {
    if (expression->program.makes_nulls)
        return false;
    for (unsigned i = 0; i < expression->columns; i++)
        /* An index that is outside of its dictionary has no string, and no length. */
        if (winnow__is_string_type(expression->column[i].type))
            return false;
    return true;
}

/* Add: the element, or the value, is not null. */
static bool add_valid(winnow__text *text, winnow__text_value *value,
                      uint32_t place) {
    return winnow__text_add_leaf(
        text, value, (winnow__node){.kind = WINNOW__NODE_VALID}, place);
}

/* Turn *value, which is computed, into: none of the columns that it reads is null. */
static bool be_valid(winnow__text *text, winnow__text_value *value,
                     const winnow__expression *expression) {
    for (unsigned i = 0; i < expression->columns; i++) {
        winnow__text_value column = {.kind = WINNOW__TEXT_COLUMN,
                                     .column = expression->column[i].column};
        if (!add_valid(text, &column, value->span.begin))
            return false;
        if (i == 0) {
            value->kind = column.kind;
            value->first = column.first;
        } else if (!winnow__text_join(text, WINNOW__NODE_AND, value, &column)) {
            return false;
        }
    }
    return true;
}

/* Turn *value into: it is not null. */
static bool be_not_null(winnow__text *text, winnow__text_value *value) {
    if (!value->computed)
        return add_valid(text, value, value->span.begin);
    winnow__expression *const expression = winnow__text_expression(text, value);
    if (expression == NULL)
        return false;
    const bool made = is_null_with_columns(expression)
                          ? be_valid(text, value, expression)
                          : add_valid(text, value, value->span.begin);
    winnow__expression_release(expression);
    return made;
}

static bool is_null(winnow__text *text, winnow__text_value *value) {
    if (is_condition(value))
        return be_unknown_of(text, value);
    if (!is_column(value)) {
        winnow__text_be_constant(value, value->kind == WINNOW__TEXT_NULL);
        return true;
    }
    return be_not_null(text, value) && winnow__text_turn(text, value, true);
}

bool winnow__text_is(winnow__text *text, winnow__text_value *value,
                     const winnow__text_value *word) {
    const winnow__text_is_kind what = (winnow__text_is_kind)word->compare;
    bool made = true;
    if (value->inverted)
        return winnow__text_fail_inverted(text, value, word->span);
    if (what == WINNOW__TEXT_IS_NULL) {
        made = is_null(text, value);
    } else {
        if (!winnow__text_condition(text, value))
            return false;
        winnow__text_turn(text, value, what == WINNOW__TEXT_IS_FALSE);
        /* A condition that is never unknown needs no IS_TRUE. */
        if (is_condition(value) &&
            text->nodes[text->number - 1].kind != WINNOW__NODE_IS_TRUE)
            made = winnow__text_add_is_true(text);
    }
    value->continues = value->inverted = value->bare = false;
    return made && winnow__text_turn(text, value, word->negative);
}

bool winnow__text_compare_null(winnow__text *text, winnow__text_value *a,
                               const winnow__text_value *comparison,
                               const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    winnow__text_value unknown = *a;
    if (a->continues) { /* 1 < x < null, 1 < null < 3 */
        if (!winnow__text_check_range(text, a, comparison, "10 <= x <= 20"))
            return false;
        a->continues = false;
        return winnow__text_add_unknown(text, &unknown) &&
               winnow__text_join(text, WINNOW__NODE_AND, a, &unknown);
    }
    if (is_condition(a) || is_condition(b))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 (is_condition(a) ? a : b)->span.begin,
                                 "a condition is compared with nothing: use "
                                 "(...) is null");
    const bool is_middle = b->kind == WINNOW__TEXT_NULL || is_column(b);
    if (!winnow__text_add_unknown(text, a))
        return false;
    if (is_middle && !winnow__is_equality(compare)) /* it may be continued */
        winnow__text_go_on(a, compare, b);
    a->of_null = a->continues && b->kind == WINNOW__TEXT_NULL;
    return true;
}

bool winnow__text_between_any(winnow__text *text, winnow__text_value *a,
                              const winnow__text_value *b,
                              const winnow__text_value *c, bool negated) {
    const winnow__text_value least = {.compare = WINNOW_GE, .span = b->span};
    const winnow__text_value most = {.compare = WINNOW_LE, .span = c->span};
    winnow__text_value second = *a;
    return winnow__text_compare(text, a, &least, b) &&
           winnow__text_compare(text, &second, &most, c) &&
           winnow__text_join(text, WINNOW__NODE_AND, a, &second) &&
           winnow__text_turn(text, a, negated);
}
