/*
 * Operators between values: + - * / // %, the minus sign, and min and max,
 * which also have two operands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

/* The kind of the result for two moments, or WINNOW__OPERAND_NONE. */
static winnow__operand_kind kind_of_moments(const winnow__operand *a,
                                            const winnow__operand *b,
                                            winnow__binary operation) {
    if (operation == WINNOW__ADD && b->kind == WINNOW__OPERAND_DURATION &&
        (a->kind == WINNOW__OPERAND_INSTANT ||
         a->kind == WINNOW__OPERAND_DURATION))
        return a->kind;
    if (operation == WINNOW__ADD && a->kind == WINNOW__OPERAND_DURATION &&
        b->kind == WINNOW__OPERAND_INSTANT)
        return WINNOW__OPERAND_INSTANT;
    if (operation == WINNOW__SUBTRACT && a->kind == WINNOW__OPERAND_INSTANT &&
        b->kind == WINNOW__OPERAND_DURATION)
        return WINNOW__OPERAND_INSTANT;
    if (!winnow__operands_are_alike(a, b))
        return WINNOW__OPERAND_NONE;
    if (operation == WINNOW__SUBTRACT)
        return WINNOW__OPERAND_DURATION;
    return operation == WINNOW__MIN || operation == WINNOW__MAX
               ? a->kind
               : WINNOW__OPERAND_NONE;
}

/* How many ticks of the finer unit are one of the moment's unit. */
static int64_t ticks(const winnow__operand *moment, unsigned fine) {
    return (int64_t)(winnow__unit_of(moment->unit) / winnow__unit_of(fine));
}

static bool is_number(const winnow__operand *a) {
    return a->kind == WINNOW__OPERAND_NUMBER || a->kind == WINNOW__OPERAND_NULL;
}

static const char *wanted_by(winnow__binary operation) {
    switch (operation) {
    case WINNOW__ADD:
        return "numbers, durations, or a date or timestamp and a duration";
    case WINNOW__SUBTRACT:
        return "numbers, moments of one kind, or a date or timestamp and a "
               "duration";
    case WINNOW__MIN:
    case WINNOW__MAX:
        return "numbers, or moments of one kind";
    default:
        return "numbers";
    }
}

/* Combine decimals, or a decimal and an integer. */
static bool combine_exact(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *op,
                          const winnow__text_value *b) {
    const winnow__binary operation = (winnow__binary)op->compare;
    winnow__exact left, right;
    if (!winnow__text_take_exact(text, a, &left) ||
        !winnow__text_take_exact(text, b, &right))
        return false;
    if (operation == WINNOW__REMAINDER && !winnow__has_remainder(&left, &right))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, op->span.begin,
                                 "%% takes decimals of at most %d digits at "
                                 "the finer scale of both: write cast(%.*s as "
                                 "float64)",
                                 WINNOW__NARROW_DIGITS,
                                 WINNOW__TEXT_SHOWN(text, a->span, 60));
    const winnow__exact made =
        winnow__exact_binary(text->builder, operation, left, right);
    return winnow__text_give_exact(text, a, &made, op->span);
}

bool winnow__text_combine(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *op,
                          const winnow__text_value *b) {
    const winnow__binary operation = (winnow__binary)op->compare;
    winnow__operand left = {.kind = winnow__operand_kind_of(text, a)};
    winnow__operand right = {.kind = winnow__operand_kind_of(text, b)};
    winnow__operand result = {.kind = WINNOW__OPERAND_NUMBER};
    bool folded;
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, op->span);
    if (!winnow__text_fold(text, a, op, b, &folded))
        return false;
    if (folded)
        return true;
    if (left.kind <= WINNOW__OPERAND_BITS || right.kind <= WINNOW__OPERAND_BITS)
        return winnow__text_fail_two(text, a, op, b, wanted_by(operation));
    if (operation != WINNOW__DIVIDE && operation != WINNOW__FLOOR_DIVIDE &&
        winnow__text_are_exact(text, a, b))
        return combine_exact(text, a, op, b);
    if (!winnow__text_take_operand(text, a, b, &left) ||
        !winnow__text_take_operand(text, b, a, &right))
        return false;
    if (left.kind == WINNOW__OPERAND_NULL ||
        right.kind == WINNOW__OPERAND_NULL) {
        *a = (winnow__text_value){.kind = WINNOW__TEXT_NULL, .span = a->span};
        return true;
    }
    if (!is_number(&left) || !is_number(&right)) {
        result.kind = kind_of_moments(&left, &right, operation);
        if (result.kind == WINNOW__OPERAND_NONE)
            return winnow__text_fail_two(text, a, op, b, wanted_by(operation));
        result.unit = left.unit > right.unit ? left.unit : right.unit;
        if (result.kind == WINNOW__OPERAND_INSTANT) {
            const winnow__operand *const instant =
                left.kind == WINNOW__OPERAND_INSTANT ? &left : &right;
            result.zoned = instant->zoned;
            result.column = instant->column;
        }
    }
    result.value =
        result.kind == WINNOW__OPERAND_NUMBER
            ? winnow__build_binary(text->builder, operation, left.value,
                                   right.value)
            : winnow__build_of_units(text->builder, operation, left.value,
                                     ticks(&left, result.unit), right.value,
                                     ticks(&right, result.unit));
    return winnow__text_give(text, a, &result);
}

bool winnow__text_sign(winnow__text *text, winnow__text_value *value,
                       const winnow__text_value *sign) {
    const bool negates = sign->compare == WINNOW__SUBTRACT;
    winnow__text_value function = *sign;
    function.compare = negates ? WINNOW__NEGATE : WINNOW__TEXT_PLUS;
    if (!winnow__text_check_tested(text, value))
        return false;
    if (value->kind != WINNOW__TEXT_NUMBER)
        return winnow__text_apply(text, value, &function);
    value->negative ^= negates;
    return true;
}
