/*
 * Numbers in the text of a condition: exact, whatever the locale and the mode
 * of rounding are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"

#include <string.h>

/* ------------------------------------------------------------- big integers */

/* Room for 10^(MOST_EXPONENT + the digits), and a shift by 64 bits. */
enum {
    MOST_EXPONENT = 400,
    LIMBS = 64
};

/* Least significant first. */
typedef struct big {
    uint32_t limb[LIMBS];
} big;

static void multiply_add(big *x, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (unsigned i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x->limb[i] * by;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static int order_of(const big *a, const big *b) {
    for (unsigned i = LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a >= b */
static void subtract(big *a, const big *b) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < LIMBS; i++) {
        const uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

static bool is_zero(const big *x) {
    for (unsigned i = 0; i < LIMBS; i++)
        if (x->limb[i] != 0)
            return false;
    return true;
}

/* --------------------------------------------------------------- the parts */

/* A number is digits * 10^exponent, or digits in another base. */
typedef struct parts {
    unsigned base;
    bool fraction; /* it has a point or an exponent */
    big digits;
    int64_t exponent;
    unsigned count; /* of digits, without zeros in front */
} parts;

static int digit_of(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool is_decimal(const char *at, const char *end) {
    for (; at < end; at++)
        if (*at == '.' || *at == 'e' || *at == 'E')
            return true;
    return false;
}

/* An exponent: a sign and digits, all that is left. */
static bool read_exponent(const char *at, const char *end, int64_t *to) {
    const bool negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        if (exponent < 1000000)
            exponent = 10 * exponent + (*at - '0');
    }
    *to += negative ? -exponent : exponent;
    return true;
}

static bool read_parts(const winnow__text_number *number, parts *to) {
    const char *at = number->digits, *const end = at + number->length;
    bool point = false, any = false;
    *to = (parts){.base = 10};
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        to->base = 16;
        at += 2;
    } else if (is_decimal(at, end)) {
        to->fraction = true;
    } else if (end - at > 1 && at[0] == '0') {
        to->base = 8;
    }
    for (; at < end; at++) {
        const int digit = digit_of(*at);
        if (to->base == 10 && *at == '.' && !point) {
            point = true;
        } else if (to->base == 10 && (*at == 'e' || *at == 'E')) {
            return any && read_exponent(at + 1, end, &to->exponent);
        } else if (digit < (int)to->base) {
            any = true;
            multiply_add(&to->digits, to->base, (uint32_t)digit);
            to->count += to->count != 0 || digit != 0;
            to->exponent -= point;
        } else {
            return false;
        }
    }
    return any;
}

/* ---------------------------------------------------------------- integers */

static winnow__number_result integer_bits(const parts *number, bool negative,
                                          const winnow__type_info *type,
                                          uint64_t *bits_p) {
    const uint64_t full = UINT64_MAX >> (64 - 8 * type->size);
    const uint64_t most = type->is_signed ? full / 2 : full;
    const uint64_t value =
        (uint64_t)number->digits.limb[1] << 32 | number->digits.limb[0];
    if (number->fraction)
        return WINNOW__NUMBER_FRACTION;
    for (unsigned i = 2; i < LIMBS; i++)
        if (number->digits.limb[i] != 0)
            return WINNOW__NUMBER_TOO_LARGE;
    if (value > (negative ? type->is_signed ? most + 1 : 0 : most))
        return WINNOW__NUMBER_TOO_LARGE;
    *bits_p = (negative ? 0 - value : value) & full;
    return WINNOW__NUMBER_FITS;
}

/* ------------------------------------------------------------------ floats */

/* mantissa * 2^exponent; the mantissa's top bit is set, unless it is 0, and its
 * lowest one stands for all that is lost. */
typedef struct binary {
    uint64_t mantissa;
    int exponent;
} binary;

/* numerator / denominator, neither of which is 0. */
static binary divide(big *numerator, big *denominator) {
    binary result = {.exponent = -63};
    while (order_of(numerator, denominator) < 0) {
        multiply_add(numerator, 2, 0);
        result.exponent--;
    }
    for (;;) {
        big twice = *denominator;
        multiply_add(&twice, 2, 0);
        if (order_of(numerator, &twice) < 0)
            break;
        *denominator = twice;
        result.exponent++;
    }
    for (unsigned i = 0; i < 64; i++) {
        result.mantissa *= 2;
        if (order_of(numerator, denominator) >= 0) {
            subtract(numerator, denominator);
            result.mantissa |= 1;
        }
        multiply_add(numerator, 2, 0);
    }
    result.mantissa |= !is_zero(numerator);
    return result;
}

/* How many bits of a float are behind its exponent. */
static unsigned fraction_bits(const winnow__type_info *type) {
    return (unsigned)__builtin_ctzll(type->infinity);
}

/* To the nearest, ties to even; what is too large becomes infinity. */
static uint64_t round_to(binary x, const winnow__type_info *type) {
    const unsigned bits = fraction_bits(type);
    const int most = (int)(type->infinity >> bits); /* the largest exponent */
    /* In place of 1.f * 2^e, exponents begin with 1, of normal numbers. */
    int exponent = x.exponent + 63 + most / 2;
    unsigned drop = 63 - bits;
    if (exponent >= most)
        return type->infinity;
    if (exponent < 1) {
        drop += (unsigned)(1 - exponent);
        exponent = 1;
    }
    if (drop > 64)
        return 0;
    const uint64_t kept = drop == 64 ? 0 : x.mantissa >> drop;
    const uint64_t rest = drop == 64 ? x.mantissa : x.mantissa << (64 - drop);
    const uint64_t half = UINT64_C(1) << 63;
    const bool up = rest > half || (rest == half && (kept & 1) != 0);
    /* A carry goes on to the exponent. A subnormal number lacks the bit that
     * adds 1 to it. */
    return ((uint64_t)(exponent - 1) << bits) + kept + up;
}

static winnow__number_result float_bits(parts *number, bool negative,
                                        const winnow__type_info *type,
                                        uint64_t *bits_p) {
    const uint64_t sign = negative ? UINT64_C(1) << (8 * type->size - 1) : 0;
    const int64_t magnitude = number->exponent + number->count;
    big denominator = {.limb = {1}};
    *bits_p = sign;
    if (number->count == 0 || magnitude < -MOST_EXPONENT)
        return WINNOW__NUMBER_FITS;
    if (number->base == 10 && magnitude > MOST_EXPONENT)
        return WINNOW__NUMBER_TOO_LARGE;
    for (int64_t i = 0; i < number->exponent; i++)
        multiply_add(&number->digits, 10, 0);
    for (int64_t i = number->exponent; i < 0; i++)
        multiply_add(&denominator, 10, 0);
    const uint64_t bits = round_to(divide(&number->digits, &denominator), type);
    if (bits >= type->infinity)
        return WINNOW__NUMBER_TOO_LARGE;
    *bits_p = sign | bits;
    return WINNOW__NUMBER_FITS;
}

winnow__number_result winnow__number_bits(const winnow__text_number *number,
                                          const winnow__type_info *type,
                                          uint64_t *bits_p) {
    parts read;
    if (!read_parts(number, &read))
        return WINNOW__NUMBER_MALFORMED;
    return type->infinity != 0
               ? float_bits(&read, number->negative, type, bits_p)
               : integer_bits(&read, number->negative, type, bits_p);
}
