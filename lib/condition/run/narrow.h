/*
 * Operations of integers with fewer than 64 bits, for one item; host_program.h
 * lists them. Values that are not null fit; others may wrap.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/expression/scalar.h"

#define WINNOW__NARROW(TYPE, C)                                                \
    WINNOW__OF_TWO(ADD_##TYPE, C, (uint32_t)a + (uint32_t)b)                   \
    WINNOW__OF_TWO(SUBTRACT_##TYPE, C, (uint32_t)a - (uint32_t)b)              \
    WINNOW__OF_TWO(MULTIPLY_##TYPE, C, (uint32_t)a *(uint32_t)b)               \
    WINNOW__OF_ONE(NEGATE_##TYPE, C, C, 0 - (uint32_t)a)                       \
    WINNOW__OF_ONE(ABS_##TYPE, C, C, a < 0 ? winnow__do_NEGATE_##TYPE(a) : a)  \
    WINNOW__MIN_MAX(TYPE, C)
WINNOW__NARROW(INT16, int16_t)
WINNOW__NARROW(INT32, int32_t)

#define WINNOW__WIDENING(TYPE, C, WIDE)                                        \
    static inline WIDE winnow__do_ADD_WIDE_##TYPE(C a, C b) {                  \
        return (WIDE)a + b;                                                    \
    }                                                                          \
    static inline WIDE winnow__do_SUBTRACT_WIDE_##TYPE(C a, C b) {             \
        return (WIDE)a - b;                                                    \
    }                                                                          \
    static inline WIDE winnow__do_MULTIPLY_WIDE_##TYPE(C a, C b) {             \
        return (WIDE)a * b;                                                    \
    }
WINNOW__WIDENING(INT16, int16_t, int32_t)
WINNOW__WIDENING(INT32, int32_t, int64_t)

#define WINNOW__NARROW_COMPARE(TYPE, C)                                        \
    WINNOW__COMPARE(LESS, <, TYPE, C)                                          \
    WINNOW__COMPARE(LESS_EQUAL, <=, TYPE, C)                                   \
    WINNOW__COMPARE(EQUAL, ==, TYPE, C)                                        \
    WINNOW__COMPARE(NOT_EQUAL, !=, TYPE, C)
WINNOW__NARROW_COMPARE(INT8, int8_t)
WINNOW__NARROW_COMPARE(INT16, int16_t)
WINNOW__NARROW_COMPARE(INT32, int32_t)
WINNOW__NARROW_COMPARE(UINT8, uint8_t)
WINNOW__NARROW_COMPARE(UINT16, uint16_t)
WINNOW__NARROW_COMPARE(UINT32, uint32_t)

/* ---------------------------------------------------------------- quotients */

/* Multiply by 1 / b, which a loop computes once; vectors can multiply. Adding
 * 1/2 keeps the quotient away from integers: (a + 1/2) / b is at least 1 / 2b
 * away from each, and all roundings together change it by less than 2^32 / b *
 * 2^-52. */
static inline int32_t winnow__do_FLOOR_DIVIDE_INT32(int32_t a, int32_t b) {
    return (int32_t)floor((a + (b < 0 ? -0.5 : 0.5)) * (1.0 / b));
}

/* Of the absolute values; the result has the sign of a. */
static inline int32_t winnow__do_REMAINDER_INT32(int32_t a, int32_t b) {
    const double x = fabs((double)a), y = fabs((double)b);
    const double rest = x - floor((x + 0.5) * (1.0 / y)) * y;
    return (int32_t)(a < 0 ? -rest : rest);
}

/* ----------------------------------------------------------------- calendar */

/* Uses eras of 400 years, like winnow__civil_of(). */
static inline winnow__civil winnow__civil_of_narrow(int32_t days) {
    const int32_t quotient = days / 146097, rest = days % 146097;
    const int32_t carry = rest >> 31; /* -1 if below 0 */
    return winnow__civil_in_era(quotient + carry,
                                (uint32_t)(rest + (carry & 146097)));
}

WINNOW__OF_ONE(YEAR_INT32, int32_t, int32_t,
               winnow__year_of(winnow__civil_of_narrow(a)))
WINNOW__OF_ONE(MONTH_INT32, int32_t, int32_t,
               winnow__month_of(winnow__civil_of_narrow(a)))
WINNOW__OF_ONE(DAY_INT32, int32_t, int32_t, winnow__civil_of_narrow(a).day + 1)
