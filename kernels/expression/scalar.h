/*
 * The operations of programs, for one item: plain C, included by host and
 * device code, so that both compute the same. winnow__do_NAME() is the value.
 * winnow__null_NAME() says whether the result is null; then the value is
 * unspecified, but computing it must not trap.
 *
 * No function adds to a product, so that a compiler has nothing to fuse.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_EXPRESSION_SCALAR_H
#define WINNOW_KERNELS_EXPRESSION_SCALAR_H

#include "kernels/core/both.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---------------------------------------------------------------- integers */

/* An operation with one operand, a, or with two, a and b. */
#define WINNOW__OF_ONE(NAME, A, RESULT, VALUE)                                 \
    WINNOW__BOTH RESULT winnow__do_##NAME(A a) {                               \
        return (RESULT)(VALUE);                                                \
    }
#define WINNOW__OF_TWO(NAME, C, VALUE)                                         \
    WINNOW__BOTH C winnow__do_##NAME(C a, C b) {                               \
        return (C)(VALUE);                                                     \
    }
/* Does it make a null? IS_NULL may use a alone. */
#define WINNOW__NULL_OF_TWO(NAME, C, IS_NULL)                                  \
    WINNOW__BOTH bool winnow__null_##NAME(C a, C b) {                          \
        (void)a;                                                               \
        return IS_NULL;                                                        \
    }

WINNOW__OF_TWO(ADD_INT64, int64_t, (uint64_t)a + (uint64_t)b)
WINNOW__OF_TWO(SUBTRACT_INT64, int64_t, (uint64_t)a - (uint64_t)b)
WINNOW__OF_TWO(MULTIPLY_INT64, int64_t, (uint64_t)a *(uint64_t)b)
WINNOW__OF_ONE(NEGATE_INT64, int64_t, int64_t, 0 - (uint64_t)a)

WINNOW__OF_ONE(ABS_INT64, int64_t, int64_t,
               a < 0 ? winnow__do_NEGATE_INT64(a) : a)

