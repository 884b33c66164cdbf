/*
 * Functions of one value: abs, floor and the like, parts of a date, the length of
 * a string.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "operand.h"

enum {
    MINUTES_A_DAY = 24 * 60
};

/* Fail because function(a) is impossible. */
static bool fail_one(winnow__text *text, const winnow__text_value *a,
                     const winnow__text_value *function, const char *wanted) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                             "%.*s is of %s, found %s",
                             WINNOW__TEXT_SHOWN(text, function->span, 20),
                             wanted, winnow__operand_type_name(text, a));
}

/* A part of a moment in its zone, if the zone's offset is fixed. */
static bool apply_part(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *function,
                       winnow__operand *from) {
    const winnow__part_of part =
        (winnow__part_of)(function->compare - WINNOW__TEXT_PART);
    const winnow__meaning meaning =
        a->kind == WINNOW__TEXT_MOMENT
            ? (winnow__meaning){.kind = WINNOW__NUMBERS}
            : winnow__text_meaning(text, a);
    const bool of_time = part >= WINNOW__HOUR_OF;
    winnow__wide east = 0;
    int64_t per_day =
        (int64_t)(winnow__unit_of(0) / winnow__unit_of(from->unit));
    if (from->kind != WINNOW__OPERAND_INSTANT &&
        !(from->kind == WINNOW__OPERAND_TIME && of_time))
        return fail_one(text, a, function,
                        of_time ? "dates, timestamps and times"
                                : "dates and timestamps");
    if (meaning.zone != NULL && !winnow__zone_offset(meaning.zone, &east))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                                 "'%.*s' has the zone '%.60s', which has no "
                                 "fixed offset: %.*s is of other zones",
                                 WINNOW__TEXT_NAME(text, a), meaning.zone,
                                 WINNOW__TEXT_SHOWN(text, function->span, 20));
    /* The offset is in whole minutes. A number of minutes has room for it, even
     * at the ends of 64 bits. */
    if (east != 0 && part != WINNOW__SECOND_OF) {
        from->value = winnow__build_binary(
            text->builder, WINNOW__ADD,
            winnow__build_binary(
                text->builder, WINNOW__FLOOR_DIVIDE, from->value,
                winnow__build_int(text->builder, per_day / MINUTES_A_DAY,
                                  false)),
            winnow__build_int(text->builder, (int64_t)(east / 1000000000 / 60),
                              false));
        per_day = MINUTES_A_DAY;
    }
    const bool is_year = part == WINNOW__YEAR_OF && !a->computed &&
                         a->kind == WINNOW__TEXT_COLUMN;
    const uint16_t column = a->column;
    const winnow__operand result = {
        .kind = WINNOW__OPERAND_NUMBER,
        .value = winnow__build_part(text->builder, part, from->value, per_day)};
    if (!winnow__text_give(text, a, &result))
        return false;
    a->is_year = is_year;
    a->column = column;
    return true;
}

static bool apply_length(winnow__text *text, winnow__text_value *a,
                         const winnow__text_value *function) {
    winnow__operand result = {.kind = WINNOW__OPERAND_NUMBER};
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (a->kind != WINNOW__TEXT_STRINGS)
        return fail_one(text, a, function, "strings");
    if (!winnow__text_have_builder(text))
        return false;
    result.value = winnow__build_column(text->builder, a->column,
                                        winnow__text_element_type(text, a));
    return winnow__text_give(text, a, &result);
}

/* Apply the function to a decimal. */
static bool apply_exact(winnow__text *text, winnow__text_value *a,
                        const winnow__text_value *function) {
    winnow__exact from;
    if (!winnow__text_take_exact(text, a, &from))
        return false;
    if (from.scale <= WINNOW__MOST_DIGITS)
        from = winnow__exact_unary(text->builder,
                                   (winnow__unary)function->compare, from);
    return winnow__text_give_exact(text, a, &from, function->span);
}

bool winnow__text_apply(winnow__text *text, winnow__text_value *a,
                        const winnow__text_value *function) {
    winnow__operand from = {.kind = winnow__operand_kind_of(text, a)};
    const bool is_part = function->compare >= WINNOW__TEXT_PART;
    const winnow__unary operation = (winnow__unary)function->compare;
    const bool is_plus = function->compare == WINNOW__TEXT_PLUS;
    const bool of_durations =
        is_plus || operation == WINNOW__NEGATE || operation == WINNOW__ABS;
    if (!winnow__text_check_tested(text, a))
        return false;
    if (function->compare == WINNOW__TEXT_LENGTH)
        return apply_length(text, a, function);
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (is_plus && from.kind == WINNOW__OPERAND_BITS) { /* 1 or 0 */
        const winnow__text_value type = {.kind = WINNOW__TEXT_NUMBER,
                                         .compare = WINNOW_INT64};
        return winnow__text_cast(text, a, &type);
    }
    if (from.kind <= WINNOW__OPERAND_BITS ||
        (!is_part && from.kind != WINNOW__OPERAND_NUMBER &&
         !(of_durations && from.kind == WINNOW__OPERAND_DURATION)))
        return fail_one(text, a, function,
                        is_part        ? "dates and timestamps"
                        : of_durations ? "numbers and durations"
                                       : "numbers");
    if (is_plus) /* + changes nothing, and a column remains a column */
        return true;
    if (!is_part && operation != WINNOW__SQRT &&
        winnow__text_is_decimal(text, a))
        return apply_exact(text, a, function);
    if (!winnow__text_take_operand(text, a, a, &from))
        return false;
    if (is_part)
        return apply_part(text, a, function, &from);
    if (from.kind != WINNOW__OPERAND_DURATION) {
        from.value = winnow__build_unary(text->builder, operation, from.value);
    } else { /* the least integer has no opposite */
        const winnow__value negative = winnow__build_of_units(
            text->builder, WINNOW__SUBTRACT,
            winnow__build_int(text->builder, 0, false), 1, from.value, 1);
        from.value = operation == WINNOW__NEGATE
                         ? negative
                         : winnow__build_binary(text->builder, WINNOW__MAX,
                                                from.value, negative);
    }
    return winnow__text_give(text, a, &from);
}
