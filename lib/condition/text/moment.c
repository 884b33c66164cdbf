/*
 * Dates, times and durations in the text of a condition, and columns of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "operand.h"

#include <string.h>

static const struct {
    const char *one, *many, *as;
} names[] = {
    [WINNOW__NUMBERS] = {"a text", "numbers", ""},
    [WINNOW__DECIMALS] = {"a decimal", "decimals", ""},
    [WINNOW__DATES] = {"a date", "dates", "2024-01-31"},
    [WINNOW__TIMES] = {"a time", "times", "10:00:00.5"},
    [WINNOW__TIMESTAMPS] = {"a timestamp", "timestamps",
                            "2024-01-31 10:00:00.5"},
    [WINNOW__DURATIONS] = {"a duration", "durations", "90 s"},
};

const char *winnow__meaning_name(winnow__meaning_kind kind, bool many) {
    return many ? names[kind].many : names[kind].one;
}

bool winnow__text_is_of_moments(const winnow__text *text,
                                const winnow__text_value *column) {
    const winnow__meaning_kind kind = winnow__text_meaning(text, column).kind;
    return kind != WINNOW__NUMBERS && kind != WINNOW__DECIMALS;
}

void winnow__text_take_moment(const winnow__text *text,
                              const winnow__text_value *column,
                              winnow__text_value *value) {
    if (value->kind != WINNOW__TEXT_STRING ||
        !winnow__text_is_of_moments(text, column))
        return;
    value->kind = WINNOW__TEXT_MOMENT;
    value->compare = WINNOW__NUMBERS;
}

/* ---------------------------------------------------------------- mistakes */

static bool fail_kind(winnow__text *text, const winnow__text_value *value,
                      const winnow__text_value *column) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
                             "found %.*s, %s: '%.*s' is of %s",
                             WINNOW__TEXT_SHOWN(text, value->span, 60),
                             names[value->compare].one,
                             WINNOW__TEXT_NAME(text, column),
                             winnow__column_type_name(text, column));
}

static bool fail_form(winnow__text *text, const winnow__text_value *value,
                      winnow__meaning_kind kind) {
    return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->right.begin,
                             "found %.*s, which is no %s, as '%s' is one",
                             WINNOW__TEXT_SHOWN(text, value->right, 60),
                             names[kind].one + 2, names[kind].as);
}

static bool is_year(const char *from, uint32_t length) {
    return length == 4 && strspn(from, "0123456789") == 4;
}

/* The unit that a column of moments counts. */
static const char *counts_of(const winnow__meaning *meaning) {
    static const char *const units[] = {"days", "seconds", "milliseconds",
                                        "microseconds", "nanoseconds"};
    unsigned unit = 0;
    while (winnow__unit_of(unit) != meaning->unit)
        unit++;
    return units[unit];
}

bool winnow__text_fail_bare(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *number) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const char *const from = text->from + number->span.begin;
    const uint32_t length = number->span.end - number->span.begin;
    const bool of_days =
        meaning.kind == WINNOW__DATES || meaning.kind == WINNOW__TIMESTAMPS;
    const bool is_years = of_days && is_year(from, length);
    winnow__moment moment;
    if (winnow__read_moment(meaning.kind, from, length, &moment))
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, number->span.begin,
            "'%.*s' is %s: write '%.*s'", WINNOW__TEXT_NAME(text, column),
            names[meaning.kind].one, (int)length, from);
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, number->span.begin,
        "'%.*s' is %s: write '%.*s%s', or cast(%.*s as int64) for %s%s",
        WINNOW__TEXT_NAME(text, column), names[meaning.kind].one,
        is_years ? 4 : 0, from, is_years ? "-01-01" : names[meaning.kind].as,
        WINNOW__TEXT_NAME(text, column), counts_of(&meaning),
        of_days                         ? " since 1970"
        : meaning.kind == WINNOW__TIMES ? " since midnight"
                                        : "");
}

/* ------------------------------------------------------------------ points */

/* Convert a timestamp to UTC if the column has a zone. Durations and times have
 * none. */
