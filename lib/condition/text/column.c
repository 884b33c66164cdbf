/*
 * The columns of a text: their types and what their numbers mean.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text.h"

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
    /* It was read before. */
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
