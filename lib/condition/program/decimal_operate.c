/*
 * Operations of decimals: + - * % min max, signs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decimal_parts.h"

static int most(int a, int b) {
    return a > b ? a : b;
}

/* ------------------------------------------------------------------- halves */

/* x + y or x - y, as integers: modulo 2^64, or modulo 2^128 if x is wide. */
static winnow__exact add(winnow__builder *b, winnow__binary operation,
                         winnow__exact x, winnow__exact y) {
    const bool adds = operation == WINNOW__ADD;
    const unsigned code = adds ? WINNOW__ADD_INT64 : WINNOW__SUBTRACT_INT64;
    winnow__exact made = x;
    made.value = winnow__make_int(b, code, x.value, y.value);
    if (!x.is_wide)
        return made;
    y = winnow__exact_widened(b, y);
    const winnow__value carry = winnow__build_whether(
        b, winnow__make(b, WINNOW__LESS_UINT64, WINNOW__BOOL,
                        adds ? made.value : x.value, y.value));
    made.upper = winnow__make_int(
        b, code, winnow__make_int(b, code, x.upper, y.upper), carry);
    return made;
}

winnow__exact winnow__exact_sum(winnow__builder *b, winnow__exact x,
                                winnow__exact y) {
    return add(b, WINNOW__ADD, x, y);
}

winnow__exact winnow__exact_times(winnow__builder *b, winnow__exact x,
                                  winnow__value factor) {
    x.value = winnow__make_int(b, WINNOW__MULTIPLY_INT64, x.value, factor);
    if (x.is_wide)
        x.upper = winnow__make_int(b, WINNOW__MULTIPLY_INT64, x.upper, factor);
    return x;
}

/* y if is_y, else x. */
static winnow__exact choice(winnow__builder *b, winnow__value is_y,
                            winnow__exact x, winnow__exact y) {
    const winnow__exact apart = add(b, WINNOW__SUBTRACT, y, x);
    return add(b, WINNOW__ADD, x,
               winnow__exact_times(b, apart, winnow__build_whether(b, is_y)));
}

/* ------------------------------------------------------------------- of two */

winnow__exact winnow__exact_capped(winnow__builder *b, winnow__exact x,
                                   winnow__value about) {
    const double far = x.is_wide ? WINNOW__FAR : WINNOW__FAR_OF_NARROW;
    const winnow__value is_near = winnow__build_compare(
        b, WINNOW_LT, winnow__build_unary(b, WINNOW__ABS, about),
        winnow__build_float(b, far, false));
    if (x.precision > WINNOW__MOST_DIGITS)
        x.precision = WINNOW__MOST_DIGITS;
    return winnow__exact_within(
        b, winnow__exact_unless_below_0(
               b, x,
               winnow__make_int(b, WINNOW__SUBTRACT_INT64,
                                winnow__build_whether(b, is_near),
                                winnow__exact_int(b, 1))));
}

/* x as a float64, at a scale that is `digits` finer. */
static winnow__value about_at(winnow__builder *b, winnow__exact x, int digits) {
    return winnow__build_binary(b, WINNOW__MULTIPLY, winnow__exact_float(b, x),
                                winnow__exact_float_power(b, digits));
}

winnow__exact winnow__exact_to_scale(winnow__builder *b, winnow__exact x,
                                     int scale) {
    const int digits = scale - x.scale;
    const winnow__exact made = winnow__exact_finer(b, x, digits);
    return made.precision > WINNOW__MOST_DIGITS
               ? winnow__exact_capped(b, made, about_at(b, x, digits))
               : made;
}

static winnow__exact multiply(winnow__builder *b, winnow__exact x,
                              winnow__exact y) {
    const winnow__exact made = winnow__exact_product(b, x, y);
    if (made.precision <= WINNOW__MOST_DIGITS)
        return made;
    return winnow__exact_capped(
        b, made,
        winnow__build_binary(b, WINNOW__MULTIPLY, winnow__exact_float(b, x),
                             winnow__exact_float(b, y)));
}