#define WINNOW__MIN_MAX(TYPE, C)                                               \
    WINNOW__OF_TWO(MIN_##TYPE, C, b < a ? b : a)                               \
    WINNOW__OF_TWO(MAX_##TYPE, C, a < b ? b : a)
WINNOW__MIN_MAX(INT64, int64_t)
WINNOW__MIN_MAX(UINT64, uint64_t)

/* INT64_MIN / -1 would trap: for -1, a is negated instead. */
WINNOW__BOTH int64_t winnow__do_FLOOR_DIVIDE_INT64(int64_t a, int64_t b) {
    const int64_t by = b == 0 || b == -1 ? 1 : b;
    const int64_t quotient = a / by, rest = a % by;
    const int64_t down = quotient - (rest != 0 && (rest < 0) != (by < 0));
    return b == -1 ? winnow__do_NEGATE_INT64(a) : down;
}

WINNOW__OF_TWO(REMAINDER_INT64, int64_t, a % (b == 0 || b == -1 ? 1 : b))
WINNOW__OF_TWO(FLOOR_DIVIDE_UINT64, uint64_t, a / (b == 0 ? 1 : b))
WINNOW__OF_TWO(REMAINDER_UINT64, uint64_t, a % (b == 0 ? 1 : b))

#define WINNOW__NULL_BY_ZERO(TYPE, C)                                          \
    WINNOW__NULL_OF_TWO(FLOOR_DIVIDE_##TYPE, C, b == 0)                        \
    WINNOW__NULL_OF_TWO(REMAINDER_##TYPE, C, b == 0)
WINNOW__NULL_BY_ZERO(INT64, int64_t)
WINNOW__NULL_BY_ZERO(UINT64, uint64_t)
WINNOW__NULL_BY_ZERO(FLOAT32, float)
WINNOW__NULL_BY_ZERO(FLOAT64, double)

/*
 * Division by a constant d above 1 (Granlund and Montgomery, Division by
 * Invariant Integers using Multiplication, 1994). by[] has d, a factor and a
 * shift. Let l be the number of bits of d - 1; the shift is l - 1. For INT64
 * the factor is ceil(2^(63 + l) / d), right for d below 2^63 and dividends up
 * to 2^63. For UINT64 it is ceil(2^(64 + l) / d) without its bit 64.
 */
WINNOW__BOTH uint64_t winnow__high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
#endif
}

WINNOW__BOTH uint64_t winnow__do_MULTIPLY_HIGH_UINT64(uint64_t a, uint64_t b) {
    return winnow__high_product(a, b);
}

/* In the unsigned product an operand below 0 counts as 2^64 more. */
WINNOW__BOTH int64_t winnow__do_MULTIPLY_HIGH_INT64(int64_t a, int64_t b) {
    return (int64_t)(winnow__high_product((uint64_t)a, (uint64_t)b) -
                     (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}

/* floor(a / d) is ~floor(~a / d). */
WINNOW__BOTH int64_t winnow__do_FLOOR_DIVIDE_INT64_BY(int64_t a,
                                                      const uint64_t *by) {
    const uint64_t sign = a < 0 ? ~(uint64_t)0 : 0;
    return (int64_t)(winnow__high_product((uint64_t)a ^ sign, by[1]) >>
                         (uint32_t)by[2] ^
                     sign);
}

/* |a| mod d, with the sign of a. */
WINNOW__BOTH int64_t winnow__do_REMAINDER_INT64_BY(int64_t a,
                                                   const uint64_t *by) {
    const uint64_t x = (uint64_t)winnow__do_ABS_INT64(a);
    const uint64_t rest =
        x - (winnow__high_product(x, by[1]) >> (uint32_t)by[2]) * by[0];
    return (int64_t)(a < 0 ? 0 - rest : rest);
}

/* Bit 64 of the factor adds a: (high + a) / 2, computed without overflow. */
WINNOW__BOTH uint64_t winnow__do_FLOOR_DIVIDE_UINT64_BY(uint64_t a,
                                                        const uint64_t *by) {
    const uint64_t high = winnow__high_product(a, by[1]);
    return (high + ((a - high) >> 1)) >> (uint32_t)by[2];
}

WINNOW__BOTH uint64_t winnow__do_REMAINDER_UINT64_BY(uint64_t a,
                                                     const uint64_t *by) {
    return a - winnow__do_FLOOR_DIVIDE_UINT64_BY(a, by) * by[0];
}

/*
 * a / c, where a is an integer in a float64 and c an integer from 2 to 2^50 or
 * its negative. by[] has c and 1 / c, rounded. The product q is off from the
 * quotient by at most two ulp, so the remainder is exact, and the correction
 * from it is wrong by at most 2^-52 ulp. No a / c is that near to a rounding
 * boundary: a boundary times c has more bits than a, so it is at least 1 / 2c
 * ulp away. So the result equals that of a division. Markstein (1990) divides
 * in this way, as do Brisebarre, Muller and Raina (Accelerating Correctly
 * Rounded Floating-Point Division when the Divisor is Known in Advance, 2004).
 * A CPU divides in one instruction.
 */
WINNOW__BOTH double winnow__do_DIVIDE_FLOAT64_BY(double a, const uint64_t *by) {
    double c, factor;
    memcpy(&c, &by[0], sizeof c);
    memcpy(&factor, &by[1], sizeof factor);
#if defined(__CUDA_ARCH__) || defined(WINNOW_SIMT)
    const double q = a * factor;
    return fma(fma(-q, c, a), factor, q);
#else
    return a / c;
#endif
}

/* b only decides whether the result is null. */
WINNOW__OF_TWO(AT_LEAST_INT64, int64_t, ((void)b, a))
WINNOW__OF_TWO(AT_MOST_INT64, int64_t, ((void)b, a))
WINNOW__NULL_OF_TWO(AT_LEAST_INT64, int64_t, a < b)
WINNOW__NULL_OF_TWO(AT_MOST_INT64, int64_t, a > b)
WINNOW__OF_TWO(WITHIN_INT64, int64_t, ((void)b, a))
WINNOW__NULL_OF_TWO(WITHIN_INT64, int64_t, a > b || a < -b)
WINNOW__OF_TWO(UNLESS_BELOW_0_INT64, int64_t, ((void)b, a))
WINNOW__NULL_OF_TWO(UNLESS_BELOW_0_INT64, int64_t, b < 0)

WINNOW__OF_TWO(ADD_EXACT_INT64, int64_t, winnow__do_ADD_INT64(a, b))
WINNOW__OF_TWO(SUBTRACT_EXACT_INT64, int64_t, winnow__do_SUBTRACT_INT64(a, b))

/* A sum overflows if its sign is that of neither operand. A difference does if
 * a and b have different signs and its sign is not a's. */
WINNOW__BOTH bool winnow__null_ADD_EXACT_INT64(int64_t a, int64_t b) {
    const int64_t sum = winnow__do_ADD_INT64(a, b);
    return ((a ^ sum) & (b ^ sum)) < 0;
}

WINNOW__BOTH bool winnow__null_SUBTRACT_EXACT_INT64(int64_t a, int64_t b) {
    const int64_t difference = winnow__do_SUBTRACT_INT64(a, b);
    return ((a ^ b) & (a ^ difference)) < 0;
}

/* ------------------------------------------------------------------ floats */

#define WINNOW__FLOATS(TYPE, C, SUFFIX)                                        \
    WINNOW__OF_TWO(ADD_##TYPE, C, a + b)                                       \
    WINNOW__OF_TWO(SUBTRACT_##TYPE, C, a - b)                                  \
    WINNOW__OF_TWO(MULTIPLY_##TYPE, C, a *b)                                   \
    WINNOW__OF_TWO(DIVIDE_##TYPE, C, a / b)                                    \
    WINNOW__OF_ONE(NEGATE_##TYPE, C, C, -a)                                    \
    WINNOW__OF_ONE(ABS_##TYPE, C, C, fabs##SUFFIX(a))                          \
    WINNOW__OF_ONE(FLOOR_##TYPE, C, C, floor##SUFFIX(a))                       \
    WINNOW__OF_ONE(CEIL_##TYPE, C, C, ceil##SUFFIX(a))                         \
    WINNOW__OF_ONE(ROUND_##TYPE, C, C, rint##SUFFIX(a))                        \
    WINNOW__OF_ONE(SQRT_##TYPE, C, C, sqrt##SUFFIX(a))                         \
    WINNOW__OF_TWO(FLOOR_DIVIDE_##TYPE, C, floor##SUFFIX(a / b))               \
    WINNOW__OF_TWO(REMAINDER_##TYPE, C, fmod##SUFFIX(a, b))                    \
    WINNOW__OF_TWO(MIN_##TYPE, C, b < a || b != b ? b : a)                     \
    WINNOW__OF_TWO(MAX_##TYPE, C, a < b || b != b ? b : a)
WINNOW__FLOATS(FLOAT32, float, f)
WINNOW__FLOATS(FLOAT64, double, )

/* ------------------------------------------------------------- conversions */

WINNOW__OF_ONE(INT64_TO_FLOAT32, int64_t, float, a)
WINNOW__OF_ONE(INT64_TO_FLOAT64, int64_t, double, a)
WINNOW__OF_ONE(UINT64_TO_FLOAT32, uint64_t, float, a)
WINNOW__OF_ONE(UINT64_TO_FLOAT64, uint64_t, double, a)
WINNOW__OF_ONE(FLOAT32_TO_FLOAT64, float, double, a)
WINNOW__OF_ONE(FLOAT64_TO_FLOAT32, double, float, a)
WINNOW__OF_ONE(INT64_TO_UINT64, int64_t, uint64_t, a)
WINNOW__OF_ONE(UINT64_TO_INT64, uint64_t, int64_t, a)
WINNOW__OF_ONE(BOOL_TO_INT64, uint8_t, int64_t, a)

WINNOW__BOTH bool winnow__null_INT64_TO_UINT64(int64_t a) {
    return a < 0;
}

WINNOW__BOTH bool winnow__null_UINT64_TO_INT64(uint64_t a) {
    return a > INT64_MAX;
}

/* NaN fails both comparisons. */
WINNOW__BOTH bool winnow__null_FLOAT64_TO_INT64(double a) {
    return !(a >= -0x1p63 && a < 0x1p63);
}

WINNOW__BOTH bool winnow__null_FLOAT64_TO_UINT64(double a) {
    return !(a > -1 && a < 0x1p64);
}

WINNOW__OF_ONE(FLOAT64_TO_INT64, double, int64_t,
               winnow__null_FLOAT64_TO_INT64(a) ? 0 : a)
WINNOW__OF_ONE(FLOAT64_TO_UINT64, double, uint64_t,
               winnow__null_FLOAT64_TO_UINT64(a) ? 0 : a)

/* ------------------------------------------------------------- comparisons */

#define WINNOW__COMPARE(NAME, OPERATOR, TYPE, C)                               \
    WINNOW__BOTH bool winnow__do_##NAME##_##TYPE(C a, C b) {                   \
        return a OPERATOR b;                                                   \
    }
#define WINNOW__COMPARE_ALL(NAME, OPERATOR)                                    \
    WINNOW__COMPARE(NAME, OPERATOR, INT64, int64_t)                            \
    WINNOW__COMPARE(NAME, OPERATOR, UINT64, uint64_t)                          \
    WINNOW__COMPARE(NAME, OPERATOR, FLOAT32, float)                            \
    WINNOW__COMPARE(NAME, OPERATOR, FLOAT64, double)
WINNOW__COMPARE_ALL(LESS, <)
WINNOW__COMPARE_ALL(LESS_EQUAL, <=)
WINNOW__COMPARE_ALL(EQUAL, ==)
WINNOW__COMPARE_ALL(NOT_EQUAL, !=)

#define WINNOW__ORDER(TYPE, C)                                                 \
    WINNOW__BOTH int64_t winnow__do_ORDER_##TYPE(C a, C b) {                   \
        return (a > b) - (a < b);                                              \
    }
WINNOW__ORDER(INT64, int64_t)
WINNOW__ORDER(UINT64, uint64_t)

#define WINNOW__COMPARE_MIXED(NAME)                                            \
    WINNOW__BOTH bool winnow__do_##NAME##_INT64_UINT64(int64_t a,              \
                                                       uint64_t b) {           \
        return a < 0 || winnow__do_##NAME##_UINT64((uint64_t)a, b);            \
    }                                                                          \
    WINNOW__BOTH bool winnow__do_##NAME##_UINT64_INT64(uint64_t a,             \
                                                       int64_t b) {            \
        return b >= 0 && winnow__do_##NAME##_UINT64(a, (uint64_t)b);           \
    }
WINNOW__COMPARE_MIXED(LESS)
WINNOW__COMPARE_MIXED(LESS_EQUAL)

WINNOW__BOTH bool winnow__do_EQUAL_INT64_UINT64(int64_t a, uint64_t b) {
    return a >= 0 && (uint64_t)a == b;
}

WINNOW__BOTH bool winnow__do_NOT_EQUAL_INT64_UINT64(int64_t a, uint64_t b) {
    return a < 0 || (uint64_t)a != b;
}

/* ---------------------------------------------------------------- calendar */

/* A day in years from March 1st. 400 years, an era, always have 146097 days. */
typedef struct winnow__civil {
    int64_t era;         /* from year 0 on */
    uint32_t year;       /* of the era */
    uint32_t month, day; /* month since March, 0 to 11; day of it, from 0 on */
} winnow__civil;

/* `era`, `days`: eras and further days since 1970-01-01. */
WINNOW__BOTH winnow__civil winnow__civil_in_era(int64_t era, uint32_t days) {
    /* 1970-01-01 is day 135080 of its era. */
    const uint32_t since = days + 135080;
    const uint32_t carry = since >= 146097 ? 1 : 0;
    const uint32_t in_era = since - carry * 146097;
    const uint32_t year =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const uint32_t in_year = in_era - (365 * year + year / 4 - year / 100);
    winnow__civil civil;
    civil.era = era + 4 + carry;
    civil.year = year;
    civil.month = (5 * in_year + 2) / 153;
    civil.day = in_year - (153 * civil.month + 2) / 5;
    return civil;
}

WINNOW__BOTH winnow__civil winnow__civil_of(int64_t days) {
    const int64_t era = winnow__do_FLOOR_DIVIDE_INT64(days, 146097);
    return winnow__civil_in_era(era, (uint32_t)(days - era * 146097));
}

WINNOW__BOTH int64_t winnow__year_of(winnow__civil civil) {
    return civil.era * 400 + civil.year + (civil.month >= 10 ? 1 : 0);
}

WINNOW__BOTH uint32_t winnow__month_of(winnow__civil civil) {
    return civil.month < 10 ? civil.month + 3 : civil.month - 9;
}

WINNOW__OF_ONE(YEAR, int64_t, int64_t, winnow__year_of(winnow__civil_of(a)))
WINNOW__OF_ONE(MONTH, int64_t, int64_t, winnow__month_of(winnow__civil_of(a)))
WINNOW__OF_ONE(DAY, int64_t, int64_t, winnow__civil_of(a).day + 1)

/* -------------------------------------------------------------------- loads */

/* From a float16's bits to a float32's: exact. */
WINNOW__BOTH uint32_t winnow__bits_of_float16(uint16_t bits) {
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t rest = bits & 0x7fff;
    uint32_t shift = 0;
    if (rest >= 0x7c00) /* infinity, NaN */
        return sign | 0x7f800000 | (rest & 0x3ff) << 13;
    if (rest >= 0x400)
        return sign | ((rest << 13) + ((127u - 15u) << 23));
    if (rest == 0)
        return sign;
    while ((rest << shift & 0x400) == 0) /* subnormal */
        shift++;
    return sign | (127 - 14 - shift) << 23 | (rest << shift & 0x3ff) << 13;
}

/* From the halves of an INT128: clamped to INT64. */
WINNOW__BOTH int64_t winnow__narrow_of_wide(uint64_t low, int64_t high) {
    const int64_t all = (int64_t)low;
    if (high == (all < 0 ? -1 : 0))
        return all;
    return high < 0 ? INT64_MIN : INT64_MAX;
}

/* From the halves of an INT128: rounded once, to nearest, ties to even. */
WINNOW__BOTH double winnow__do_WIDE_TO_FLOAT64(uint64_t low, int64_t high) {
    const bool negative = high < 0;
    uint64_t upper = (uint64_t)high, lower = low, last;
    unsigned shift = 0;
    double made;
    if (negative) {
        lower = 0 - lower;
        upper = ~upper + (lower == 0 ? 1 : 0);
    }
    if (upper == 0) {
        made = (double)lower;
    } else {
        /* Take the 64 highest bits, from the first 1 on. If any lower bit is 1,
         * the last of them becomes 1: a sticky bit for rounding. */
        while ((upper << shift & (uint64_t)1 << 63) == 0)
            shift++;
        last = shift == 0 ? lower : lower << shift;
        upper = shift == 0 ? upper : upper << shift | lower >> (64 - shift);
        made = (double)(upper | (last != 0 ? 1 : 0)) * 0x1p64;
        for (; shift > 0; shift--)
            made *= 0.5; /* exact */
    }
    return negative ? -made : made;
}

/* 5^digits, for up to 27 digits. */
WINNOW__BOTH uint64_t winnow__power_of_5(uint64_t digits) {
    uint64_t made = 1, by = 5;
    for (; digits != 0; digits >>= 1, by *= by)
        if (digits & 1)
            made *= by;
    return made;
}

/*
 * A half of a * 10^digits, rounded half away from zero. The mantissa times
 * 5^digits has up to 142 bits, in three words. They are shifted until one bit
 * is behind the binary point, and 1 is added to that bit.
 */
WINNOW__BOTH uint64_t winnow__half_of(double a, int64_t digits, bool upper) {
    const int64_t few = digits < 27 ? digits : 27;
    const uint64_t first = winnow__power_of_5((uint64_t)few);
    const uint64_t second = winnow__power_of_5((uint64_t)(digits - few));
    uint64_t bits, low, middle, high, carry;
    memcpy(&bits, &a, sizeof bits);
    const int64_t exponent = (int64_t)(bits >> 52 & 0x7ff);
    const uint64_t mantissa =
        (bits & 0xfffffffffffff) | (uint64_t)(exponent != 0) << 52;
    int64_t left = (exponent != 0 ? exponent : 1) - 1075 + digits + 1;

    low = mantissa * first;
    middle = winnow__high_product(mantissa, first);
    high = winnow__high_product(middle, second);
    carry = winnow__high_product(low, second);
    middle = middle * second + carry;
    high += middle < carry ? 1 : 0;
    low *= second;
    for (; left > 0; left -= 64)
        high = middle, middle = low, low = 0;
    for (; left <= -64; left += 64)
        low = middle, middle = high, high = 0;
    low = low >> -left | middle << 1 << (63 + left);
    middle = middle >> -left | high << 1 << (63 + left);
    middle += ++low == 0 ? 1 : 0;
    low = low >> 1 | middle << 63;
    middle >>= 1;
    if (bits >> 63) {
        low = 0 - low;
        middle = ~middle + (low == 0 ? 1 : 0);
    }
    return upper ? middle : low;
}

WINNOW__BOTH uint64_t winnow__do_FLOAT64_TO_LOWER(double a, int64_t digits) {
    return winnow__half_of(a, digits, false);
}

WINNOW__BOTH int64_t winnow__do_FLOAT64_TO_UPPER(double a, int64_t digits) {
    return (int64_t)winnow__half_of(a, digits, true);
}

#endif
