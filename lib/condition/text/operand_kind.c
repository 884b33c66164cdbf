/*
 * The kinds of operands, which of them can be combined, and errors for the
 * others; the types of columns and the meaning of their numbers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

winnow__operand_kind winnow__operand_kind_of(const winnow__text *text,
                                             const winnow__text_value *value) {
    static const winnow__operand_kind kind_of[] = {
        [WINNOW__NUMBERS] = WINNOW__OPERAND_NUMBER,
        [WINNOW__DECIMALS] = WINNOW__OPERAND_NUMBER,
        [WINNOW__DATES] = WINNOW__OPERAND_INSTANT,
        [WINNOW__TIMES] = WINNOW__OPERAND_TIME,
        [WINNOW__TIMESTAMPS] = WINNOW__OPERAND_INSTANT,
        [WINNOW__DURATIONS] = WINNOW__OPERAND_DURATION};
    winnow__meaning_kind kind;
    switch (value->kind) {
    case WINNOW__TEXT_NULL:
        return WINNOW__OPERAND_NULL;
    case WINNOW__TEXT_NUMBER:
        return WINNOW__OPERAND_NUMBER;
    case WINNOW__TEXT_MOMENT:
        kind = (winnow__meaning_kind)value->compare;
        break;
    case WINNOW__TEXT_COLUMN:
        if (value->masked)
            return WINNOW__OPERAND_NONE;
        if (winnow__text_is_bit(text, value))
            return WINNOW__OPERAND_BITS;
        kind = winnow__text_meaning(text, value).kind;
        if (kind == WINNOW__NUMBERS &&
            winnow__text_element_type(text, value) == WINNOW_INT128)
            return WINNOW__OPERAND_NONE;
        break;
    case WINNOW__TEXT_COMPUTED:
        kind = (winnow__meaning_kind)value->meaning;
        break;
    default:
        return WINNOW__OPERAND_NONE;
    }
    return kind_of[kind];
}

/* ---------------------------------------------------------------- mistakes */

const char *winnow__column_type_name(const winnow__text *text,
                                     const winnow__text_value *column) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const winnow_type type = winnow__text_element_type(text, column);
    if (column->masked)
        return "bits under a mask";
    if (meaning.zone != NULL)
        return "timestamps with a zone";
    if (meaning.kind != WINNOW__NUMBERS)
        return winnow__meaning_name(meaning.kind, true);
    return type == WINNOW_BIT ? "booleans" : winnow_type_name(type);
}

const char *winnow__operand_type_name(const winnow__text *text,
                                      const winnow__text_value *value) {
    static const char *const names[] = {[WINNOW__TEXT_NULL] = "null",
                                        [WINNOW__TEXT_NUMBER] = "a number",
                                        [WINNOW__TEXT_COMPUTED] = "a number",
                                        [WINNOW__TEXT_STRING] = "a text",
                                        [WINNOW__TEXT_STRINGS] = "strings",
                                        [WINNOW__TEXT_UNTESTED] = NULL};
    const bool is_moment = value->kind == WINNOW__TEXT_MOMENT;
    const unsigned meaning = is_moment ? value->compare : value->meaning;
    if (value->kind == WINNOW__TEXT_COLUMN)
        return winnow__column_type_name(text, value);
    if (is_moment ||
        (value->kind == WINNOW__TEXT_COMPUTED && meaning != WINNOW__NUMBERS))
        return winnow__meaning_name((winnow__meaning_kind)meaning, false);
    return names[value->kind] != NULL ? names[value->kind] : "a condition";
}

bool winnow__text_fail_two(winnow__text *text, const winnow__text_value *a,
                           const winnow__text_value *op,
                           const winnow__text_value *b, const char *wanted) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, op->span.begin,
                             "found %s %.*s %s, expected %s",
                             winnow__operand_type_name(text, a),
                             WINNOW__TEXT_SHOWN(text, op->span, 20),
                             winnow__operand_type_name(text, b), wanted);
}

/* ------------------------------------------------------------------ columns */

const winnow__type_info *winnow__text_type(const winnow__text *text,
                                           const winnow__text_value *column) {
    return winnow__tested_type(winnow__text_element_type(text, column));
}

winnow_type winnow__text_element_type(const winnow__text *text,
                                      const winnow__text_value *column) {
    if (column->computed && column->meaning == WINNOW__DECIMALS &&
        column->exact.is_wide)
        return WINNOW_INT128;
    return column->computed ? winnow__type_of_value(winnow__value_type_of(
                                  text->builder, column->value))
                            : text->fields[column->column].type;
}

static winnow__meaning meaning_of_field(const winnow__text *text,
                                        uint16_t column) {
    winnow__meaning meaning;
    /* succeeds, as the format was read before */
    (void)winnow__read_format(column, &text->fields[column], &meaning);
    return meaning;
}

winnow__meaning winnow__text_meaning(const winnow__text *text,
                                     const winnow__text_value *value) {
    if (value->counted)
        return (winnow__meaning){.kind = WINNOW__NUMBERS};
    if (!value->computed)
        return meaning_of_field(text, value->column);
    const char *const zone =
        value->zoned ? meaning_of_field(text, value->column).zone : NULL;
    return (winnow__meaning){.kind = (winnow__meaning_kind)value->meaning,
                             .scale = -value->exact.scale,
                             .precision = value->exact.precision,
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
                             "'%.100s' is of booleans, no numbers: write "
                             "%.100s, not %.100s, or %.100s = true",
                             name, name, name, name);
}