/* Operate on integers of one scale. `is_y`: for MIN or MAX, is y the result? */
static winnow__exact operate(winnow__builder *b, winnow__binary operation,
                             winnow__exact x, winnow__exact y,
                             winnow__value is_y) {
    if (operation <= WINNOW__SUBTRACT)
        return add(b, operation, x, y);
    if (x.is_wide)
        return choice(b, is_y, x, y);
    x.value =
        winnow__make_int(b,
                         operation == WINNOW__MIN   ? WINNOW__MIN_INT64
                         : operation == WINNOW__MAX ? WINNOW__MAX_INT64
                                                    : WINNOW__REMAINDER_INT64,
                         x.value, y.value);
    return x;
}

/* The digits before the point that both need. */
static int whole_digits(const winnow__exact *x, const winnow__exact *y) {
    return most(x->precision - x->scale, y->precision - y->scale);
}

bool winnow__has_remainder(const winnow__exact *a, const winnow__exact *b) {
    return whole_digits(a, b) + most(a->scale, b->scale) <=
           WINNOW__NARROW_DIGITS;
}

winnow__exact winnow__exact_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__exact a,
                                   winnow__exact b) {
    const bool chooses = operation >= WINNOW__MIN;
    const int scale = most(a.scale, b.scale);
    const int precision =
        whole_digits(&a, &b) + scale + (operation <= WINNOW__SUBTRACT);
    winnow__value is_b = WINNOW__NO_VALUE, about = WINNOW__NO_VALUE;
    if (operation == WINNOW__MULTIPLY)
        return multiply(builder, a, b);
    if (chooses)
        is_b = winnow__exact_compare(
            builder, operation == WINNOW__MIN ? WINNOW_GT : WINNOW_LT, a, b);
    if (precision > WINNOW__MOST_DIGITS)
        about = winnow__build_binary(builder, operation,
                                     about_at(builder, a, scale - a.scale),
                                     about_at(builder, b, scale - b.scale));
    a = winnow__exact_finer(builder, a, scale - a.scale);
    b = winnow__exact_finer(builder, b, scale - b.scale);
    if (precision > WINNOW__NARROW_DIGITS) {
        a = winnow__exact_widened(builder, a);
        b = winnow__exact_widened(builder, b);
    }
    winnow__exact made = operate(builder, operation, a, b, is_b);
    made.precision = precision;
    return precision > WINNOW__MOST_DIGITS
               ? winnow__exact_capped(builder, made, about)
               : made;
}

/* ------------------------------------------------------------------- of one */

static winnow__exact negative_of(winnow__builder *b, winnow__exact x) {
    winnow__exact zero = winnow__exact_constant(b, 0, 0);
    if (x.is_wide)
        zero = winnow__exact_widened(b, zero);
    zero.precision = x.precision;
    zero.scale = x.scale;
    return add(b, WINNOW__SUBTRACT, zero, x);
}

winnow__exact winnow__exact_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__exact a) {
    /* The least int64 has no opposite of 64 bits. */
    if (a.value != WINNOW__NO_VALUE && !a.is_wide &&
        a.precision > WINNOW__NARROW_DIGITS &&
        winnow__node_of(builder, a.value)->range.low == INT64_MIN)
        a = winnow__exact_widened(builder, a);
    switch (operation) {
    case WINNOW__NEGATE:
        return negative_of(builder, a);
    case WINNOW__ABS:
        if (!a.is_wide) {
            a.value = winnow__make_one(builder, WINNOW__ABS_INT64,
                                       WINNOW__INT64, a.value);
            return a;
        }
        return choice(
            builder,
            winnow__exact_compare(builder, WINNOW_LT, a,
                                  winnow__exact_constant(builder, 0, a.scale)),
            a, negative_of(builder, a));
    case WINNOW__CEIL:
        return negative_of(
            builder, winnow__exact_coarser(builder, negative_of(builder, a),
                                           a.scale, WINNOW__ROUND_DOWN));
    default:
        return winnow__exact_coarser(builder, a, a.scale,
                                     operation == WINNOW__FLOOR
                                         ? WINNOW__ROUND_DOWN
                                         : WINNOW__ROUND_HALF_TO_EVEN);
    }
}
