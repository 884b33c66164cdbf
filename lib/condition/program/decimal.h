/*
 * Decimals that a builder computes, exactly, of at most 38 digits: an integer is
 * one of scale 0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/type.h"
#include "expression.h"

/* `value` / 10^scale, of an INT64. A wide one has 128 bits: `value` is the lower
 * half, a UINT64, and `upper` an INT64; both are null where one is. Of more than
 * 18 digits it is wide, unless it is an integer of 64 bits. */
typedef struct winnow__exact {
    winnow__value value, upper;
    bool is_wide;
    int precision, scale;
} winnow__exact;

/* ---- decimal.c. A failure has no value, as in expression.h. */

/* The elements of a column of WINNOW_INT32, WINNOW_INT64 or WINNOW_INT128: those
 * with more digits than the precision are null. */
winnow__exact winnow__exact_column(winnow__builder *builder, uint16_t column,
                                   winnow_type type, int precision, int scale);
/* An INT64 or UINT64, with as many digits as its range has. */
winnow__exact winnow__exact_integer(winnow__builder *builder,
                                    winnow__value value);
/* units / 10^scale, of at most 38 digits. */
winnow__exact winnow__exact_constant(winnow__builder *builder,
                                     winnow__wide units, int scale);
/* The integer rounded to nearest, divided by 10^scale, or times 10^-scale. */
winnow__value winnow__exact_to_float64(winnow__builder *builder,
                                       winnow__exact a);
/* BOOL: how they compare; whatever they are, it is never null. */
winnow__value winnow__exact_compare(winnow__builder *builder,
                                    winnow_compare compare, winnow__exact a,
                                    winnow__exact b);
/* BOOL: is it low / 10^scale to high / 10^scale, at its own scale? */
winnow__value winnow__exact_between(winnow__builder *builder, winnow__exact a,
                                    winnow__wide low, winnow__wide high);
/* BOOL: is it one of `count` integers, without alignment, at its own scale? */
winnow__value winnow__exact_in(winnow__builder *builder, winnow__exact a,
                               const void *values, uint64_t count);

/* ---- decimal_operate.c. Null where the result has more than 38 digits. */

/* ADD, SUBTRACT, MULTIPLY, MIN, MAX; REMAINDER, where winnow__has_remainder(). */
winnow__exact winnow__exact_binary(winnow__builder *builder,
                                   winnow__binary operation, winnow__exact a,
                                   winnow__exact b);
/* Have both at most 18 digits at the finer of their scales? */
bool winnow__has_remainder(const winnow__exact *a, const winnow__exact *b);
/* All but SQRT. */
winnow__exact winnow__exact_unary(winnow__builder *builder,
                                  winnow__unary operation, winnow__exact a);
/* Rounded half away from zero; null where it has more digits than the precision. */
winnow__exact winnow__exact_cast(winnow__builder *builder, winnow__exact a,
                                 int precision, int scale);
/* A number or a BOOL, exactly, and rounded and null likewise. */
winnow__exact winnow__exact_cast_value(winnow__builder *builder,
                                       winnow__value value, int precision,
                                       int scale);
/* Rounded towards zero: a type of integers. */
winnow__value winnow__exact_to_integer(winnow__builder *builder,
                                       winnow_type type, winnow__exact a);
