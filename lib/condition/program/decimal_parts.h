/*
 * Building blocks for operations of decimals.
 *
 * Halves are computed modulo 2^128. If a result may have more bits, its nearest
 * float64 decides whether it overflows: it tells 10^38 from 2^127 and more.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "builder.h"
#include "decimal.h"

/* Between 10^38 and 2^127, by far more than the rounding of a float64; and
 * between 10^18 and 2^63. */
#define WINNOW__FAR 1.5e38
#define WINNOW__FAR_OF_NARROW 0x1p62

static inline winnow__value winnow__exact_int(winnow__builder *b,
                                              int64_t value) {
    return winnow__build_int(b, value, false);
}

static inline winnow__value winnow__make_int(winnow__builder *b, unsigned code,
                                             winnow__value x, winnow__value y) {
    return winnow__make(b, code, WINNOW__INT64, x, y);
}

static inline winnow__value winnow__make_sum(winnow__builder *b,
                                             winnow__value x, winnow__value y) {
    return winnow__make_int(b, WINNOW__ADD_INT64, x, y);
}

/* 1 or 0 for a BOOL. */
static inline winnow__value winnow__build_whether(winnow__builder *b,
                                                  winnow__value truth) {
    return winnow__build_cast(b, WINNOW_INT64, truth);
}

/* ---- decimal.c */

/* 10^digits - 1 */
winnow__wide winnow__most_of_digits(int digits);
/* 10^digits, for at most 18 digits. */
int64_t winnow__power_of_ten(int digits);
/* 10^exponent, rounded once. */
winnow__value winnow__exact_float_power(winnow__builder *b, int exponent);
/* The integer, as a float64. */
winnow__value winnow__exact_float(winnow__builder *b, winnow__exact x);
winnow__exact winnow__exact_widened(winnow__builder *b, winnow__exact x);
/* Becomes null if `number` is below 0. */
winnow__exact winnow__exact_unless_below_0(winnow__builder *b, winnow__exact x,
                                           winnow__value number);
/* Becomes null if it has more digits than its precision. */
winnow__exact winnow__exact_within(winnow__builder *b, winnow__exact x);
/* The product modulo 2^128. */
winnow__exact winnow__exact_product(winnow__builder *b, winnow__exact x,
                                    winnow__exact y);
/* The same number at a scale that is `digits` finer, modulo 2^128. */
winnow__exact winnow__exact_finer(winnow__builder *b, winnow__exact x,
                                  int digits);

/* ---- decimal_operate.c: integers modulo 2^64, or modulo 2^128 if x is wide */

winnow__exact winnow__exact_sum(winnow__builder *b, winnow__exact x,
                                winnow__exact y);
winnow__exact winnow__exact_times(winnow__builder *b, winnow__exact x,
                                  winnow__value factor);
/* Becomes null if the exact result has more digits than its precision, or than
 * 38 if that is less. `about`: the float64 nearest to the exact result. */
winnow__exact winnow__exact_capped(winnow__builder *b, winnow__exact x,
                                   winnow__value about);
/* The same number at a finer scale; null if it has more than 38 digits. */
winnow__exact winnow__exact_to_scale(winnow__builder *b, winnow__exact x,
                                     int scale);

/* ---- decimal_round.c */

typedef enum winnow__rounding {
    WINNOW__ROUND_DOWN,
    WINNOW__ROUND_TO_ZERO,
    WINNOW__ROUND_HALF_TO_EVEN,
    WINNOW__ROUND_HALF_AWAY /* away from zero */
} winnow__rounding;

/* x at a scale that is `digits` coarser, or finer if digits is negative. */
winnow__exact winnow__exact_coarser(winnow__builder *b, winnow__exact x,
                                    int digits, winnow__rounding rounding);
