/*
 * What stands on either side of a comparison: columns, their bits under a mask,
 * and numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/predicate.h"
#include "core/status.h"
#include "text.h"
#include "wide.h"

#include <stdio.h>

/* ------------------------------------------------------------------ values */

const winnow__type_info *winnow__text_type(const winnow__text *text,
                                           const winnow__text_value *column) {
    return winnow__tested_type(winnow__text_element_type(text, column));
}

winnow_type winnow__text_element_type(const winnow__text *text,
                                      const winnow__text_value *column) {
    static const winnow_type types[WINNOW__VALUE_TYPES] = {
        [WINNOW__INT64] = WINNOW_INT64,
        [WINNOW__UINT64] = WINNOW_UINT64,
        [WINNOW__FLOAT32] = WINNOW_FLOAT32,
        [WINNOW__FLOAT64] = WINNOW_FLOAT64,
        [WINNOW__BOOL] = WINNOW_BIT};
    return column->computed
               ? types[winnow__value_type_of(text->builder, column->value)]
               : text->fields[column->column].type;
}

static winnow__meaning meaning_of_field(const winnow__text *text,
                                        uint16_t column) {
    winnow__meaning meaning;
    /* It was read before. */
    (void)winnow__read_format(column, &text->fields[column], &meaning);
    return meaning;
}

winnow__meaning winnow__text_meaning(const winnow__text *text,
                                     const winnow__text_value *value) {
    if (!value->computed)
        return meaning_of_field(text, value->column);
    const char *const zone =
        value->zoned ? meaning_of_field(text, value->column).zone : NULL;
    return (winnow__meaning){.kind = (winnow__meaning_kind)value->meaning,
                             .unit = winnow__unit_of(value->unit),
                             .zone = zone};
}

bool winnow__text_is_bit(const winnow__text *text,
                         const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_COLUMN &&
           winnow__text_element_type(text, value) == WINNOW_BIT;
}

bool winnow__text_fail_bit(winnow__text *text,
                           const winnow__text_value *column) {
    const char *const name = text->fields[column->column].name;
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, column->span.begin,
                             "'%.100s' is of bits, which are no numbers: write "
                             "%.100s, not %.100s, or %.100s = true",
                             name, name, name, name);
}

static uint64_t sign_of(const winnow__type_info *type) {
    return UINT64_C(1) << (8 * type->size - 1);
}

uint64_t winnow__text_mask_of(const winnow__text *text,
                              const winnow__text_value *column) {
    return column->masked ? column->mask
                          : winnow__all_bits(winnow__text_type(text, column));
}

winnow__domain winnow__text_domain(const winnow__text *text,
                                   const winnow__text_value *column) {
    const winnow__type_info *const type = winnow__text_type(text, column);
    const int scale = winnow__text_meaning(text, column).scale;
    if (type->size == 16)
        return winnow__wide_domain(type, scale);
    const uint64_t mask = winnow__text_mask_of(text, column);
    const uint64_t sign = sign_of(type);
    const bool is_signed =
        column->masked ? column->is_signed : type->is_signed != 0;
    if (type->infinity != 0)
        return (winnow__domain){.type = type,
                                .least = -(winnow__wide)type->infinity,
                                .most = type->infinity};
    return (winnow__domain){.type = type,
                            .least = is_signed ? -(winnow__wide)sign : 0,
                            .most = is_signed ? mask & ~sign : mask,
                            .scale = scale};
}

uint64_t winnow__text_bits(const winnow__domain *domain, winnow__wide key) {
    const winnow__type_info *const type = domain->type;
    if (type->infinity != 0 && key < 0)
        return (uint64_t)-key | sign_of(type);
    return (uint64_t)key & winnow__all_bits(type);
}

winnow__number winnow__text_number(const winnow__text *text,
                                   const winnow__text_value *number) {
    return (winnow__number){.digits = text->from + number->right.begin,
                            .length = number->right.end - number->right.begin,
                            .negative = number->negative};
}

/* Of an integer, where its digits are; of a float, where that is. */
static winnow__point constant_point(const winnow__text *text,
                                    const winnow__text_value *value,
                                    const winnow__domain *domain) {
    const winnow__constant constant = winnow__text_constant(text, value);
    char digits[24];
    if (constant.type == WINNOW__FLOAT32)
        return winnow__float_point(constant.f, domain);
    if (constant.type == WINNOW__FLOAT64)
        return winnow__float_point(constant.d, domain);
    const bool negative = constant.type == WINNOW__INT64 && constant.i < 0;
    const uint64_t magnitude = negative ? 0 - constant.u : constant.u;
    const winnow__number number = {
        .digits = digits,
        .length = (unsigned)snprintf(digits, sizeof digits, "%llu",
                                     (unsigned long long)magnitude),
        .negative = negative};
    return winnow__number_point(&number, domain);
}

