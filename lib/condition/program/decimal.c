/*
 * Decimals: integers of 64 bits, or of two halves. Each half is a value of its
 * own, so that the operations of integers can be used.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decimal_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

/* ------------------------------------------------------------------- powers */

winnow__wide winnow__most_of_digits(int digits) {
    unsigned_wide made = 1;
    for (int i = 0; i < digits; i++)
        made *= 10;
    return (winnow__wide)(made - 1);
}

int64_t winnow__power_of_ten(int digits) {
    return (int64_t)winnow__most_of_digits(digits) + 1;
}

winnow__value winnow__exact_float_power(winnow__builder *b, int exponent) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return winnow__build_float(b, strtod(text, NULL), false);
}

/* --------------------------------------------------------------- operations */

winnow__exact winnow__exact_widened(winnow__builder *b, winnow__exact x) {
    if (!x.is_wide)
        x.upper = winnow__make_int(b, WINNOW__MULTIPLY_HIGH_INT64, x.value,
                                   winnow__exact_int(b, 1));
    x.is_wide = true;
    return x;
}

/* Less than, equal to or greater than 0, as integer x compares with y. */
static winnow__value order_of(winnow__builder *b, winnow__exact x,
                              winnow__exact y) {
    x = winnow__exact_widened(b, x);
    y = winnow__exact_widened(b, y);
    const winnow__value upper =
        winnow__make_int(b, WINNOW__ORDER_INT64, x.upper, y.upper);
    return winnow__make_sum(
        b, winnow__make_sum(b, upper, upper),
        winnow__make_int(b, WINNOW__ORDER_UINT64, x.value, y.value));
}

winnow__exact winnow__exact_unless_below_0(winnow__builder *b, winnow__exact x,
                                           winnow__value number) {
    x.value =
        winnow__make_int(b, WINNOW__UNLESS_BELOW_0_INT64, x.value, number);
    if (x.is_wide)
        x.upper =
            winnow__make_int(b, WINNOW__UNLESS_BELOW_0_INT64, x.upper, number);
    return x;
}

winnow__exact winnow__exact_within(winnow__builder *b, winnow__exact x) {
    const winnow__wide most = winnow__most_of_digits(x.precision);
    if (!x.is_wide && x.precision > WINNOW__NARROW_DIGITS)
        return x;
    if (!x.is_wide) {
        x.value = winnow__make_int(b, WINNOW__WITHIN_INT64, x.value,
                                   winnow__exact_int(b, (int64_t)most));
        return x;
    }
    const winnow__value below =
        order_of(b, winnow__exact_constant(b, most, 0), x);
    const winnow__value above =
        order_of(b, x, winnow__exact_constant(b, -most, 0));
    return winnow__exact_unless_below_0(
        b, x, winnow__make_int(b, WINNOW__MIN_INT64, below, above));
}

static bool is_zero(const winnow__builder *b, winnow__value x) {
    winnow__constant known;
    return x != WINNOW__NO_VALUE && winnow__value_constant(b, x, &known) &&
           known.i == 0;
}

winnow__exact winnow__exact_product(winnow__builder *b, winnow__exact x,
                                    winnow__exact y) {
    const int precision = x.precision + y.precision;
    const bool both = !x.is_wide && !y.is_wide;
    winnow__exact made = {.is_wide = precision > WINNOW__NARROW_DIGITS,
                          .precision = precision,
                          .scale = x.scale + y.scale};
    if (made.is_wide && !both) {
        x = winnow__exact_widened(b, x);
        y = winnow__exact_widened(b, y);
    }
    made.value = winnow__make_int(b, WINNOW__MULTIPLY_INT64, x.value, y.value);
    if (made.is_wide && both)
        made.upper =
            winnow__make_int(b, WINNOW__MULTIPLY_HIGH_INT64, x.value, y.value);
    else if (made.is_wide)
        made.upper =
            winnow__make_int(b, WINNOW__MULTIPLY_HIGH_UINT64, x.value, y.value);
    if (made.is_wide && !both && !is_zero(b, x.upper))
        made.upper = winnow__make_sum(
            b, made.upper,
            winnow__make_int(b, WINNOW__MULTIPLY_INT64, x.upper, y.value));
    if (made.is_wide && !both && !is_zero(b, y.upper))
        made.upper = winnow__make_sum(
            b, made.upper,
            winnow__make_int(b, WINNOW__MULTIPLY_INT64, x.value, y.upper));
    return made;
}

winnow__exact winnow__exact_finer(winnow__builder *b, winnow__exact x,
                                  int digits) {
    for (int now; digits > 0; digits -= now) {
        now = digits < WINNOW__NARROW_DIGITS ? digits : WINNOW__NARROW_DIGITS;
        const winnow__exact by = {
            .value = winnow__exact_int(b, winnow__power_of_ten(now)),
            .precision = now,
            .scale = now};
        x = winnow__exact_product(b, x, by);
    }
    return x;
}

winnow__value winnow__exact_float(winnow__builder *b, winnow__exact x) {
    return x.is_wide ? winnow__make(b, WINNOW__WIDE_TO_FLOAT64, WINNOW__FLOAT64,
                                    x.value, x.upper)
                     : winnow__convert(b, x.value, WINNOW__FLOAT64);
}

/* ------------------------------------------------------------------- values */

winnow__exact winnow__exact_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type, int precision, int scale) {
    winnow__exact made = {.precision = precision, .scale = scale};
    if (precision <= WINNOW__NARROW_DIGITS) {
        made.value = winnow__build_column(builder, column, type);
        return winnow__exact_within(builder, made);
    }
    made.is_wide = true;
    made.value = winnow__build_load(builder, column, type, WINNOW__LOAD_LOWER);
    made.upper = winnow__build_load(builder, column, type, WINNOW__LOAD_UPPER);
    return winnow__exact_within(builder, made);
}

