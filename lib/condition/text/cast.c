/*
 * Casts in the text of a condition: names of types, and conversions of values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/ascii.h"
#include "operand.h"
#include "scanner.h"

#include <stdio.h>

/* ------------------------------------------------------------------- names */

#define NUMBER(name, type)                                                     \
    { name, WINNOW__TEXT_NUMBER, type }
#define MOMENT(name, meaning)                                                  \
    { name, WINNOW__TEXT_MOMENT, meaning }
#define STRING(name)                                                           \
    { name, WINNOW__TEXT_STRING, 0 }

static const struct {
    const char *name;
    uint8_t kind, compare; /* of the value for the word */
} types[] = {
    NUMBER("int8", WINNOW_INT8),
    NUMBER("int16", WINNOW_INT16),
    NUMBER("int32", WINNOW_INT32),
    NUMBER("int64", WINNOW_INT64),
    NUMBER("uint8", WINNOW_UINT8),
    NUMBER("uint16", WINNOW_UINT16),
    NUMBER("uint32", WINNOW_UINT32),
    NUMBER("uint64", WINNOW_UINT64),
    NUMBER("float32", WINNOW_FLOAT32),
    NUMBER("float64", WINNOW_FLOAT64),
    NUMBER("tinyint", WINNOW_INT8),
    NUMBER("smallint", WINNOW_INT16),
    NUMBER("int", WINNOW_INT32),
    NUMBER("integer", WINNOW_INT32),
    NUMBER("bigint", WINNOW_INT64),
    NUMBER("utinyint", WINNOW_UINT8),
    NUMBER("usmallint", WINNOW_UINT16),
    NUMBER("uinteger", WINNOW_UINT32),
    NUMBER("ubigint", WINNOW_UINT64),
    NUMBER("float", WINNOW_FLOAT32),
    NUMBER("real", WINNOW_FLOAT32),
    NUMBER("double", WINNOW_FLOAT64),
    NUMBER("double precision", WINNOW_FLOAT64),
    NUMBER("decimal", WINNOW_INT128),
    NUMBER("numeric", WINNOW_INT128),
    MOMENT("date", WINNOW__DATES),
    MOMENT("time", WINNOW__TIMES),
    MOMENT("timestamp", WINNOW__TIMESTAMPS),
    MOMENT("datetime", WINNOW__TIMESTAMPS),
    MOMENT("duration", WINNOW__DURATIONS),
    STRING("text"),
    STRING("varchar"),
    STRING("string"),
};

#define OF_BITS "no cast makes a condition: write x <> 0"
#define OF_ZONES                                                               \
    "a timestamp may have the offset of its zone, as in timestamp "            \
    "'2024-01-31 10:00:00+01:00'"
#define OF_BYTES "bytes are written as X'00ff'"
#define OF_WIDE "numbers that are computed have at most 64 bits: write bigint"

/* Names of other types, and what to write instead of them. */
static const struct {
    const char *name, *hint;
} others[] = {
    {"boolean", OF_BITS},
    {"bool", OF_BITS},
    {"interval", "an interval is written as duration '90 d'"},
    {"timestamptz", OF_ZONES},
    {"timestamp with time zone", OF_ZONES},
    {"time with time zone", OF_ZONES},
    {"blob", OF_BYTES},
    {"bytea", OF_BYTES},
    {"binary", OF_BYTES},
    {"varbinary", OF_BYTES},
    {"hugeint", OF_WIDE},
    {"int128", OF_WIDE},
};

/* Copy a name, with one space between words, and without parentheses. */
static void read_name(const char *from, uint32_t bytes, char *to, size_t room) {
    size_t length = 0;
    for (uint32_t i = 0; i < bytes && from[i] != '(' && length + 1 < room; i++)
        if (strchr(" \t\r\n", from[i]) == NULL)
            to[length++] = from[i];
        else if (to[length - 1] != ' ')
            to[length++] = ' ';
    while (length > 0 && to[length - 1] == ' ')
        length--;
    to[length] = '\0';
}

