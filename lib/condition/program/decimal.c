/*
 * Decimals: integers of 64 bits, or of two halves, each a value of its own, so
 * that the operations of integers serve.
 *
 * Halves are computed modulo 2^128. Where a result may have more bits, its
 * nearest float64 says so: it tells 10^38 from 2^127 and all that is beyond.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decimal.h"

#include "builder.h"

#include <stdio.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 unsigned_wide;

/* Above 10^38 and below 2^127, by far more than a float64 is rounded. */
#define FAR 1.5e38

/* ------------------------------------------------------------------- powers */

/* 10^digits - 1 */
static winnow__wide most_of(int digits) {
    unsigned_wide made = 1;
    for (int i = 0; i < digits; i++)
        made *= 10;
    return (winnow__wide)(made - 1);
}

static int64_t power_of(int digits) {
    return (int64_t)most_of(digits) + 1;
}

/* 10^exponent, rounded once. */
static winnow__value float_power(winnow__builder *b, int exponent) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return winnow__build_float(b, strtod(text, NULL), false);
}

/* --------------------------------------------------------------- operations */

static winnow__value integer(winnow__builder *b, int64_t value) {
    return winnow__build_int(b, value, false);
}

static winnow__value make(winnow__builder *b, unsigned code, winnow__value x,
                          winnow__value y) {
    return winnow__make(b, code, WINNOW__INT64, x, y);
}

static winnow__value add(winnow__builder *b, winnow__value x, winnow__value y) {
    return make(b, WINNOW__ADD_INT64, x, y);
}

/* 1 or 0 of a BOOL. */
static winnow__value whether(winnow__builder *b, winnow__value truth) {
    return winnow__build_cast(b, WINNOW_INT64, truth);
}

static winnow__exact widened(winnow__builder *b, winnow__exact x) {
    if (!x.is_wide)
        x.upper = make(b, WINNOW__MULTIPLY_HIGH_INT64, x.value, integer(b, 1));
    x.is_wide = true;
    return x;
}

/* Below 0, 0 or above it: as a is less than b, equal or greater. */
static winnow__value order_of(winnow__builder *b, winnow__exact x,
                              winnow__exact y) {
    x = widened(b, x);
    y = widened(b, y);
    const winnow__value upper = make(b, WINNOW__ORDER_INT64, x.upper, y.upper);
    return add(b, add(b, upper, upper),
               make(b, WINNOW__ORDER_UINT64, x.value, y.value));
}

/* Null where a number is below 0. */
static winnow__exact unless_below_0(winnow__builder *b, winnow__exact x,
                                    winnow__value number) {
    x.value = make(b, WINNOW__UNLESS_BELOW_0_INT64, x.value, number);
    x.upper = make(b, WINNOW__UNLESS_BELOW_0_INT64, x.upper, number);
    return x;
}

/* Null where it has more digits than its precision. */
static winnow__exact within(winnow__builder *b, winnow__exact x) {
    const winnow__wide most = most_of(x.precision);
    if (!x.is_wide) {
        x.value =
            make(b, WINNOW__WITHIN_INT64, x.value, integer(b, (int64_t)most));
        return x;
    }
    const winnow__value below =
        order_of(b, winnow__exact_constant(b, most, 0), x);
    const winnow__value above =
        order_of(b, x, winnow__exact_constant(b, -most, 0));
    return unless_below_0(b, x, make(b, WINNOW__MIN_INT64, below, above));
}

static bool is_zero(const winnow__builder *b, winnow__value x) {
    winnow__constant known;
    return x != WINNOW__NO_VALUE && winnow__value_constant(b, x, &known) &&
           known.i == 0;
}

/* The product; modulo 2^128. */
static winnow__exact product(winnow__builder *b, winnow__exact x,
                             winnow__exact y) {
    const int precision = x.precision + y.precision;
    const bool both = !x.is_wide && !y.is_wide;
    winnow__exact made = {.is_wide = precision > WINNOW__NARROW_DIGITS,
                          .precision = precision,
                          .scale = x.scale + y.scale};
    if (made.is_wide && !both) {
        x = widened(b, x);
        y = widened(b, y);
    }
    made.value = make(b, WINNOW__MULTIPLY_INT64, x.value, y.value);
    if (made.is_wide && both)
        made.upper = make(b, WINNOW__MULTIPLY_HIGH_INT64, x.value, y.value);
    else if (made.is_wide)
        made.upper = make(b, WINNOW__MULTIPLY_HIGH_UINT64, x.value, y.value);
    if (made.is_wide && !both && !is_zero(b, x.upper))
        made.upper = add(b, made.upper,
                         make(b, WINNOW__MULTIPLY_INT64, x.upper, y.value));
    if (made.is_wide && !both && !is_zero(b, y.upper))
        made.upper = add(b, made.upper,
                         make(b, WINNOW__MULTIPLY_INT64, x.value, y.upper));
    return made;
}

