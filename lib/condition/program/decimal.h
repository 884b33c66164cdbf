/*
 * A builder's exact decimals of at most 38 digits. An integer has scale 0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/type.h"
#include "expression.h"

/* `value` / 10^scale, an INT64. A wide one has 128 bits: `value` is the lower
 * half, a UINT64, and `upper` an INT64; either is null if the decimal is. A
 * decimal of more than 18 digits is wide, unless it is a 64-bit integer. */
typedef struct winnow__exact {
    winnow__value value, upper;
    bool is_wide;
    int precision, scale;
} winnow__exact;

/* ---- decimal.c. Failures return no value, as in expression.h. */

/* Elements of a column of WINNOW_INT32, WINNOW_INT64 or WINNOW_INT128. Elements
 * with more digits than the precision become null. */
winnow__exact winnow__exact_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type, int precision, int scale);
/* An INT64 or UINT64, with the number of digits of its range. */
winnow__exact winnow__exact_integer(winnow__builder *builder,
                                    winnow__value value);
/* units / 10^scale, with at most 38 digits. */
winnow__exact winnow__exact_constant(winnow__builder *builder,
                                     winnow__wide units, int scale);
/* The integer, rounded to nearest, is divided by 10^scale or multiplied by
 * 10^-scale. */
winnow__value winnow__exact_to_float64(winnow__builder *builder,
                                       winnow__exact a);
/* BOOL: the comparison, which is never null, even if an operand is. */
winnow__value winnow__exact_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__exact a,
                                    winnow__exact b);
/* BOOL: is it from low / 10^scale to high / 10^scale, with its own scale? */
winnow__value winnow__exact_between(winnow__builder *builder, winnow__exact a,
                                    winnow__wide low, winnow__wide high);
/* BOOL: is it one of `count` integers, with its own scale? values may be unaligned. */
winnow__value winnow__exact_in(winnow__builder *builder, winnow__exact a,
                               const void *values, uint64_t count);

/* ---- decimal_operate.c. A result of more than 38 digits is null. */

/* ADD, SUBTRACT, MULTIPLY, MIN, MAX; REMAINDER if winnow__has_remainder(). */
winnow__exact winnow__exact_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__exact a,
                                   winnow__exact b);
/* Do both have at most 18 digits at the finer of their scales? */
bool winnow__has_remainder(const winnow__exact *a, const winnow__exact *b);
/* All but SQRT. */
winnow__exact winnow__exact_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__exact a);
/* Round half away from zero; null if it has more digits than the precision. */
winnow__exact winnow__exact_cast(winnow__builder *builder, winnow__exact a,
                                 int precision, int scale);
/* Convert a number or a BOOL exactly, with the same rounding and nulls. */
winnow__exact winnow__exact_cast_value(winnow__builder *builder,
                                       winnow__value value, int precision,
                                       int scale);
/* Round towards zero, to a type of integers. */
winnow__value winnow__exact_to_integer(winnow__builder *builder,
                                       winnow_type type, winnow__exact a);
