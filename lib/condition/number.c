/*
 * Numbers in the text of a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "number.h"

#include <float.h>
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

/* --------------------------------------------------------------- the parts */

/* A number is digits * 10^exponent, or digits in another base. */
typedef struct parts {
    unsigned base;
    const char *begin, *end; /* of the digits, among which a point may be */
    int64_t exponent;
    unsigned count; /* of digits, without zeros in front */
    uint64_t value; /* of the digits, if they are few: is_short() */
} parts;

/* 10^19 < 2^64 */
static bool is_short(const parts *number) {
    return number->base == 10 && number->count <= 19;
}

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
    const int64_t most = INT64_MAX / 100;
    const bool negative = at < end && *at == '-';
    int64_t exponent = 0;
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        exponent = exponent < most / 10 ? 10 * exponent + (*at - '0') : most;
    }
    *to += negative ? -exponent : exponent;
    return true;
}

static bool read_parts(const winnow__number *number, parts *to) {
    const char *at = number->digits, *const end = at + number->length;
    bool point = false, any = false;
    *to = (parts){.base = 10};
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        to->base = 16;
        at += 2;
    } else if (end - at > 1 && at[0] == '0' && !is_decimal(at, end)) {
        to->base = 8;
    }
    to->begin = at;
    for (; at < end; at++) {
        const int digit = digit_of(*at);
        to->end = at;
        if (to->base == 10 && *at == '.' && !point) {
            point = true;
        } else if (to->base == 10 && (*at == 'e' || *at == 'E')) {
            return any && read_exponent(at + 1, end, &to->exponent);
        } else if (digit < (int)to->base) {
            any = true;
            to->value = to->value * to->base + (unsigned)digit;
            to->count += to->count != 0 || digit != 0;
            to->exponent -= point;
        } else {
            return false;
        }
    }
    to->end = end;
    return any;
}

bool winnow__number_is_right(const winnow__number *number) {
    parts read;
    return read_parts(number, &read);
}

/* ---------------------------------------------------------------- integers */

/* -MOST is the least winnow__wide. */
#define MOST ((unsigned_wide)1 << 127)

/* An integer without its sign; `over`: it is greater than MOST. */
typedef struct unsigned_part {
    unsigned_wide value;
    bool over;
} unsigned_part;

static void append(unsigned_part *m, unsigned base, unsigned digit) {
    m->over = m->over || m->value > (MOST - digit) / base;
    if (!m->over)
        m->value = m->value * base + digit;
}

/* The integer part of a number / 10^scale, without its sign; *exact: nothing is
 * behind it. */
static unsigned_part whole_of(const parts *number, int scale, bool *exact) {
    const bool decimal = number->base == 10;
    /* How many digits are in front of the point. */
    const int64_t whole = decimal ? number->exponent - scale + number->count
                                  : (int64_t)number->count;
    unsigned_part m = {0};
    int64_t i = 0; /* digits so far, without zeros in front */
    *exact = true;
    for (const char *at = number->begin; at < number->end; at++) {
        const int digit = *at == '.' ? 0 : digit_of(*at);
        if (*at == '.' || (i == 0 && digit == 0))
            continue;
        if (i++ < whole)
            append(&m, number->base, (unsigned)digit);
        else if (digit != 0)
            *exact = false;
    }
    for (; i < whole && m.value != 0 && !m.over; i++)
        append(&m, 10, 0);
    for (; !decimal && scale < 0 && m.value != 0 && !m.over; scale++)
        append(&m, 10, 0);
    for (; !decimal && scale > 0 && m.value != 0 && !m.over; scale--) {
        *exact = *exact && m.value % 10 == 0;
        m.value /= 10;
    }
    return m;
}

static winnow__point integer_point(const parts *number, bool negative,
                                   int scale) {
    bool exact;
    const unsigned_part m = whole_of(number, scale, &exact);
    if (m.over || (m.value == MOST && (!negative || !exact)))
        return (winnow__point){.beyond = negative ? -1 : 1};
    return (winnow__point){.floor = negative ? (winnow__wide)-m.value - !exact
                                             : (winnow__wide)m.value,
                           .exact = exact};
}

/* ------------------------------------------------------------- big integers */

/* Room for 10^(MOST_EXPONENT + the digits), and a shift by 64 bits. */
enum {
    MOST_EXPONENT = 400,
    LIMBS = 64
};

