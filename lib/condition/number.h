/*
 * Numbers in the text of a condition: exact, whatever the locale and the mode
 * of rounding are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_NUMBER_H
#define WINNOW_LIB_CONDITION_NUMBER_H

#include "core/type.h"

#include <stdbool.h>

enum {
    WINNOW__NUMBER_MOST_CHARACTERS = 100
};

__extension__ typedef __int128 winnow__wide;

/* A number in a text. */
typedef struct winnow__number {
    const char *digits; /* without a sign */
    unsigned length;    /* in bytes, at most WINNOW__NUMBER_MOST_CHARACTERS */
    bool negative;
} winnow__number;

/*
 * What is compared with numbers: the values of a column, or of its bits under a
 * mask. A key stands for each value, in the same order: of integers the value,
 * of floats their bits without the sign, negative where the sign is set. Both
 * zeros have key 0, and NaN has none.
 */
typedef struct winnow__domain {
    const winnow__type_info *type; /* of the column */
    winnow__wide least, most;      /* keys */
} winnow__domain;

/* Keys from low to high; none where low > high. */
typedef struct winnow__keys {
    winnow__wide low, high;
} winnow__keys;

/* Is it written as a number is? */
bool winnow__number_is_right(const winnow__number *number);

/*
 * Where a number is among the values of a domain: `low` is the least key whose
 * value is not less, and `high` the greatest one whose value is not greater, so
 * that low == high where the domain has the number, and low == high + 1 where
 * it does not. Both may be outside of the domain. For floats, a number between
 * finite ones is rounded to the nearest, ties to even.
 */
winnow__keys winnow__number_keys(const winnow__number *number,
                                 const winnow__domain *domain);

/* a < b: -1; a == b: 0; a > b: 1. Of the numbers themselves. */
int winnow__number_order(const winnow__number *a, const winnow__number *b);

#endif