bool winnow__text_is_point_of(const winnow__text *text,
                              const winnow__text_value *column,
                              const winnow__text_value *constant) {
    if (constant->kind != WINNOW__TEXT_COMPUTED ||
        constant->meaning != WINNOW__NUMBERS)
        return winnow__text_is_point(constant);
    const winnow__type_info *const type = winnow__text_type(text, column);
    if (type == NULL)
        return false;
    const winnow__constant known = winnow__text_constant(text, constant);
    const bool is_float =
        known.type == WINNOW__FLOAT32 || known.type == WINNOW__FLOAT64;
    /* Decimals are integers, between which a float64 is not exact. */
    if (is_float && winnow__text_meaning(text, column).scale != 0)
        return false;
    if (known.weak)
        return true;
    const bool wide = type->size == (known.type == WINNOW__FLOAT32 ? 4 : 8);
    return is_float ? type->infinity != 0 && wide : type->infinity == 0;
}

bool winnow__text_point(winnow__text *text, const winnow__text_value *column,
                        const winnow__text_value *constant,
                        winnow__point *point) {
    if (constant->kind == WINNOW__TEXT_MOMENT ||
        (constant->kind == WINNOW__TEXT_COMPUTED &&
         constant->meaning != WINNOW__NUMBERS))
        return winnow__text_moment_point(text, column, constant, point);
    const winnow__domain domain = winnow__text_domain(text, column);
    if (constant->kind == WINNOW__TEXT_COMPUTED) {
        *point = constant_point(text, constant, &domain);
        return true;
    }
    const winnow__number read = winnow__text_number(text, constant);
    *point = winnow__number_point(&read, &domain);
    return true;
}

/* ------------------------------------------------------------------- tests */

static bool make_float_test(winnow__text *text, const winnow__domain *domain,
                            winnow_type type, winnow__keys keys,
                            winnow__test *test) {
    const uint64_t low = winnow__text_bits(domain, keys.low);
    const uint64_t high = winnow__text_bits(domain, keys.high);
    winnow_predicate *made;
    if (winnow_predicate_range(&made, type, &low, &high) != WINNOW_OK)
        return winnow__text_no_memory(text);
    *test = made->test;
    winnow_predicate_destroy(made);
    return true;
}

bool winnow__text_add_keys(winnow__text *text, winnow__text_value *column,
                           winnow__keys keys, uint32_t place) {
    const winnow__domain domain = winnow__text_domain(text, column);
    winnow__test test = {.mask = 0, .low = 1, .span = 0}; /* nothing */
    if (column->is_year)
        return winnow__text_add_years(text, column, keys, place);
    if (domain.type->size == 16)
        return winnow__text_add_wide_keys(text, column, keys, place);
    if (keys.low <= keys.high && domain.type->infinity != 0) {
        const winnow_type type = winnow__text_element_type(text, column);
        if (!make_float_test(text, &domain, type, keys, &test))
            return false;
    } else if (keys.low <= keys.high) {
        test = (winnow__test){.mask = winnow__text_mask_of(text, column),
                              .low = winnow__text_bits(&domain, keys.low),
                              .span = (uint64_t)(keys.high - keys.low)};
    }
    return winnow__text_add_test(text, column, test, place);
}

/* -------------------------------------------------------------- conditions */

/* As in C: what is not 0 is true. */
bool winnow__text_condition(winnow__text *text, winnow__text_value *value) {
    if (!winnow__text_check_tested(text, value))
        return false;
    if (value->kind == WINNOW__TEXT_NULL)
        return winnow__text_add_unknown(text, value);
    if (value->kind == WINNOW__TEXT_NUMBER ||
        (value->kind == WINNOW__TEXT_COMPUTED &&
         value->meaning == WINNOW__NUMBERS))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found a number, expected a condition");
    if (winnow__text_is_point(value))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "found '%.*s', expected a condition",
                                 WINNOW__TEXT_SHOWN(text, value->span, 60));
    if (winnow__text_is_string(value))
        return winnow__text_fail_string(text, value, "a condition");
    value->continues = value->inverted = false;
    if (value->kind != WINNOW__TEXT_COLUMN)
        return true;
    if (winnow__text_is_bit(text, value))
        return winnow__text_add_bit(text, value, value->span.begin);
    if (winnow__text_is_of_moments(text, value))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "'%.*s' is no condition: its values are "
                                 "neither true nor false",
                                 WINNOW__TEXT_NAME(text, value));
    if (!winnow__text_add_keys(text, value, (winnow__keys){0, 0},
                               value->span.begin))
        return false;
    winnow__text_turn(text, value);
    return true;
}

bool winnow__text_not(winnow__text *text, winnow__text_value *value) {
    const bool is_column = value->kind == WINNOW__TEXT_COLUMN &&
                           !value->masked && !value->computed;
    if (!winnow__text_condition(text, value))
        return false;
    winnow__text_turn(text, value);
    value->inverted = is_column;
    return true;
}

bool winnow__text_negate(winnow__text *text, winnow__text_value *value,
                         const winnow__text_value *sign) {
    if (!winnow__text_check_tested(text, value))
        return false;
    if (value->kind != WINNOW__TEXT_NUMBER)
        return winnow__text_apply(text, value, sign);
    value->negative = !value->negative;
    return true;
}

/* --------------------------------------------------------------- functions */