/* The same number at a scale that is `digits` finer; modulo 2^128. */
static winnow__exact finer(winnow__builder *b, winnow__exact x, int digits) {
    for (int now; digits > 0; digits -= now) {
        now = digits < WINNOW__NARROW_DIGITS ? digits : WINNOW__NARROW_DIGITS;
        const winnow__exact by = {
            .value = integer(b, power_of(now)), .precision = now, .scale = now};
        x = product(b, x, by);
    }
    return x;
}

/* The integer, as a float64. */
static winnow__value float_of(winnow__builder *b, winnow__exact x) {
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
        return within(builder, made);
    }
    made.is_wide = true;
    made.value = winnow__build_load(builder, column, type, WINNOW__LOAD_LOWER);
    made.upper = winnow__build_load(builder, column, type, WINNOW__LOAD_UPPER);
    return within(builder, made);
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
        made.upper = integer(builder, 0);
        return made;
    }
    const winnow__wide low = node->range.low, high = node->range.high;
    made.precision = digits_of((unsigned_wide)(-low > high ? -low : high));
    return made;
}

winnow__exact winnow__exact_constant(winnow__builder *builder,
                                     winnow__wide units, int scale) {
    const int digits = digits_of((unsigned_wide)(units < 0 ? -units : units));
    winnow__exact made = {.is_wide = digits > WINNOW__NARROW_DIGITS,
                          .precision = digits > scale ? digits : scale,
                          .scale = scale};
    if (!made.is_wide) {
        made.value = integer(builder, (int64_t)units);
        return made;
    }
    made.value = winnow__build_uint(builder, (uint64_t)units, false);
    made.upper = integer(builder, (int64_t)(units >> 64));
    return made;
}

winnow__value winnow__exact_to_float64(winnow__builder *builder,
                                       winnow__exact a) {
    const bool down = a.scale < 0;
    return winnow__build_binary(
        builder, down ? WINNOW__MULTIPLY : WINNOW__DIVIDE, float_of(builder, a),
        float_power(builder, down ? -a.scale : a.scale));
}

/* -------------------------------------------------------------- comparisons */

/* How a times 10^digits compares with b. Where it is far from all decimals of 38
 * digits, its sign decides. */
static winnow__value order_at(winnow__builder *builder, winnow__exact a,
                              int digits, winnow__exact b) {
    const int precision = a.precision + digits;
    const winnow__exact zero = winnow__exact_constant(builder, 0, 0);
    if (digits > WINNOW__MOST_DIGITS) {
        const winnow__value sign = order_of(builder, a, zero);
        return add(
            builder,
            make(builder, WINNOW__MULTIPLY_INT64, sign, integer(builder, 4)),
            order_of(builder, zero, b));
    }
    const winnow__value near = order_of(builder, finer(builder, a, digits), b);
    if (precision <= WINNOW__MOST_DIGITS)
        return near;
    const winnow__value about =
        winnow__build_binary(builder, WINNOW__MULTIPLY, float_of(builder, a),
                             float_power(builder, digits));
    const winnow__value far = winnow__build_binary(
        builder, WINNOW__SUBTRACT,
        whether(builder, winnow__build_compare(
                             builder, WINNOW_GE, about,
                             winnow__build_float(builder, FAR, false))),
        whether(builder, winnow__build_compare(
                             builder, WINNOW_LE, about,
                             winnow__build_float(builder, -FAR, false))));
    return add(builder,
               make(builder, WINNOW__MULTIPLY_INT64, far, integer(builder, 4)),
               near);
}

winnow__value winnow__exact_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__exact a,
                                    winnow__exact b) {
    const int digits = b.scale - a.scale;
    if (digits < 0)
        return winnow__exact_compare(builder, winnow__mirrored(compare), b, a);
    if (!a.is_wide && !b.is_wide && digits <= WINNOW__NARROW_DIGITS)
        return winnow__build_compare_scaled(builder, compare, a.value,
                                            power_of(digits), b.value);
    return winnow__build_compare(
        builder, compare, order_at(builder, a, digits, b), integer(builder, 0));
}