static bool apply_zone(winnow__text *text, const winnow__text_value *value,
                       winnow__meaning_kind kind,
                       const winnow__text_value *column,
                       winnow__moment *moment) {
    const char *const zone = winnow__text_meaning(text, column).zone;
    if (kind != WINNOW__DATES && kind != WINNOW__TIMESTAMPS)
        return true;
    if (zone == NULL && moment->has_offset)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->right.begin,
                                 "found %.*s, with the offset of a zone: "
                                 "'%.*s' has no zone",
                                 WINNOW__TEXT_SHOWN(text, value->right, 60),
                                 WINNOW__TEXT_NAME(text, column));
    if (zone != NULL && !moment->has_offset &&
        !winnow__zone_offset(zone, &moment->east))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->right.begin,
                                 "'%.*s' has the zone '%.60s': write the "
                                 "offset, as in '2024-01-31 10:00:00+01:00'",
                                 WINNOW__TEXT_NAME(text, column), zone);
    moment->nanoseconds -= moment->east;
    return true;
}

/* The kind as which a literal, or a text, is read when compared with such a
 * column. WINNOW__NUMBERS: that is impossible. */
static winnow__meaning_kind reading_of(winnow__meaning_kind literal,
                                       winnow__meaning_kind column) {
    const bool days = column == WINNOW__DATES || column == WINNOW__TIMESTAMPS;
    if (literal == WINNOW__NUMBERS)
        return days ? WINNOW__TIMESTAMPS : column;
    if (days && (literal == WINNOW__DATES || literal == WINNOW__TIMESTAMPS))
        return literal;
    return literal == column ? literal : WINNOW__NUMBERS;
}

/* Read the quoted part of a moment as `kind`; messages call it `named`. */
static bool read_as(winnow__text *text, const winnow__text_value *value,
                    winnow__meaning_kind kind, winnow__meaning_kind named,
                    const winnow__text_value *beside,
                    winnow__wide *nanoseconds) {
    const winnow__text_span inside = {value->right.begin + 1,
                                      value->right.end - 1};
    winnow__moment moment;
    if (!winnow__read_moment(kind, text->from + inside.begin,
                             inside.end - inside.begin, &moment))
        return fail_form(text, value, named);
    if (!apply_zone(text, value, kind, beside, &moment))
        return false;
    *nanoseconds = moment.nanoseconds;
    return true;
}

bool winnow__text_read_moment(winnow__text *text,
                              const winnow__text_value *value,
                              const winnow__text_value *beside,
                              winnow__wide *nanoseconds) {
    const winnow__meaning_kind kind = (winnow__meaning_kind)value->compare;
    return read_as(text, value, kind, kind, beside, nanoseconds);
}

/* A constant that was computed from moments. */
static bool computed_moment(winnow__text *text,
                            const winnow__text_value *column,
                            const winnow__text_value *value,
                            winnow__wide *nanoseconds) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const bool zone = meaning.zone != NULL;
    const winnow__meaning_kind kind = (winnow__meaning_kind)value->meaning;
    if (reading_of(kind, meaning.kind) == WINNOW__NUMBERS ||
        (kind != WINNOW__DURATIONS && value->zoned != zone))
        return winnow__text_fail(
            text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
            "found '%.*s', %s: '%.*s' is of %s%s",
            WINNOW__TEXT_SHOWN(text, value->span, 60), names[kind].one,
            WINNOW__TEXT_NAME(text, column), names[meaning.kind].many,
            zone ? " with a zone" : "");
    *nanoseconds = winnow__text_constant(text, value).i *
                   (winnow__wide)winnow__unit_of(value->unit);
    return true;
}

bool winnow__text_moment_point(winnow__text *text,
                               const winnow__text_value *column,
                               const winnow__text_value *value,
                               winnow__point *point) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const winnow__meaning_kind literal = (winnow__meaning_kind)value->compare;
    const winnow__meaning_kind kind = reading_of(literal, meaning.kind);
    winnow__wide nanoseconds = 0;
    if (value->kind == WINNOW__TEXT_COMPUTED) {
        if (!computed_moment(text, column, value, &nanoseconds))
            return false;
    } else if (kind == WINNOW__NUMBERS) {
        return fail_kind(text, value, column);
    } else if (!read_as(text, value, kind,
                        literal == WINNOW__NUMBERS ? meaning.kind : kind,
                        column, &nanoseconds)) {
        return false;
    }
    const winnow__wide unit = (winnow__wide)meaning.unit;
    const winnow__wide rest = (nanoseconds % unit + unit) % unit;
    *point = (winnow__point){.floor = (nanoseconds - rest) / unit,
                             .exact = rest == 0};
    return true;
}
