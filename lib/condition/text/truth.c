/*
 * Values as conditions: a column is not 0, its opposite, isnan and isfinite.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

/* As in C, everything but 0 is true. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value) {
    if (!winnow__text_check_tested(text, value))
        return false;
    if (value->kind == WINNOW__TEXT_NULL)
        return winnow__text_add_unknown(text, value);
    if (value->kind == WINNOW__TEXT_NUMBER ||
        (value->kind == WINNOW__TEXT_COMPUTED &&
         value->meaning == WINNOW__NUMBERS))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found a number, expected a condition");
    if (winnow__text_is_point(value))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found '%.*s', expected a condition",
                                 WINNOW__TEXT_SHOWN(text, value->span, 60));
    if (winnow__text_is_string(value))
        return winnow__text_fail_string(text, value, "a condition");
    value->continues = value->inverted = false;
    if (value->kind != WINNOW__TEXT_COLUMN)
        return true;
    if (winnow__text_is_bit(text, value))
        return winnow__text_add_leaf(text, value,
                                     (winnow__node){.kind = WINNOW__NODE_BIT},
                                     value->span.begin);
    if (winnow__text_is_of_moments(text, value))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "'%.*s' is no condition: its values are "
                                 "neither true nor false",
                                 WINNOW__TEXT_NAME(text, value));
    return winnow__text_add_keys(text, value, (winnow__keys){0, 0},
                                 value->span.begin) &&
           winnow__text_turn(text, value, true);
}

bool winnow__text_not(winnow__text *text, winnow__text_value *value) {
    const bool is_column = value->kind == WINNOW__TEXT_COLUMN &&
                           !value->masked && !value->computed;
    if (!winnow__text_condition(text, value))
        return false;
    winnow__text_turn(text, value, true);
    value->inverted = is_column;
    return true;
}

/* Keep the keys from -most to most of a column, for the function `name`. */
static bool add_magnitude(winnow__text *text, winnow__text_value *value,
                          const char *name, uint64_t beyond) {
    if (!winnow__text_check_tested(text, value))
        return false;
    if (winnow__text_is_string(value))
        return winnow__text_fail_string(text, value, "a column of floats");
    if (value->kind == WINNOW__TEXT_NULL)
        return winnow__text_add_unknown(text, value);
    if (value->kind != WINNOW__TEXT_COLUMN || value->masked)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "expected a column in the parentheses of %s",
                                 name);
    const winnow__type_info *const type = winnow__text_type(text, value);
    if (type == NULL)
        return winnow__text_fail_bit(text, value);
    if (type->infinity == 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "%s is of floats: '%.*s' is of %s", name,
                                 WINNOW__TEXT_NAME(text, value),
                                 winnow__column_type_name(text, value));
    const winnow__wide most = type->infinity - beyond;
    return winnow__text_add_keys(text, value, (winnow__keys){-most, most},
                                 value->span.begin);
}

bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value) {
    return add_magnitude(text, value, "isnan", 0) &&
           winnow__text_turn(text, value, true);
}

bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value) {
    return add_magnitude(text, value, "isfinite", 1);
}