/* The keys from -most to most of a column, what the function `name` tells. */
static bool add_magnitude(winnow__text *text, winnow__text_value *value,
                          const char *name, uint64_t beyond) {
    if (!winnow__text_check_tested(text, value))
        return false;
    if (winnow__text_is_string(value))
        return winnow__text_fail_string(text, value, "a column of floats");
    if (value->kind != WINNOW__TEXT_COLUMN || value->masked)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->span.begin,
                                 "expected a column in the parentheses of %s",
                                 name);
    const winnow__type_info *const type = winnow__text_type(text, value);
    if (type == NULL)
        return winnow__text_fail_bit(text, value);
    if (type->infinity == 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->span.begin,
                                 "%s is of floats: '%.*s' is of %s", name,
                                 WINNOW__TEXT_NAME(text, value), type->name);
    const winnow__wide most = type->infinity - beyond;
    return winnow__text_add_keys(text, value, (winnow__keys){-most, most},
                                 value->span.begin);
}

bool winnow__text_is_nan(winnow__text *text, winnow__text_value *value) {
    if (!add_magnitude(text, value, "isnan", 0))
        return false;
    winnow__text_turn(text, value);
    return true;
}

bool winnow__text_is_finite(winnow__text *text, winnow__text_value *value) {
    return add_magnitude(text, value, "isfinite", 1);
}

/* ------------------------------------------------------------------- masks */

/* The mask of *column, which is of integers, is a number. What is below 0 has
 * ones in front without end, and so has a column of signed integers. */
static bool set_mask(winnow__text *text, winnow__text_value *column,
                     const winnow__text_value *number) {
    const winnow__type_info *const type = winnow__text_type(text, column);
    const winnow__domain domain = winnow__text_domain(text, column);
    winnow__point point;
    if (!winnow__text_point(text, column, number, &point))
        return false;
    const winnow__wide value = point.floor;
    const winnow__wide least =
        type->is_signed ? domain.least : -(winnow__wide)INT64_MAX - 1;
    const winnow__wide most =
        type->is_signed ? winnow__all_bits(type) : UINT64_MAX;
    if (point.none || (point.beyond == 0 && !point.exact))
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, number->span.begin,
                                 "found %.*s, expected an integer: it is a "
                                 "mask of bits",
                                 WINNOW__TEXT_SHOWN(text, number->span, 100));
    if (point.beyond != 0 || value < least || value > most)
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, number->span.begin,
            "found %.*s: a mask of %s is from %lld to %llu",
            WINNOW__TEXT_SHOWN(text, number->span, 100), type->name,
            (long long)least, (unsigned long long)most);
    column->masked = column->bare = true;
    column->is_signed = type->is_signed && value < 0;
    column->mask = (uint64_t)value & winnow__all_bits(type);
    return true;
}

static bool is_condition(const winnow__text_value *value) {
    return value->kind == WINNOW__TEXT_CONDITION ||
           value->kind == WINNOW__TEXT_CONSTANT;
}

bool winnow__text_mask(winnow__text *text, winnow__text_value *a,
                       winnow__text_span sign, const winnow__text_value *b) {
    if (!winnow__text_check_tested(text, a) ||
        !winnow__text_check_tested(text, b))
        return false;
    const bool swapped = a->kind == WINNOW__TEXT_NUMBER;
    const winnow__text_value *const number = swapped ? a : b;
    winnow__text_value column = swapped ? *b : *a;
    if (a->inverted)
        return winnow__text_fail_inverted(text, a, sign);
    if (winnow__text_is_string(a) || winnow__text_is_string(b))
        return winnow__text_fail_string(text, winnow__text_is_string(a) ? a : b,
                                        "integers beside &");
    if (is_condition(a) || is_condition(b))
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
            "& takes the bits of a column, as in (flags & 7) = 3: conditions "
            "are joined by 'and' or &&");
    if (column.kind != WINNOW__TEXT_COLUMN)
        return winnow__text_fail(text, WINNOW_ERR_SYNTAX, b->span.begin,
                                 "found a number on both sides of &, expected "
                                 "a column");
    if ((number->kind != WINNOW__TEXT_NUMBER &&
         number->kind != WINNOW__TEXT_COMPUTED) ||
        column.masked)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of one column and one number");
    if (winnow__text_is_bit(text, &column))
        return winnow__text_fail_bit(text, &column);
    if (winnow__text_type(text, &column)->infinity != 0)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of integers: '%.*s' is of %s",
                                 WINNOW__TEXT_NAME(text, &column),
                                 winnow__text_type(text, &column)->name);
    if (winnow__text_type(text, &column)->size == 16 ||
        winnow__text_meaning(text, &column).kind != WINNOW__NUMBERS)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, b->span.begin,
                                 "& is of integers of up to 64 bits, none of "
                                 "'%.*s'",
                                 WINNOW__TEXT_NAME(text, &column));
    if (!set_mask(text, &column, number))
        return false;
    column.left = a->span;
    column.right = b->span;
    column.span = (winnow__text_span){a->span.begin, b->span.end};
    *a = column;
    return true;
}
