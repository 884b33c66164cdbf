/*
 * Sums, differences and products of literals: exact, of at most 38 digits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

#include <string.h>

/* units * 10^-places */
typedef struct exact {
    winnow__wide units;
    int32_t places;
    bool has_point, decimal;
} exact;

/* 10^38 - 1 */
static winnow__wide most_units(void) {
    const winnow__wide root = INT64_C(1000000000000000000); /* 10^18 */
    return root * root * 100 - 1;
}

static bool fits(winnow__wide units) {
    return units <= most_units() && units >= -most_units();
}

static bool multiply(winnow__wide a, winnow__wide b, winnow__wide *to) {
    const winnow__wide left = a < 0 ? -a : a, right = b < 0 ? -b : b;
    *to = 0;
    if (left != 0 && right > most_units() / left)
        return false;
    *to = a * b;
    return true;
}

/* ---------------------------------------------------------------- literals */

/* The number of a literal's digits after the point, without trailing zeros. */
static int32_t places_of(const char *digits, uint32_t length) {
    const char *const point = memchr(digits, '.', length);
    if (point == NULL)
        return 0;
    while (digits[length - 1] == '0')
        length--;
    return (int32_t)(digits + length - 1 - point);
}

/* False: it has more than 38 digits. */
static bool read_literal(const winnow__text *text,
                         const winnow__text_value *value, exact *to) {
    const winnow__number number = winnow__text_number(text, value);
    *to = (exact){.has_point = !winnow__text_is_whole(text, value)};
    if (to->has_point)
        to->places = places_of(number.digits, number.length);
    const winnow__domain domain = {.type = winnow__type(WINNOW_INT64),
                                   .scale = -to->places};
    const winnow__point point = winnow__number_point(&number, &domain);
    to->units = point.floor;
    return point.beyond == 0 && fits(point.floor);
}

bool winnow__text_has_exponent(const winnow__text *text,
                               const winnow__text_value *number) {
    const char *const digits = text->from + number->right.begin;
    const uint32_t length = number->right.end - number->right.begin;
    return !winnow__text_is_whole(text, number) &&
           (memchr(digits, 'e', length) != NULL ||
            memchr(digits, 'E', length) != NULL);
}

/* Is it exact: a literal without an exponent, or computed from whole ones?
 * *right: it has at most 38 digits. */
static bool is_exact(const winnow__text *text, const winnow__text_value *value,
                     exact *to, bool *right) {
    *right = true;
    if (value->kind == WINNOW__TEXT_NUMBER && value->folded) {
        *to = (exact){.units = value->negative ? -value->units : value->units,
                      .places = value->places,
                      .has_point = value->has_point,
                      .decimal = value->decimal};
        return true;
    }
    if (value->kind == WINNOW__TEXT_NUMBER) {
        if (winnow__text_has_exponent(text, value))
            return false;
        *right = read_literal(text, value, to);
        return true;
    }
    if (value->kind != WINNOW__TEXT_COMPUTED ||
        value->meaning != WINNOW__NUMBERS)
        return false;
    const winnow__constant known = winnow__text_constant(text, value);
    *to = (exact){.units = known.type == WINNOW__INT64 ? (winnow__wide)known.i
                                                       : (winnow__wide)known.u};
    return known.weak && !known.is_null &&
           (known.type == WINNOW__INT64 || known.type == WINNOW__UINT64);
}

/* -------------------------------------------------------------- operations */

/* Both operands and the sum have at most 38 digits at the finer scale. */
static bool add(exact *a, exact b) {
    while (a->places != b.places) {
        exact *const coarse = a->places < b.places ? a : &b;
        if (coarse->units == 0) {
            coarse->places = a->places < b.places ? b.places : a->places;
        } else {
            if (!multiply(coarse->units, 10, &coarse->units))
                return false;
            coarse->places++;
        }
    }
    if (b.units > 0 ? a->units > most_units() - b.units
                    : a->units < -most_units() - b.units)
        return false;
    a->units += b.units;
    for (; a->places > 0 && a->units % 10 == 0; a->places--)
        a->units /= 10;
    return true;
}

/* Divide *a by a factor of 10, and *b by 10 / factor. */
static bool divide(winnow__wide *a, winnow__wide *b, int factor) {
    const int other = 10 / factor;
    if (*a % factor != 0 || *b % other != 0)
        return false;
    *a /= factor;
    *b /= other;
    return true;
}

/* Factors of 10 are removed before the multiplication. */
static bool multiply_exact(exact *a, exact b) {
    a->places += b.places;
    while (a->places > 0 &&
           (divide(&a->units, &b.units, 10) ||
            divide(&b.units, &a->units, 10) || divide(&a->units, &b.units, 2) ||
            divide(&b.units, &a->units, 2)))
        a->places--;
    return multiply(a->units, b.units, &a->units);
}

static bool apply(exact *a, winnow__binary operation, exact b) {
    a->has_point |= b.has_point;
    a->decimal |= b.decimal;
    if (operation == WINNOW__MULTIPLY)
        return multiply_exact(a, b);
    if (operation == WINNOW__SUBTRACT)
        b.units = -b.units;
    return add(a, b);
}

static bool fail_digits(winnow__text *text, winnow__text_span span,
                        uint32_t place) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                             "found %.*s, which has more than 38 digits: with "
                             "an exponent, as in 1e9, numbers are float64",
                             WINNOW__TEXT_SHOWN(text, span, 100));
}

bool winnow__text_take_units(winnow__text *text,
                             const winnow__text_value *number,
                             winnow__wide *units, int *places) {
    exact read;
    bool fits;
    (void)is_exact(text, number, &read, &fits);
    *units = read.units;
    *places = read.places;
    return fits || fail_digits(text, number->span, number->span.begin);
}

bool winnow__text_fold(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *op,
                       const winnow__text_value *b, bool *folded) {
    const winnow__text_span both = {a->span.begin, b->span.end};
    exact left, right;
    bool left_fits, right_fits;
    *folded = false;
    if (op->compare > WINNOW__MULTIPLY ||
        !is_exact(text, a, &left, &left_fits) ||
        !is_exact(text, b, &right, &right_fits))
        return true;
    if (!left_fits || !right_fits) {
        const winnow__text_span span = left_fits ? b->span : a->span;
        return fail_digits(text, span, span.begin);
    }
    if (!apply(&left, (winnow__binary)op->compare, right))
        return fail_digits(text, both, op->span.begin);
    *a =
        (winnow__text_value){.kind = WINNOW__TEXT_NUMBER,
                             .folded = true,
                             .negative = left.units < 0,
                             .has_point = left.has_point,
                             .decimal = left.decimal,
                             .places = left.places,
                             .units = left.units < 0 ? -left.units : left.units,
                             .span = both};
    *folded = true;
    return true;
}