static bool fail_type(winnow__text *text, winnow__text_span span,
                      const char *name) {
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        if (winnow__ascii_same_text(name, others[i].name))
            return winnow__text_fail(
                text, WINNOW_ERR_UNSUPPORTED, span.begin, "found '%.*s': %s",
                WINNOW__TEXT_SHOWN(text, span, 60), others[i].hint);
    return winnow__text_fail(
        text, WINNOW_ERR_SYNTAX, span.begin,
        "found '%.*s', expected a type: int8 to int64, uint8 to uint64, "
        "float32, float64, tinyint, smallint, int, bigint, real, double, date, "
        "time, timestamp, duration or varchar",
        WINNOW__TEXT_SHOWN(text, span, 60));
}

/* decimal(precision, scale) */
static bool read_decimal(winnow__text *text, const char *copy,
                         winnow__text_span span, winnow__text_value *value) {
    winnow__exact *const to = &value->exact;
    const char *const open = strchr(copy, '(');
    int end = 0;
    if (open != NULL && open < copy + (span.end - span.begin) &&
        sscanf(open, "( %2d , %2d )%n", &to->precision, &to->scale, &end) ==
            2 &&
        open + end == copy + (span.end - span.begin) && to->precision >= 1 &&
        to->precision <= WINNOW__MOST_DIGITS && to->scale >= 0 &&
        to->scale <= to->precision)
        return true;
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, span.begin,
                             "found '%.*s': write decimal(18, 2): 1 to %d "
                             "digits, 2 of them behind the point",
                             WINNOW__TEXT_SHOWN(text, span, 60),
                             WINNOW__MOST_DIGITS);
}

bool winnow__text_type_name(winnow__text *text, const char *copy,
                            winnow__text_value *value) {
    const uint32_t place = text->word.begin;
    uint32_t begin = 2, end = text->word.end - place;
    char name[32];
    if (*copy != ':')
        end--; /* the parenthesis of a cast */
    while (strchr(" \t\r\n", copy[begin]) != NULL)
        begin++;
    while (strchr(" \t\r\n", copy[end - 1]) != NULL)
        end--;
    read_name(copy + begin, end - begin, name, sizeof name);
    const winnow__text_span span = {place + begin, place + end};
    value->left = span;
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!winnow__ascii_same_text(name, types[i].name))
            continue;
        value->kind = types[i].kind;
        value->compare = types[i].compare;
        if (value->compare == WINNOW_INT128)
            return read_decimal(text, copy + begin, span, value);
        return copy[end - 1] != ')' ||
               winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, span.begin,
                                 "found '%.*s': write %s alone",
                                 WINNOW__TEXT_SHOWN(text, span, 60),
                                 types[i].name);
    }
    return fail_type(text, span, name);
}

/* ------------------------------------------------------------------- casts */

static bool fail_cast(winnow__text *text, const winnow__text_value *a,
                      const winnow__text_value *type, const char *taken) {
    const bool is_column =
        a->kind == WINNOW__TEXT_COLUMN || a->kind == WINNOW__TEXT_STRINGS;
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, a->span.begin,
        "%s%.*s%s%s: a cast to %.*s takes %s", is_column ? "'" : "found ",
        WINNOW__TEXT_SHOWN(text, a->span, 60), is_column ? "' is of " : ", ",
        winnow__operand_type_name(text, a),
        WINNOW__TEXT_SHOWN(text, type->left, 60), taken);
}

/* A text in quotes is read as a moment. Moments are not converted, but a date may be a
 * timestamp. */
static bool cast_to_moment(winnow__text *text, winnow__text_value *a,
                           const winnow__text_value *type) {
    const winnow__meaning_kind to = (winnow__meaning_kind)type->compare;
    winnow__meaning_kind kind = WINNOW__NUMBERS;
    if (a->kind == WINNOW__TEXT_STRING) {
        a->kind = WINNOW__TEXT_MOMENT;
        a->compare = (uint8_t)to;
        return true;
    }
    if (a->kind == WINNOW__TEXT_MOMENT)
        kind = (winnow__meaning_kind)a->compare;
    else if (a->kind == WINNOW__TEXT_COLUMN || a->computed)
        kind = winnow__text_meaning(text, a).kind;
    if (kind == to ||
        (kind == WINNOW__DATES && to == WINNOW__TIMESTAMPS)) /* one kind */
        return true;
    return fail_cast(text, a, type,
                     kind == WINNOW__TIMESTAMPS && to == WINNOW__DATES
                         ? "texts and dates: write a range of timestamps, as "
                           "in x >= '2024-01-31' and x < '2024-02-01'"
                         : "texts in quotes, and columns of such");
}

