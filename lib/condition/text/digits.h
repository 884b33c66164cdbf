/*
 * The digits of a number in a text, and integers of any size that are made of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "number.h"

#include <stdint.h>

/* A number is digits * 10^exponent, or digits in another base. */
typedef struct winnow__digits {
    unsigned base;
    const char *begin, *end; /* of the digits, among which a point may be */
    int64_t exponent;
    unsigned count; /* of digits, without zeros in front */
    uint64_t value; /* of the digits, if they are few: winnow__is_short() */
} winnow__digits;

/* 10^19 < 2^64 */
static inline bool winnow__is_short(const winnow__digits *number) {
    return number->base == 10 && number->count <= 19;
}

/* ---- number.c */

/* 16: it is none. */
int winnow__digit_of(char c);

/* ---- nearest.c */

/* Where the nearest float is. */
winnow__point winnow__digits_float(const winnow__digits *number, bool negative,
                                   const winnow__type_info *type);

/* Integers of any size: nearest.c, too. */

/* Room for 10^(WINNOW__BIG_EXPONENT + the digits), and a shift by 64 bits. */
enum {
    WINNOW__BIG_EXPONENT = 400,
    WINNOW__BIG_LIMBS = 64
};

/* Least significant first; those at `used` and behind are 0. */
typedef struct winnow__big {
    unsigned used;
    uint32_t limb[WINNOW__BIG_LIMBS];
} winnow__big;

/* The digits. */
winnow__big winnow__big_of(const winnow__digits *number);
/* By 10^exponent; by 1, if that is negative. */
void winnow__big_multiply_power(winnow__big *x, int64_t exponent);
/* a < b: -1; a == b: 0; a > b: 1 */
int winnow__big_order(const winnow__big *a, const winnow__big *b);
