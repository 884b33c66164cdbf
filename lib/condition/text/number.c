/*
 * Numbers in the text of a condition: how they are written, their place among
 * integers and among a column's values, and their order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "digits.h"

#include <inttypes.h>
#include <stdio.h>

__extension__ typedef unsigned __int128 unsigned_wide;

/* ------------------------------------------------------------------ digits */

int winnow__digit_of(char c) {
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

/* Read an exponent: a sign and digits up to the end. */
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

static bool winnow__read_digits(const winnow__number *number,
                                winnow__digits *to) {
    const char *at = number->digits != NULL ? number->digits : number->made;
    const char *const end = at + number->length;
    bool point = false, any = false;
    *to = (winnow__digits){.base = 10};
    if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        to->base = 16;
        at += 2;
    } else if (end - at > 1 && at[0] == '0' && !is_decimal(at, end)) {
        to->base = 8;
    }
    to->begin = at;
    for (; at < end; at++) {
        const int digit = winnow__digit_of(*at);
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
    winnow__digits read;
    return winnow__read_digits(number, &read);
}

winnow__number winnow__number_made(winnow__wide units, int places,
                                   bool negative) {
    const uint64_t part = UINT64_C(10000000000000000000); /* 10^19 */
    const uint64_t high = (uint64_t)(units / part);
    const uint64_t low = (uint64_t)(units % part);
    winnow__number number = {.negative = negative};
    number.length =
        (unsigned)(high != 0 ? snprintf(number.made, sizeof number.made,
                                        "%" PRIu64 "%019" PRIu64 "e-%d", high,
                                        low, places)
                             : snprintf(number.made, sizeof number.made,
                                        "%" PRIu64 "e-%d", low, places));
    return number;
}

/* ---------------------------------------------------------------- integers */

/* -MOST is the least winnow__wide. */
#define MOST ((unsigned_wide)1 << 127)

/* An integer without its sign. `over`: it exceeds MOST. */
typedef struct unsigned_part {
    unsigned_wide value;
    bool over;
} unsigned_part;

static void append(unsigned_part *m, unsigned base, unsigned digit) {
    m->over = m->over || m->value > (MOST - digit) / base;
    if (!m->over)
        m->value = m->value * base + digit;
}

/* The integer part of a number / 10^scale, without its sign. *exact: there is
 * no fraction. */
static unsigned_part whole_of(const winnow__digits *number, int scale,
                              bool *exact) {
    const bool decimal = number->base == 10;
    /* The number of digits before the point. */
    const int64_t whole = decimal ? number->exponent - scale + number->count
                                  : (int64_t)number->count;
    unsigned_part m = {0};
    int64_t i = 0; /* digits so far, without leading zeros */
    *exact = true;
    for (const char *at = number->begin; at < number->end; at++) {
        const int digit = *at == '.' ? 0 : winnow__digit_of(*at);
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

static winnow__point integer_point(const winnow__digits *number, bool negative,
                                   int scale) {
    bool exact;
    const unsigned_part m = whole_of(number, scale, &exact);
    if (m.over || (m.value == MOST && (!negative || !exact)))
        return (winnow__point){.beyond = negative ? -1 : 1};
    return (winnow__point){.floor = negative ? (winnow__wide)-m.value - !exact
                                             : (winnow__wide)m.value,
                           .exact = exact};
}

/* ------------------------------------------------------------- comparisons */

winnow__point winnow__number_point(const winnow__number *number,
                                   const winnow__domain *domain) {
    winnow__digits read;
    winnow__read_digits(number, &read);
    if (domain->type->infinity != 0)
        return winnow__digits_float(&read, number->negative, domain->type);
    return integer_point(&read, number->negative, domain->scale);
}

int winnow__number_order(const winnow__number *a, const winnow__number *b) {
    winnow__digits x, y;
    winnow__read_digits(a, &x);
    winnow__read_digits(b, &y);
    const int sign_a = x.count == 0 ? 0 : a->negative ? -1 : 1;
    const int sign_b = y.count == 0 ? 0 : b->negative ? -1 : 1;
    const int64_t apart = x.exponent - y.exponent;
    if (sign_a != sign_b || sign_a == 0)
        return (sign_a > sign_b) - (sign_a < sign_b);
    /* The digits of either are less than 10^WINNOW__BIG_EXPONENT. */
    if (apart > WINNOW__BIG_EXPONENT || apart < -WINNOW__BIG_EXPONENT)
        return apart > 0 ? sign_a : -sign_a;
    winnow__big left = winnow__big_of(&x), right = winnow__big_of(&y);
    winnow__big_multiply_power(&left, apart);
    winnow__big_multiply_power(&right, -apart);
    return sign_a * winnow__big_order(&left, &right);
}

/* --------------------------------------------------------------------- keys */

static const winnow__keys none = {1, 0};

/* Keys less than the point or, if `from`, greater than it; with `equal` also that of
 * the point. */
static winnow__keys keys_beside(const winnow__point *point, bool from,
                                bool equal, const winnow__domain *domain) {
    winnow__keys keys = {domain->least, domain->most};
    winnow__wide *const end = from ? &keys.low : &keys.high;
    const bool below = point->beyond < 0 ||
                       (point->beyond == 0 && point->floor < domain->least);
    const bool above = point->beyond > 0 ||
                       (point->beyond == 0 && point->floor > domain->most);
    if (below || above)
        return below == from ? keys : none;
    /* The floor is less than the point, unless they are equal. */
    const bool moves = from ? !equal || !point->exact : !equal && point->exact;
    if (moves && point->floor == (from ? domain->most : domain->least))
        return none;
    *end = point->floor + (moves ? from ? 1 : -1 : 0);
    return keys;
}

winnow__keys winnow__keys_of_both(winnow__keys a, winnow__keys b) {
    return (winnow__keys){a.low > b.low ? a.low : b.low,
                          a.high < b.high ? a.high : b.high};
}

winnow__keys winnow__point_keys(const winnow__point *point,
                                winnow_compare compare,
                                const winnow__domain *domain) {
    if (point->none)
        return none;
    if (compare == WINNOW_EQ || compare == WINNOW_NE)
        return winnow__keys_of_both(keys_beside(point, false, true, domain),
                                    keys_beside(point, true, true, domain));
    return keys_beside(point, compare == WINNOW_GE || compare == WINNOW_GT,
                       compare == WINNOW_LE || compare == WINNOW_GE, domain);
}
