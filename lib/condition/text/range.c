/*
 * Turns a comparison with a constant into a test: finds the place of the
 * constant among a column's values, and makes the test of a range of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/ascii.h"
#include "operand.h"
#include "wide.h"

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
    const uint64_t sign = winnow__sign_bit(type);
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
        return (uint64_t)-key | winnow__sign_bit(type);
    return (uint64_t)key & winnow__all_bits(type);
}

winnow__number winnow__text_number(const winnow__text *text,
                                   const winnow__text_value *number) {
    if (number->folded)
        return winnow__number_made(number->units, number->places,
                                   number->negative);
    return (winnow__number){.digits = text->from + number->right.begin,
                            .length = number->right.end - number->right.begin,
                            .negative = number->negative};
}

bool winnow__text_is_whole(const winnow__text *text,
                           const winnow__text_value *number) {
    const char *const digits = text->from + number->right.begin;
    const uint32_t length = number->right.end - number->right.begin;
    if (number->folded)
        return !number->has_point;
    return winnow__ascii_same(digits, "0x", 2) ||
           (memchr(digits, '.', length) == NULL &&
            memchr(digits, 'e', length) == NULL &&
            memchr(digits, 'E', length) == NULL);
}

/* The place of a constant: of an integer by its digits, of a float by its value. */
static winnow__point constant_point(const winnow__text *text,
                                    const winnow__text_value *value,
                                    const winnow__domain *domain) {
    const winnow__constant constant = winnow__text_constant(text, value);
    if (constant.type == WINNOW__FLOAT32)
        return winnow__float_point(constant.f, domain);
    if (constant.type == WINNOW__FLOAT64)
        return winnow__float_point(constant.d, domain);
    const bool negative = constant.type == WINNOW__INT64 && constant.i < 0;
    const uint64_t magnitude = negative ? 0 - constant.u : constant.u;
    const winnow__number number = winnow__number_made(magnitude, 0, negative);
    return winnow__number_point(&number, domain);
}

bool winnow__text_is_point_of(const winnow__text *text,
                              const winnow__text_value *column,
                              const winnow__text_value *constant) {
    const bool is_computed = constant->kind == WINNOW__TEXT_COMPUTED &&
                             constant->meaning == WINNOW__NUMBERS;
    if (!is_computed && !constant->decimal)
        return winnow__text_is_point(constant);
    if (winnow__text_is_of_moments(text, column)) /* it is refused */
        return true;
    const winnow__type_info *const type = winnow__text_type(text, column);
    if (type == NULL)
        return false;
    if (!is_computed) /* beside floats it is a float64 */
        return type->infinity == 0 || type->size == 8;
    const winnow__constant known = winnow__text_constant(text, constant);
    const bool is_float =
        known.type == WINNOW__FLOAT32 || known.type == WINNOW__FLOAT64;
    /* Decimals are integers; a float64 between them is not exact. */
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
    if (winnow__text_is_of_moments(text, column))
        return winnow__text_fail_bare(text, column, constant);
    const winnow__domain domain = winnow__text_domain(text, column);
    if (constant->kind == WINNOW__TEXT_COMPUTED) {
        *point = constant_point(text, constant, &domain);
        return true;
    }
    if (constant->decimal && domain.type->infinity != 0) {
        winnow__operand decimal;
        winnow__text_value number = *constant;
        if (!winnow__text_take_operand(text, constant, constant, &decimal) ||
            !winnow__text_give(text, &number, &decimal))
            return false;
        *point = constant_point(text, &number, &domain);
        return true;
    }
    const winnow__number read = winnow__text_number(text, constant);
    *point = winnow__number_point(&read, &domain);
    return true;
}

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
    return winnow__text_add_leaf(
        text, column, (winnow__node){.kind = WINNOW__NODE_TEST, .test = test},
        place);
}
