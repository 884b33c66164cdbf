/*
 * Numbers in the text of a condition: exact, whatever the locale and the mode
 * of rounding are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/type.h"

/* ---- Values of a column as integers in their order, and where a constant
 * is among them. */
/*
 * What is compared with constants: the values of a column, or of its bits under
 * a mask. A key stands for each value, in the same order: of integers the value,
 * of floats their bits without the sign, negative where the sign is set. Both
 * zeros have key 0, and NaN has none.
 */
typedef struct winnow__domain {
    const winnow__type_info *type; /* of the column; its size may be 16 */
    winnow__wide least, most;      /* keys */
    int scale; /* of integers: key k stands for k * 10^scale */
} winnow__domain;

/* Keys from low to high; none where low > high. */
typedef struct winnow__keys {
    winnow__wide low, high;
} winnow__keys;

/* A constant among the integers. */
typedef struct winnow__point {
    winnow__wide floor; /* the greatest that is not greater than the constant */
    bool exact;         /* they are equal */
    bool none;          /* NaN: no key compares with it; nothing else is set */
    int beyond; /* -1, 1: the constant is below, above all; nothing else is set */
} winnow__point;

/* The keys k of a domain for which `k compare point` holds; for WINNOW_NE those
 * that are equal. */
winnow__keys winnow__point_keys(const winnow__point *point,
                                winnow_compare compare,
                                const winnow__domain *domain);
/* What both have. */
winnow__keys winnow__keys_of_both(winnow__keys a, winnow__keys b);

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
