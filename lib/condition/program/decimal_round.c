/*
 * Decimals that lose digits: division by powers of ten, and rounding.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "decimal_parts.h"

enum {
    /* Digits of a divisor: times 2^32 it has less than 63 bits. */
    LIMB_DIGITS = 9
};

/* ----------------------------------------------------------------- quotients */

/* x / by, rounded down, for a constant above 0. *rest is the remainder. */
static winnow__value divide(winnow__builder *b, winnow__value x, int64_t by,
                            winnow__value *rest) {
    const winnow__value quotient = winnow__make_int(
        b, WINNOW__FLOOR_DIVIDE_INT64, x, winnow__exact_int(b, by));
    *rest =
        winnow__make_int(b, WINNOW__SUBTRACT_INT64, x,
                         winnow__make_int(b, WINNOW__MULTIPLY_INT64, quotient,
                                          winnow__exact_int(b, by)));
    return quotient;
}

static winnow__value join(winnow__builder *b, winnow__value upper,
                          winnow__value lower) {
    return winnow__make_sum(
        b,
        winnow__make_int(b, WINNOW__MULTIPLY_INT64, upper,
                         winnow__exact_int(b, INT64_C(1) << 32)),
        lower);
}

/* Divide the upper half at once, and the lower one 32 bits at a time. */
static winnow__exact divide_wide(winnow__builder *b, winnow__exact x,
                                 int64_t by) {
    const winnow__value limb = winnow__build_uint(b, UINT64_C(1) << 32, false);
    winnow__value rest, part[2];
    part[1] = winnow__make(b, WINNOW__FLOOR_DIVIDE_UINT64, WINNOW__UINT64,
                           x.value, limb);
    part[0] = winnow__make(b, WINNOW__REMAINDER_UINT64, WINNOW__UINT64, x.value,
                           limb);
    x.upper = divide(b, x.upper, by, &rest);
    for (int i = 1; i >= 0; i--)
        part[i] = divide(b, join(b, rest, part[i]), by, &rest);
    x.value = join(b, part[1], part[0]);
    return x;
}

/* Rounds down. The result is narrow as soon as possible. */
static winnow__exact quotient(winnow__builder *b, winnow__exact x, int digits) {
    const int precision = x.precision - digits + 1;
    winnow__value rest;
    x.scale -= digits;
    for (int now; digits > 0; digits -= now) {
        const int most = x.is_wide ? LIMB_DIGITS : WINNOW__NARROW_DIGITS;
        now = digits < most ? digits : most;
        const int64_t by = winnow__power_of_ten(now);
        if (x.is_wide)
            x = divide_wide(b, x, by);
        else
            x.value = divide(b, x.value, by, &rest);
        x.is_wide &= precision + digits - now > WINNOW__NARROW_DIGITS;
    }
    x.precision = precision > 1 ? precision : 1;
    return x;
}

/* ------------------------------------------------------------------ rounding */

/* Subtract 1 if `sum`, whose quotient is x, was half way and x is odd. */
static winnow__exact to_even(winnow__builder *b, winnow__exact x,
                             winnow__exact sum) {
    const winnow__value is_tie = winnow__exact_compare(b, WINNOW_EQ, x, sum);
    const winnow__value odd =
        winnow__make(b, WINNOW__REMAINDER_UINT64, WINNOW__UINT64, x.value,
                     winnow__build_uint(b, 2, false));
    winnow__exact less = {
        .value =
            winnow__make_int(b, WINNOW__MULTIPLY_INT64,
                             winnow__make_int(b, WINNOW__MULTIPLY_INT64, odd,
                                              winnow__build_whether(b, is_tie)),
                             winnow__exact_int(b, -1)),
        .precision = 1};
    return winnow__exact_sum(b, x, less);
}

