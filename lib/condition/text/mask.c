/*
 * The bits of a column under a mask: flags & 7.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

/* Set the mask of *column, which has integers, to a number. Negative numbers
 * have infinitely many leading ones, and so do columns of signed integers. */
static bool set_mask(winnow__text *text, winnow__text_value *column,
                     const winnow__text_value *number) {
    const winnow__type_info *const type = winnow__text_type(text, column);
    const winnow__domain domain = winnow__text_domain(text, column);
    winnow__point point;
    if (!winnow__text_point(text, column, number, &point))
        return false;
    const winnow__wide value = point.floor;
    const winnow__wide least =
        type->is_signed ? domain.least : -(winnow__wide)INT64_MAX - 1;
    const winnow__wide most =
        type->is_signed ? winnow__all_bits(type) : UINT64_MAX;
    if (point.none || (point.beyond == 0 && !point.exact))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, number->span.begin,
                                 "found %.*s, expected an integer: it is a "
                                 "mask of bits",
                                 WINNOW__TEXT_SHOWN(text, number->span, 100));
    if (point.beyond != 0 || value < least || value > most)
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, number->span.begin,
            "found %.*s: a mask of %s is from %lld to %llu",
            WINNOW__TEXT_SHOWN(text, number->span, 100), type->name,
            (long long)least, (unsigned long long)most);
    column->masked = column->bare = true;
    column->is_signed = type->is_signed && value < 0;
    column->mask = (uint64_t)value & winnow__all_bits(type);
    return true;
}

static bool is_condition(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_CONDITION ||
           value->kind == WINNOW__TEXT_CONSTANT;
}

bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       winnow__text_span sign, const winnow__text_value *b) {
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    const bool swapped = a->kind == WINNOW__TEXT_NUMBER;
    const winnow__text_value *const number = swapped ? a : b;
    winnow__text_value column = swapped ? *b : *a;
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, sign);
    if (winnow__text_is_string(a) || winnow__text_is_string(b))
        return winnow__text_fail_string(text, winnow__text_is_string(a) ? a : b,
                                        "integers beside &");
    if (is_condition(a) || is_condition(b))
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
            "& takes the bits of a column, as in (flags & 7) = 3: conditions "
            "are joined by 'and' or &&");
    if (column.kind == WINNOW__TEXT_NULL) {
        *a = column;
        return true;
    }
    if (column.kind != WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, b->span.begin,
                                 "found a number on both sides of &, expected "
                                 "a column");
    if ((number->kind != WINNOW__TEXT_NUMBER &&
         number->kind != WINNOW__TEXT_COMPUTED) ||
        column.masked)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of one column and one number");
    if (winnow__text_is_bit(text, &column))
        return winnow__text_fail_bit(text, &column);
    if (winnow__text_type(text, &column)->infinity != 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of integers: '%.*s' is of %s",
                                 WINNOW__TEXT_NAME(text, &column),
                                 winnow__column_type_name(text, &column));
    if (winnow__text_type(text, &column)->size == 16 ||
        winnow__text_meaning(text, &column).kind != WINNOW__NUMBERS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of integers of up to 64 bits, none of "
                                 "'%.*s'",
                                 WINNOW__TEXT_NAME(text, &column));
    if (!set_mask(text, &column, number))
        return false;
    column.left = a->span;
    column.right = b->span;
    column.span = (winnow__text_span){a->span.begin, b->span.end};
    *a = column;
    return true;
}
