/*
 * Numbers in the text of a condition: exact, whatever the locale and the mode
 * of rounding are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "point.h"

enum {
    WINNOW__NUMBER_MOST_CHARACTERS = 100
};

/* A number in a text, or one that is made of such. */
typedef struct winnow__number {
    const char *digits; /* without a sign; NULL: they are `made` */
    unsigned length;    /* in bytes, at most WINNOW__NUMBER_MOST_CHARACTERS */
    bool negative;
    char made[56]; /* 38 digits, and an exponent */
} winnow__number;

/* units * 10^-places, of which the first is not below 0. */
winnow__number winnow__number_made(winnow__wide units, int places,
                                   bool negative);

/* Is it written as a number is? */
bool winnow__number_is_right(const winnow__number *number);

/* Where a number is among the keys of a domain. For floats, one between finite
 * ones is rounded to the nearest, ties to even. */
winnow__point winnow__number_point(const winnow__number *number,
                                   const winnow__domain *domain);

/* Likewise of a float; NaN is nowhere, and infinities are those of floats. */
winnow__point winnow__float_point(double number, const winnow__domain *domain);

/* a < b: -1; a == b: 0; a > b: 1. Of the numbers themselves. */
int winnow__number_order(const winnow__number *a, const winnow__number *b);
