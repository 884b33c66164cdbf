/*
 * Comparisons of strings in the text of a condition, and ranges of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"
#include "strings.h"

#include <stdlib.h>
#include <string.h>

/* Fail because a column of strings meets a value that is not a text. */
static bool fail_beside(winnow__text *text, const winnow__text_value *column,
                        const winnow__text_value *value) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
                             "found '%.*s', expected a text in single quotes "
                             "or a column of strings: '%.*s' is of strings",
                             WINNOW__TEXT_SHOWN(text, value->span, 60),
                             WINNOW__TEXT_NAME(text, column));
}

static winnow__string_operand operand_of(const winnow__text *text,
                                         const winnow__text_value *column) {
    return (winnow__string_operand){
        .column = column->column,
        .type = winnow__text_element_type(text, column)};
}

/* Fail if the order of a column's strings is needed and is not that of their bytes. */
static bool check_order(winnow__text *text, const winnow__text_value *column,
                        winnow_compare compare) {
    return winnow__is_equality(compare) ||
           !winnow__names_refusal(&text->names, column->column).ordered ||
           winnow__text_fail(
               text, WINNOW_ERR_UNSUPPORTED, column->span.begin,
               "column '%.100s' has an ordered dictionary, whose order <, <=, "
               ">, >= and between do not know: write = or in, as in %.100s in "
               "('a', 'b')",
               text->fields[column->column].name,
               text->fields[column->column].name);
}

/* *column op value. */
static bool compare_column(winnow__text *text, winnow__text_value *column,
                           winnow_compare compare,
                           const winnow__text_value *value) {
    bool negated;
    if (!check_order(text, column, compare))
        return false;
    const winnow__pattern_kind kind =
        winnow__string_compare_kind(compare, &negated);
    return winnow__text_add_pattern(text, column, kind, value, negated);
}

/* Two columns; *a becomes the condition. */
static bool compare_columns(winnow__text *text, winnow__text_value *a,
                            winnow_compare compare,
                            const winnow__text_value *b) {
    const winnow__text_value first = *a;
    if (!check_order(text, a, compare) || !check_order(text, b, compare) ||
        !winnow__text_have_builder(text))
        return false;
    const winnow__value value = winnow__build_compare_strings(
        text->builder, compare, operand_of(text, a), operand_of(text, b));
    if (!winnow__text_give_truth(text, a, value, first.span.begin))
        return false;
    if (!winnow__is_equality(compare))
        winnow__text_go_on(a, compare, b);
    return true;
}

/* *column op a text, or a column. */
static bool compare_either(winnow__text *text, winnow__text_value *column,
                           winnow_compare compare,
                           const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_STRINGS
               ? compare_columns(text, column, compare, value)
               : compare_column(text, column, compare, value);
}

/* The second half of 'a' <= name <= 'b'. */
static bool compare_range(winnow__text *text, winnow__text_value *a,
                          const winnow__text_value *comparison,
                          const winnow__text_value *b) {
    winnow__text_value second = *a;
    second.kind = WINNOW__TEXT_STRINGS;
    second.continues = false;
    if (!winnow__is_string_type(winnow__text_element_type(text, a)))
        return b->kind == WINNOW__TEXT_STRING
                   ? winnow__text_fail_text(text, a, b)
                   : winnow__text_fail_string(text, b, "a number");
    if (!winnow__text_is_string(b))
        return fail_beside(text, a, b);
    return winnow__text_check_range(text, a, comparison,
                                    "'a' <= name <= 'b'") &&
           winnow__text_compare_strings(text, &second, comparison, b) &&
           winnow__text_join_range(text, a, &second);
}

/* Compare two texts. */
static bool compare_texts(winnow__text *text, winnow__text_value *a,
                          winnow_compare compare, const winnow__text_value *b) {
    winnow__bytes left, right;
    char *const copy_a = winnow__text_copy_quoted(text, a, &left);
    char *const copy_b =
        copy_a != NULL ? winnow__text_copy_quoted(text, b, &right) : NULL;
    if (copy_b != NULL) {
        const size_t both =
            left.number < right.number ? left.number : right.number;
        int order = both != 0 ? memcmp(left.bytes, right.bytes, both) : 0;
        if (order == 0)
            order = (left.number > right.number) - (left.number < right.number);
        winnow__text_be_constant(a, winnow__holds(order, compare));
    }
    free(copy_a);
    free(copy_b);
    return copy_b != NULL;
}

bool winnow__text_compare_strings(winnow__text *text, winnow__text_value *a,
                                  const winnow__text_value *comparison,
                                  const winnow__text_value *b) {
    const winnow_compare compare = (winnow_compare)comparison->compare;
    const bool text_a = a->kind == WINNOW__TEXT_STRING;
    const bool text_b = b->kind == WINNOW__TEXT_STRING;
    if (a->continues)
        return compare_range(text, a, comparison, b);
    if (text_a && text_b)
        return compare_texts(text, a, compare, b);
    if (a->kind == WINNOW__TEXT_STRINGS && winnow__text_is_string(b))
        return compare_either(text, a, compare, b);
    if (text_a && b->kind == WINNOW__TEXT_STRINGS) {
        winnow__text_value column = *b;
        if (!compare_column(text, &column, winnow__mirrored(compare), a))
            return false;
        *a = column;
        a->compare = (uint8_t)compare;
        a->continues = !winnow__is_equality(compare);
        return true;
    }
    if (text_b && a->kind == WINNOW__TEXT_COLUMN)
        return winnow__text_fail_text(text, a, b);
    if (text_a && b->kind == WINNOW__TEXT_COLUMN)
        return winnow__text_fail_text(text, b, a);
    if (text_a || text_b)
        return winnow__text_fail_string(
            text, text_a ? a : b, text_a ? "a column before it" : "a number");
    if (a->kind == WINNOW__TEXT_STRINGS)
        return fail_beside(text, a, b);
    return fail_beside(text, b, a);
}