static bool cast_to_decimal(winnow__text *text, winnow__text_value *a,
                            const winnow__text_value *type) {
    const winnow__exact *const to = &type->exact;
    winnow__operand value;
    winnow__exact from;
    if (!winnow__text_is_exact(text, a)) {
        if (!winnow__text_take_operand(text, a, a, &value))
            return false;
        from = winnow__exact_cast_value(text->builder, value.value,
                                        to->precision, to->scale);
        return winnow__text_give_exact(text, a, &from, type->left);
    }
    if (!winnow__text_take_exact(text, a, &from))
        return false;
    if (from.scale <= WINNOW__MOST_DIGITS)
        from =
            winnow__exact_cast(text->builder, from, to->precision, to->scale);
    return winnow__text_give_exact(text, a, &from, type->left);
}

/* A decimal becomes an integer. */
static bool cast_to_integer(winnow__text *text, winnow__text_value *a,
                            const winnow__text_value *type) {
    winnow__operand to = {.kind = WINNOW__OPERAND_NUMBER};
    winnow__exact from;
    if (!winnow__text_take_exact(text, a, &from))
        return false;
    if (from.scale > WINNOW__MOST_DIGITS) /* it is refused */
        return winnow__text_give_exact(text, a, &from, type->left);
    to.value = winnow__exact_to_integer(text->builder,
                                        (winnow_type)type->compare, from);
    return winnow__text_give(text, a, &to);
}

/* A column that already has such values is not changed. */
static bool cast_to_number(winnow__text *text, winnow__text_value *a,
                           const winnow__text_value *type) {
    winnow__operand from = {.kind = winnow__operand_kind_of(text, a)};
    if (a->kind == WINNOW__TEXT_STRING)
        return fail_cast(text, a, type,
                         "numbers: write the number without quotes");
    if (from.kind == WINNOW__OPERAND_NONE || a->kind == WINNOW__TEXT_MOMENT)
        return fail_cast(text, a, type, "numbers, bits and columns of moments");
    if (type->compare == WINNOW_INT128)
        return cast_to_decimal(text, a, type);
    if (winnow__text_is_decimal(text, a) &&
        winnow__type((winnow_type)type->compare)->infinity == 0)
        return cast_to_integer(text, a, type);
    if (!winnow__text_take_operand(text, a, a, &from))
        return false;
    const winnow__value before = from.value;
    const bool is_integer =
        !a->computed && a->kind == WINNOW__TEXT_COLUMN &&
        from.kind != WINNOW__OPERAND_BITS &&
        winnow__text_meaning(text, a).kind != WINNOW__DECIMALS &&
        winnow__text_type(text, a)->infinity == 0;
    from = (winnow__operand){
        .kind = WINNOW__OPERAND_NUMBER,
        .value = winnow__build_cast(text->builder, (winnow_type)type->compare,
                                    before)};
    if (is_integer && from.value == before) {
        a->counted = true;
        return true;
    }
    return winnow__text_give(text, a, &from);
}

bool winnow__text_cast(winnow__text *text, winnow__text_value *a,
                       const winnow__text_value *type) {
    if (!winnow__text_check_tested(text, a))
        return false;
    if (a->kind == WINNOW__TEXT_NULL)
        return true;
    if (type->kind == WINNOW__TEXT_MOMENT)
        return cast_to_moment(text, a, type);
    if (type->kind == WINNOW__TEXT_STRING)
        return winnow__text_is_string(a) ||
               fail_cast(text, a, type, "strings: others become none");
    return cast_to_number(text, a, type);
}
