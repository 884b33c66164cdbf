/*
 * The digits of a number in a text, and integers of any size made of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "number.h"

#include <stdint.h>

/* A number is digits * 10^exponent, or digits in another base. */
typedef struct winnow__digits {
    unsigned base;
    const char *begin, *end; /* the digits, perhaps with a point among them */
    int64_t exponent;
    unsigned count; /* number of digits without leading zeros */
    uint64_t value; /* the digits as an integer if winnow__is_short() */
} winnow__digits;

/* 10^19 < 2^64 */
static inline bool winnow__is_short(const winnow__digits *number) {
    return number->base == 10 && number->count <= 19;
}

/* ---- number.c */

/* 16 if it is not a digit. */
int winnow__digit_of(char c);

/* ---- nearest.c */

/* The place of the nearest float. */
winnow__point winnow__digits_float(const winnow__digits *number, bool negative,
                                   const winnow__type_info *type);

/* Integers of any size: nearest.c, too. */

/* Room for 10^(WINNOW__BIG_EXPONENT + number of digits), shifted by 64 bits. */
enum {
    WINNOW__BIG_EXPONENT = 400,
    WINNOW__BIG_LIMBS = 64
};

/* Least significant first; from `used` on all are 0. */
typedef struct winnow__big {
    unsigned used;
    uint32_t limb[WINNOW__BIG_LIMBS];
} winnow__big;

/* The digits as an integer. */
winnow__big winnow__big_of(const winnow__digits *number);
/* Multiply by 10^exponent, or by 1 if exponent is negative. */
void winnow__big_multiply_power(winnow__big *x, int64_t exponent);
/* a < b: -1; a == b: 0; a > b: 1 */
int winnow__big_order(const winnow__big *a, const winnow__big *b);
