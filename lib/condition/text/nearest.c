/*
 * The float nearest to a number in a text, ties to even; and the place of a
 * float among the keys of a domain. Both use integers of any size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "digits.h"

#include <float.h>
#include <math.h>

__extension__ typedef unsigned __int128 unsigned_wide;

/* ----------------------------------------------------------------- integers */

static void big_multiply_add(winnow__big *x, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (unsigned i = 0; i < x->used; i++) {
        carry += (uint64_t)x->limb[i] * by;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        x->limb[x->used++] = (uint32_t)carry;
}

void winnow__big_multiply_power(winnow__big *x, int64_t exponent) {
    for (int64_t i = 0; i < exponent; i++)
        big_multiply_add(x, 10, 0);
}

int winnow__big_order(const winnow__big *a, const winnow__big *b) {
    for (unsigned i = a->used > b->used ? a->used : b->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a >= b */
static void big_subtract(winnow__big *a, const winnow__big *b) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < a->used; i++) {
        const uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

static bool big_is_zero(const winnow__big *x) {
    for (unsigned i = 0; i < x->used; i++)
        if (x->limb[i] != 0)
            return false;
    return true;
}

winnow__big winnow__big_of(const winnow__digits *number) {
    winnow__big made = {0};
    for (const char *at = number->begin; at < number->end; at++)
        if (*at != '.')
            big_multiply_add(&made, number->base,
                             (uint32_t)winnow__digit_of(*at));
    return made;
}

/* ------------------------------------------------------------------- floats */

/* mantissa * 2^exponent. The top bit of the mantissa is set, unless it is 0;
 * its lowest bit is set if anything was rounded off. */
typedef struct binary {
    uint64_t mantissa;
    int exponent;
} binary;

/* numerator / denominator; neither is 0. */
static binary divide(winnow__big *numerator, winnow__big *denominator) {
    binary result = {.exponent = -63};
    while (winnow__big_order(numerator, denominator) < 0) {
        big_multiply_add(numerator, 2, 0);
        result.exponent--;
    }
    for (;;) {
        winnow__big twice = *denominator;
        big_multiply_add(&twice, 2, 0);
        if (winnow__big_order(numerator, &twice) < 0)
            break;
        *denominator = twice;
        result.exponent++;
    }
    for (unsigned i = 0; i < 64; i++) {
        result.mantissa *= 2;
        if (winnow__big_order(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            result.mantissa |= 1;
        }
        big_multiply_add(numerator, 2, 0);
    }
    result.mantissa |= !big_is_zero(numerator);
    return result;
}

/* Is 10^|exponent| < 2^64? */
static bool is_near(const winnow__digits *number) {
    return winnow__is_short(number) && number->exponent >= -19 &&
           number->exponent <= 19;
}

/* digits * 10^exponent, for numbers that are near and not 0, in 128-bit
 * integers. */
static binary near_binary(const winnow__digits *number) {
    const int shift = __builtin_clzll(number->value);
    const uint64_t normal = number->value << shift;
    const bool down = number->exponent < 0;
    uint64_t power = 1;
    for (int64_t i = down ? -number->exponent : number->exponent; i > 0; i--)
        power *= 10;
    /* normal has its top bit, and the power is below 2^64, so the quotient is at least
     * 2^63. */
    const unsigned_wide raised = (unsigned_wide)normal << 64;
    unsigned_wide value = down ? raised / power : (unsigned_wide)normal * power;
    bool lost = down && raised % power != 0;
    binary result = {.exponent = -shift - (down ? 64 : 0)};
    if (value >> 64 != 0) {
        const int drop = 64 - __builtin_clzll((uint64_t)(value >> 64));
        lost |= (value & (((unsigned_wide)1 << drop) - 1)) != 0;
        value >>= drop;
        result.exponent += drop;
    }
    result.mantissa = (uint64_t)value | lost;
    return result;
}

/* The number of a float's mantissa bits. */
static unsigned fraction_bits(const winnow__type_info *type) {
    return (unsigned)__builtin_ctzll(type->infinity);
}

/* Round to nearest, ties to even. Numbers that are too large become infinity. */
static uint64_t round_to(binary x, const winnow__type_info *type) {
    const unsigned bits = fraction_bits(type);
    const int most = (int)(type->infinity >> bits); /* the largest exponent */
    /* The biased exponent, which is at least 1 for normal numbers. */
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
    /* A carry increments the exponent. A subnormal number lacks the bit that
     * would add 1 to it. */
    return ((uint64_t)(exponent - 1) << bits) + kept + up;
}

/* The bits of the float nearest to the number without its sign. */
static uint64_t nearest(const winnow__digits *number,
                        const winnow__type_info *type) {
    const int64_t magnitude = number->exponent + number->count;
    if (number->count == 0 || magnitude < -WINNOW__BIG_EXPONENT)
        return 0;
    if (number->base == 10 && magnitude > WINNOW__BIG_EXPONENT)
        return type->infinity;
    if (is_near(number))
        return round_to(near_binary(number), type);
    winnow__big digits = winnow__big_of(number),
                denominator = {.used = 1, .limb = {1}};
    winnow__big_multiply_power(&digits, number->exponent);
    winnow__big_multiply_power(&denominator, -number->exponent);
    return round_to(divide(&digits, &denominator), type);
}

winnow__point winnow__digits_float(const winnow__digits *number, bool negative,
                                   const winnow__type_info *type) {
    const uint64_t bits = nearest(number, type);
    const winnow__wide key = negative ? -(winnow__wide)bits : bits;
    if (bits < type->infinity)
        return (winnow__point){.floor = key, .exact = true};
    /* between the largest finite float and infinity */
    return (winnow__point){.floor = negative ? key : key - 1};
}

/* The largest integer that is at most a finite float of at most 2^127. */
static winnow__point float_among_integers(double number) {
    const winnow__wide toward_zero = (winnow__wide)number;
    const bool exact = (double)toward_zero == number;
    return (winnow__point){.floor = toward_zero - (number < 0 && !exact),
                           .exact = exact};
}

winnow__point winnow__float_point(double number, const winnow__domain *domain) {
    const winnow__type_info *const type = domain->type;
    const double magnitude = number < 0 ? -number : number;
    int exponent;
    if (number != number)
        return (winnow__point){.none = true};
    if (type->infinity == 0)
        return magnitude < 0x1p127
                   ? float_among_integers(number)
                   : (winnow__point){.beyond = number < 0 ? -1 : 1};
    const bool finite = magnitude <= DBL_MAX;
    uint64_t bits = finite ? 0 : type->infinity;
    if (finite && magnitude != 0) {
        const double fraction = frexp(magnitude, &exponent); /* 0.5 to 1 */
        bits = round_to((binary){.mantissa = (uint64_t)(fraction * 0x1p64),
                                 .exponent = exponent - 64},
                        type);
    }
    const winnow__wide key = number < 0 ? -(winnow__wide)bits : bits;
    if (bits < type->infinity || !finite)
        return (winnow__point){.floor = key, .exact = true};
    return (winnow__point){.floor = number < 0 ? key : key - 1};
}