winnow__exact winnow__exact_coarser(winnow__builder *b, winnow__exact x,
                                    int digits, winnow__rounding rounding) {
    if (digits <= 0)
        return winnow__exact_to_scale(b, x, x.scale - digits);
    if (digits > WINNOW__NARROW_DIGITS)
        x = winnow__exact_widened(b, x);
    if (x.precision < digits)
        x.precision = digits; /* a number of this many digits is added below */
    if (rounding == WINNOW__ROUND_DOWN)
        return quotient(b, x, digits);
    const winnow__wide power = winnow__most_of_digits(digits) + 1;
    const winnow__value is_below = winnow__build_whether(
        b, winnow__exact_compare(b, WINNOW_LT, x,
                                 winnow__exact_constant(b, 0, x.scale)));
    winnow__exact sum = x, below = {.value = is_below, .precision = 1};
    if (rounding == WINNOW__ROUND_TO_ZERO)
        return quotient(
            b,
            winnow__exact_sum(
                b, x,
                winnow__exact_times(b, winnow__exact_constant(b, power - 1, 0),
                                    is_below)),
            digits);
    sum = winnow__exact_sum(b, x, winnow__exact_constant(b, power / 2, 0));
    if (rounding == WINNOW__ROUND_HALF_TO_EVEN)
        return to_even(b, quotient(b, sum, digits), sum);
    below = winnow__exact_times(b, below, winnow__exact_int(b, -1));
    return quotient(b, winnow__exact_sum(b, sum, below), digits);
}

/* ------------------------------------------------------------------- types */

winnow__exact winnow__exact_cast(winnow__builder *builder, winnow__exact a,
                                 int precision, int scale) {
    winnow__exact made = winnow__exact_coarser(builder, a, a.scale - scale,
                                               WINNOW__ROUND_HALF_AWAY);
    const bool has_more = made.precision > precision;
    made.precision = precision;
    if (has_more)
        made = winnow__exact_within(builder, made);
    made.is_wide &= precision > WINNOW__NARROW_DIGITS;
    return made;
}

winnow__exact winnow__exact_cast_value(winnow__builder *builder,
                                       winnow__value value, int precision,
                                       int scale) {
    winnow__exact made = {.is_wide = precision > WINNOW__NARROW_DIGITS,
                          .precision = precision,
                          .scale = scale};
    const winnow__value digits = winnow__exact_int(builder, scale);
    if (value == WINNOW__NO_VALUE)
        return (winnow__exact){.value = value};
    if (!winnow__is_float(winnow__value_type_of(builder, value)))
        return winnow__exact_cast(
            builder,
            winnow__exact_integer(builder,
                                  winnow__without_bool(builder, value)),
            precision, scale);
    value = winnow__build_cast(builder, WINNOW_FLOAT64, value);
    made.value = winnow__make(builder, WINNOW__FLOAT64_TO_LOWER,
                              made.is_wide ? WINNOW__UINT64 : WINNOW__INT64,
                              value, digits);
    if (made.is_wide)
        made.upper =
            winnow__make_int(builder, WINNOW__FLOAT64_TO_UPPER, value, digits);
    return winnow__exact_capped(
        builder, made,
        winnow__build_binary(builder, WINNOW__MULTIPLY, value,
                             winnow__exact_float_power(builder, scale)));
}

/* The lower half of a wide number suffices if it fits there. */
winnow__value winnow__exact_to_integer(winnow__builder *builder,
                                       winnow_type type, winnow__exact a) {
    const winnow__exact whole =
        winnow__exact_coarser(builder, a, a.scale, WINNOW__ROUND_TO_ZERO);
    const bool is_unsigned = type == WINNOW_UINT64;
    if (!whole.is_wide)
        return winnow__build_cast(builder, type, whole.value);
    const winnow__value sign =
        is_unsigned
            ? winnow__exact_int(builder, 0)
            : winnow__make_int(builder, WINNOW__MULTIPLY_HIGH_INT64,
                               whole.value, winnow__exact_int(builder, 1));
    const winnow__value is_all =
        winnow__make_int(builder, WINNOW__SUBTRACT_INT64,
                         winnow__build_whether(
                             builder, winnow__build_compare(builder, WINNOW_EQ,
                                                            whole.upper, sign)),
                         winnow__exact_int(builder, 1));
    return winnow__build_cast(
        builder, type,
        winnow__make(builder, WINNOW__UNLESS_BELOW_0_INT64,
                     is_unsigned ? WINNOW__UINT64 : WINNOW__INT64, whole.value,
                     is_all));
}