static int digits_of(unsigned_wide number) {
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

winnow__exact winnow__exact_integer(winnow__builder *builder,
                                    winnow__value value) {
    winnow__exact made = {.value = value};
    if (value == WINNOW__NO_VALUE)
        return made;
    const winnow__builder_node *const node = winnow__node_of(builder, value);
    made.is_wide = node->type == WINNOW__UINT64;
    if (made.is_wide) {
        made.precision = 20;
        made.upper = winnow__exact_int(builder, 0);
        return made;
    }
    const winnow__wide low = node->range.low, high = node->range.high;
    made.precision = digits_of((unsigned_wide)(-low > high ? -low : high));
    return made;
}

winnow__exact winnow__exact_constant(winnow__builder *builder,
                                     winnow__wide units, int scale) {
    const unsigned_wide size = (unsigned_wide)units;
    const int digits = digits_of(units < 0 ? 0 - size : size);
    winnow__exact made = {.is_wide = digits > WINNOW__NARROW_DIGITS,
                          .precision = digits > scale ? digits : scale,
                          .scale = scale};
    if (!made.is_wide) {
        made.value = winnow__exact_int(builder, (int64_t)units);
        return made;
    }
    made.value = winnow__build_uint(builder, (uint64_t)units, false);
    made.upper = winnow__exact_int(builder, (int64_t)(units >> 64));
    return made;
}

winnow__value winnow__exact_to_float64(winnow__builder *builder,
                                       winnow__exact a) {
    const bool down = a.scale < 0;
    return winnow__build_binary(
        builder, down ? WINNOW__MULTIPLY : WINNOW__DIVIDE,
        winnow__exact_float(builder, a),
        winnow__exact_float_power(builder, down ? -a.scale : a.scale));
}

/* -------------------------------------------------------------- comparisons */

/* Compare a times 10^digits with b. If that is far beyond all decimals of 38
 * digits, the sign of a decides. */
static winnow__value order_at(winnow__builder *builder, winnow__exact a,
                              int digits, winnow__exact b) {
    const int precision = a.precision + digits;
    const winnow__exact zero = winnow__exact_constant(builder, 0, 0);
    if (digits > WINNOW__MOST_DIGITS) {
        const winnow__value sign = order_of(builder, a, zero);
        return winnow__make_sum(builder,
                                winnow__make_int(builder,
                                                 WINNOW__MULTIPLY_INT64, sign,
                                                 winnow__exact_int(builder, 4)),
                                order_of(builder, zero, b));
    }
    const winnow__value near =
        order_of(builder, winnow__exact_finer(builder, a, digits), b);
    if (precision <= WINNOW__MOST_DIGITS)
        return near;
    const winnow__value about = winnow__build_binary(
        builder, WINNOW__MULTIPLY, winnow__exact_float(builder, a),
        winnow__exact_float_power(builder, digits));
    const winnow__value far = winnow__build_binary(
        builder, WINNOW__SUBTRACT,
        winnow__build_whether(
            builder, winnow__build_compare(
                         builder, WINNOW_GE, about,
                         winnow__build_float(builder, WINNOW__FAR, false))),
        winnow__build_whether(
            builder, winnow__build_compare(
                         builder, WINNOW_LE, about,
                         winnow__build_float(builder, -WINNOW__FAR, false))));
    return winnow__make_sum(builder,
                            winnow__make_int(builder, WINNOW__MULTIPLY_INT64,
                                             far,
                                             winnow__exact_int(builder, 4)),
                            near);
}

winnow__value winnow__exact_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__exact a,
                                    winnow__exact b) {
    const int digits = b.scale - a.scale;
    if (digits < 0)
        return winnow__exact_compare(builder, winnow__mirrored(compare), b, a);
    if (!a.is_wide && !b.is_wide && digits <= WINNOW__NARROW_DIGITS)
        return winnow__build_compare_scaled(
            builder, compare, a.value, winnow__power_of_ten(digits), b.value);
    return winnow__build_compare(builder, compare,
                                 order_at(builder, a, digits, b),
                                 winnow__exact_int(builder, 0));
}

winnow__value winnow__exact_between(winnow__builder *builder, winnow__exact a,
                                    winnow__wide low, winnow__wide high) {
    const winnow__value from =
        order_of(builder, a, winnow__exact_constant(builder, low, 0));
    const winnow__value to =
        order_of(builder, winnow__exact_constant(builder, high, 0), a);
    return winnow__build_compare(
        builder, WINNOW_LE, winnow__exact_int(builder, 0),
        winnow__make_int(builder, WINNOW__MIN_INT64, from, to));
}

/* A product of orders is 0 if one of them is. Without values no order is 5, and
 * the outcome is still null if a is. */
winnow__value winnow__exact_in(winnow__builder *builder, winnow__exact a,
                               const void *values, uint64_t count) {
    winnow__value made = winnow__exact_int(builder, 1);
    if (count == 0)
        return winnow__build_compare(
            builder, WINNOW_EQ,
            order_of(builder, a, winnow__exact_constant(builder, 0, 0)),
            winnow__exact_int(builder, 5));
    for (uint64_t i = 0; i < count && made != WINNOW__NO_VALUE; i++) {
        winnow__wide value;
        memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
        made = winnow__make_int(
            builder, WINNOW__MULTIPLY_INT64, made,
            order_of(builder, a, winnow__exact_constant(builder, value, 0)));
    }
    return winnow__build_compare(builder, WINNOW_EQ, made,
                                 winnow__exact_int(builder, 0));
}
