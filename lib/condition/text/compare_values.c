/*
 * Comparisons of two columns, or of computed values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

/* Compare decimals, or a decimal and an integer. */
static bool compare_exact(winnow__text *text, winnow__text_value *a,
                          winnow_compare compare, const winnow__text_value *b,
                          winnow__value *truth) {
    winnow__exact left, right;
    if (!winnow__text_take_exact(text, a, &left) ||
        !winnow__text_take_exact(text, b, &right))
        return false;
    *truth = winnow__exact_compare(text->builder, compare, left, right);
    return true;
}

/* Compare moments of one kind. */
static winnow__value compare_moments(const winnow__text *text,
                                     winnow_compare compare,
                                     const winnow__operand *a,
                                     const winnow__operand *b) {
    if (a->unit > b->unit) /* a has the finer unit */
        return compare_moments(text, winnow__mirrored(compare), b, a);
    return winnow__build_compare_scaled(
        text->builder, compare, a->value,
        (int64_t)(winnow__unit_of(a->unit) / winnow__unit_of(b->unit)),
        b->value);
}

bool winnow__text_give_truth(winnow__text *text, winnow__text_value *a,
                             winnow__value value, uint32_t place) {
    winnow__constant constant;
    if (!winnow__text_check_value(text, value, place))
        return false;
    if (!winnow__value_constant(text->builder, value, &constant)) {
        winnow__text_value truth = {
            .computed = true, .value = value, .span = a->span};
        if (!winnow__text_add_leaf(
                text, &truth, (winnow__node){.kind = WINNOW__NODE_BIT}, place))
            return false;
        *a = truth;
        return true;
    }
    if (constant.is_null)
        return winnow__text_add_unknown(text, a);
    winnow__text_be_constant(a, constant.i != 0);
    return true;
}

/* Compare bits, moments of one kind, or numbers in their common type. */
static bool compare_others(winnow__text *text, const winnow__text_value *a,
                           const winnow__text_value *comparison,
                           const winnow__text_value *b, winnow__value *truth) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    winnow__operand left = {.kind = winnow__operand_kind_of(text, a)};
    winnow__operand right = {.kind = winnow__operand_kind_of(text, b)};
    if (left.kind == WINNOW__OPERAND_NONE || right.kind == WINNOW__OPERAND_NONE)
        return winnow__text_fail_two(text, a, comparison, b,
                                     "two numbers, or moments of one kind");
    if (!winnow__text_take_operand(text, a, b, &left) ||
        !winnow__text_take_operand(text, b, a, &right))
        return false;
    const bool are_moments = winnow__operands_are_alike(&left, &right);
    const bool are_bits =
        left.kind == WINNOW__OPERAND_BITS && right.kind == WINNOW__OPERAND_BITS;
    if (are_bits && !winnow__is_equality(compare))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 comparison->span.begin,
                                 "true and false are equal or not, and have no "
                                 "order");
    if (!are_bits && !are_moments &&
        (left.kind != WINNOW__OPERAND_NUMBER ||
         right.kind != WINNOW__OPERAND_NUMBER))
        return winnow__text_fail_two(text, a, comparison, b,
                                     "two numbers, or moments of one kind");
    *truth = are_moments ? compare_moments(text, compare, &left, &right)
                         : winnow__build_compare(text->builder, compare,
                                                 left.value, right.value);
    return true;
}

bool winnow__text_compare_values(winnow__text *text, winnow__text_value *a,
                                 const winnow__text_value *comparison,
                                 const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    const winnow__text_value first = *a;
    winnow__value truth = WINNOW__NO_VALUE;
    if (winnow__text_are_exact(text, a, b)) {
        if (!compare_exact(text, a, compare, b, &truth))
            return false;
    } else if (!compare_others(text, a, comparison, b, &truth)) {
        return false;
    }
    if (!winnow__text_give_truth(text, a, truth, first.span.begin))
        return false;
    /* x < y may be continued to x < y < z. */
    if (!winnow__is_equality(compare) && b->kind == WINNOW__TEXT_COLUMN)
        winnow__text_go_on(a, compare, b);
    return true;
}
