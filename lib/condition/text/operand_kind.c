/*
 * What may be combined: the kind of operand that a value is, and what is said of
 * operands of the wrong kind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "operand.h"

winnow__operand_kind winnow__operand_kind_of(const winnow__text *text,
                                             const winnow__text_value *value) {
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
    switch (kind) {
    case WINNOW__DATES:
    case WINNOW__TIMESTAMPS:
        return WINNOW__OPERAND_INSTANT;
    case WINNOW__TIMES:
        return WINNOW__OPERAND_TIME;
    case WINNOW__DURATIONS:
        return WINNOW__OPERAND_DURATION;
    default:
        return WINNOW__OPERAND_NUMBER;
    }
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
    switch (value->kind) {
    case WINNOW__TEXT_COLUMN:
        return winnow__column_type_name(text, value);
    case WINNOW__TEXT_NULL:
        return "null";
    case WINNOW__TEXT_NUMBER:
        return "a number";
    case WINNOW__TEXT_COMPUTED:
        return value->meaning == WINNOW__NUMBERS
                   ? "a number"
                   : winnow__meaning_name((winnow__meaning_kind)value->meaning,
                                          false);
    case WINNOW__TEXT_STRING:
        return "a text";
    case WINNOW__TEXT_MOMENT:
        return winnow__meaning_name((winnow__meaning_kind)value->compare,
                                    false);
    case WINNOW__TEXT_STRINGS:
        return "strings";
    default:
        return "a condition";
    }
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

bool winnow__text_fail_one(winnow__text *text, const winnow__text_value *a,
                           const winnow__text_value *function,
                           const char *wanted) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
                             "%.*s is of %s, found %s",
                             WINNOW__TEXT_SHOWN(text, function->span, 20),
                             wanted, winnow__operand_type_name(text, a));
}
