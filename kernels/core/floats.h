/*
 * Floats and their bits, the same on every backend. Plain C.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <string.h>

#include "both.h"

WINNOW__BOTH double winnow__as_double(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

WINNOW__BOTH uint64_t winnow__as_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Every NaN of a result has the same bits, on every device. */
#define WINNOW__NAN UINT64_C(0x7ff8000000000000)

WINNOW__BOTH double winnow__plain_nan(double number) {
    return number != number ? winnow__as_double(WINNOW__NAN) : number;
}

/* Convert a float's bits to those of a binary64: the mantissa times a power of
 * two. Both are normal numbers, because a program may have set the CPU to treat
 * subnormal numbers as 0. */
WINNOW__BOTH uint64_t winnow__float_as_double(int type, unsigned int log2_size,
                                              uint64_t x) {
    const unsigned int bits = 8u << log2_size;
    const unsigned int mantissa = type == WINNOW_FLOAT16    ? 10
                                  : type == WINNOW_BFLOAT16 ? 7
                                  : bits == 32              ? 23
                                                            : 52;
    const uint64_t one = (uint64_t)1 << mantissa;
    const uint64_t most = ((uint64_t)1 << (bits - 1 - mantissa)) - 1;
    const uint64_t sign = x >> (bits - 1) << 63;
    const uint64_t exponent = x >> mantissa & most, fraction = x & (one - 1);
    const uint64_t scale =
        1023 + (exponent != 0 ? exponent : 1) - (most >> 1) - mantissa;
    if (bits == 64)
        return x;
    if (exponent == most)
        return sign | (uint64_t)0x7ff << 52 | fraction << (52 - mantissa);
    return sign |
           winnow__as_bits((double)(fraction + (exponent != 0 ? one : 0)) *
                           winnow__as_double(scale << 52));
}
