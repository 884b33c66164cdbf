/*
 * Numbers in the text of a condition: exact, whatever the locale and the mode
 * of rounding are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/type.h"

/* ---- Keys: a column's values as ordered integers, and the place of a constant
 * among them. */
/* The values of a column, or of its bits under a mask, that constants are
 * compared with. Each value has a key in the same order: the key of an integer
 * is its value, that of a float its bits without the sign, negative if the sign
 * is set. Both zeros have key 0, and NaN has none. */
typedef struct winnow__domain {
    const winnow__type_info *type; /* of the column; its size may be 16 */
    winnow__wide least, most;      /* keys */
    int scale; /* for integers: key k stands for k * 10^scale */
} winnow__domain;

/* Keys from low to high; none if low > high. */
typedef struct winnow__keys {
    winnow__wide low, high;
} winnow__keys;

/* The place of a constant among integers. */
typedef struct winnow__point {
    winnow__wide
        floor;  /* the largest key that is not greater than the constant */
    bool exact; /* the floor is equal to the constant */
    bool none;  /* NaN: no key compares with it; nothing else is set */
    int beyond; /* -1, 1: the constant is below, above all; nothing else is set */
} winnow__point;

/* The keys k of a domain for which `k compare point` is true; for WINNOW_NE
 * those that are equal. */
winnow__keys winnow__point_keys(const winnow__point *point,
                                winnow_compare compare,
                                const winnow__domain *domain);
/* The keys that are in both. */
winnow__keys winnow__keys_of_both(winnow__keys a, winnow__keys b);

enum {
    WINNOW__NUMBER_MOST_CHARACTERS = 128
};

/* A number in a text, or one computed from such. */
typedef struct winnow__number {
    const char *digits; /* without a sign; NULL: see `made` */
    unsigned length;    /* in bytes, at most WINNOW__NUMBER_MOST_CHARACTERS */
    bool negative;
    char made[56]; /* room for 38 digits and an exponent */
} winnow__number;

/* units * 10^-places; units is not negative. */
winnow__number winnow__number_made(winnow__wide units, int places,
                                   bool negative);

/* Has it the syntax of a number? */
bool winnow__number_is_right(const winnow__number *number);

/* The place of a number among a domain's keys. For floats, a number between
 * finite floats is rounded to the nearest, ties to even. */
winnow__point winnow__number_point(const winnow__number *number,
                                   const winnow__domain *domain);

/* The same for a float. NaN has no place; infinities are those of floats. */
winnow__point winnow__float_point(double number, const winnow__domain *domain);

/* a < b: -1; a == b: 0; a > b: 1. Compares the exact numbers. */
int winnow__number_order(const winnow__number *a, const winnow__number *b);