/* Least significant first; those at `used` and behind are 0. */
typedef struct big {
    unsigned used;
    uint32_t limb[LIMBS];
} big;

static void multiply_add(big *x, uint32_t by, uint32_t add) {
    uint64_t carry = add;
    for (unsigned i = 0; i < x->used; i++) {
        carry += (uint64_t)x->limb[i] * by;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0)
        x->limb[x->used++] = (uint32_t)carry;
}

static void multiply_power(big *x, int64_t exponent) {
    for (int64_t i = 0; i < exponent; i++)
        multiply_add(x, 10, 0);
}

static int order_of(const big *a, const big *b) {
    for (unsigned i = a->used > b->used ? a->used : b->used; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a >= b */
static void subtract(big *a, const big *b) {
    uint64_t borrow = 0;
    for (unsigned i = 0; i < a->used; i++) {
        const uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        a->limb[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}

static bool is_zero(const big *x) {
    for (unsigned i = 0; i < x->used; i++)
        if (x->limb[i] != 0)
            return false;
    return true;
}

/* The digits. */
static big big_of(const parts *number) {
    big made = {0};
    for (const char *at = number->begin; at < number->end; at++)
        if (*at != '.')
            multiply_add(&made, number->base, (uint32_t)digit_of(*at));
    return made;
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

/* As long as 10^|exponent| < 2^64. */
static bool is_near(const parts *number) {
    return is_short(number) && number->exponent >= -19 &&
           number->exponent <= 19;
}

/* A number that is near, and is not 0: digits * 10^exponent, by integers of 128
 * bits. */
static binary near_binary(const parts *number) {
    const int shift = __builtin_clzll(number->value);
    const uint64_t normal = number->value << shift;
    const bool down = number->exponent < 0;
    uint64_t power = 1;
    for (int64_t i = down ? -number->exponent : number->exponent; i > 0; i--)
        power *= 10;
    /* At least 2^63: normal has its top bit, and the power is below 2^64. */
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

/* The bits of the float that is nearest to the number without its sign. */
static uint64_t nearest(const parts *number, const winnow__type_info *type) {
    const int64_t magnitude = number->exponent + number->count;
    if (number->count == 0 || magnitude < -MOST_EXPONENT)
        return 0;
    if (number->base == 10 && magnitude > MOST_EXPONENT)
        return type->infinity;
    if (is_near(number))
        return round_to(near_binary(number), type);
    big digits = big_of(number), denominator = {.used = 1, .limb = {1}};
    multiply_power(&digits, number->exponent);
    multiply_power(&denominator, -number->exponent);
    return round_to(divide(&digits, &denominator), type);
}

static winnow__point float_point(const parts *number, bool negative,
                                 const winnow__type_info *type) {
    const uint64_t bits = nearest(number, type);
    const winnow__wide key = negative ? -(winnow__wide)bits : bits;
    if (bits < type->infinity)
        return (winnow__point){.floor = key, .exact = true};
    /* Between the last finite one and infinity. */
    return (winnow__point){.floor = negative ? key : key - 1};
}

/* ------------------------------------------------------------- comparisons */

winnow__point winnow__number_point(const winnow__number *number,
                                   const winnow__domain *domain) {
    parts read;
    read_parts(number, &read);
    if (domain->type->infinity != 0)
        return float_point(&read, number->negative, domain->type);
    return integer_point(&read, number->negative, domain->scale);
}

/* The integer below a finite float of at most 2^127. */
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

int winnow__number_order(const winnow__number *a, const winnow__number *b) {
    parts x, y;
    read_parts(a, &x);
    read_parts(b, &y);
    const int sign_a = x.count == 0 ? 0 : a->negative ? -1 : 1;
    const int sign_b = y.count == 0 ? 0 : b->negative ? -1 : 1;
    const int64_t apart = x.exponent - y.exponent;
    if (sign_a != sign_b || sign_a == 0)
        return (sign_a > sign_b) - (sign_a < sign_b);
    /* The digits of neither reach 10^MOST_EXPONENT. */
    if (apart > MOST_EXPONENT || apart < -MOST_EXPONENT)
        return apart > 0 ? sign_a : -sign_a;
    big left = big_of(&x), right = big_of(&y);
    multiply_power(&left, apart);
    multiply_power(&right, -apart);
    return sign_a * order_of(&left, &right);
}
