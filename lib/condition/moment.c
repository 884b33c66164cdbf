/*
 * Dates, times and durations in the text of a condition, and the columns of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "text.h"

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

bool winnow__text_is_of_moments(const winnow__text *text, uint16_t column) {
    const winnow__meaning_kind kind = winnow__text_meaning(text, column).kind;
    return kind != WINNOW__NUMBERS && kind != WINNOW__DECIMALS;
}

void winnow__text_take_moment(const winnow__text *text, uint16_t column,
                              winnow__text_value *value) {
    if (value->kind != WINNOW__TEXT_STRING ||
        !winnow__text_is_of_moments(text, column))
        return;
    value->kind = WINNOW__TEXT_MOMENT;
    value->compare = WINNOW__NUMBERS;
    value->right = value->span;
}

/* ---------------------------------------------------------------- mistakes */

static bool fail_kind(winnow__text *text, const winnow__text_value *value,
                      uint16_t column) {
    const winnow__meaning_kind kind = winnow__text_meaning(text, column).kind;
    return winnow__text_fail(
        text, WINNOW_ERR_UNSUPPORTED, value->span.begin,
        "found %.*s, %s: '%.100s' is of %s",
        WINNOW__TEXT_SHOWN(text, value->span, 60), names[value->compare].one,
        text->fields[column].name,
        kind == WINNOW__NUMBERS ? winnow_type_name(text->fields[column].type)
                                : names[kind].many);
}

static bool fail_form(winnow__text *text, const winnow__text_value *value,
                      winnow__meaning_kind kind) {
    return winnow__text_fail(text, WINNOW_ERR_SYNTAX, value->right.begin,
                             "found %.*s, which is no %s, as '%s' is one",
                             WINNOW__TEXT_SHOWN(text, value->right, 60),
                             names[kind].one + 2, names[kind].as);
}

/* ------------------------------------------------------------------ points */

/* Make a timestamp one of UTC, if the column has a zone. */
static bool apply_zone(winnow__text *text, const winnow__text_value *value,
                       uint16_t column, winnow__moment *moment) {
    const char *const zone = winnow__text_meaning(text, column).zone;
    if (zone == NULL && moment->has_offset)
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->right.begin,
                                 "found %.*s, with the offset of a zone: "
                                 "'%.100s' has no zone",
                                 WINNOW__TEXT_SHOWN(text, value->right, 60),
                                 text->fields[column].name);
    if (zone != NULL && !moment->has_offset &&
        !winnow__zone_offset(zone, &moment->east))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED,
                                 value->right.begin,
                                 "'%.100s' has the zone '%.60s': write the "
                                 "offset, as in '2024-01-31 10:00:00+01:00'",
                                 text->fields[column].name, zone);
    moment->nanoseconds -= moment->east;
    return true;
}

/* How a literal of a kind, or a text of none, is read beside such a column;
 * WINNOW__NUMBERS: it is of another kind. */
static winnow__meaning_kind reading_of(winnow__meaning_kind literal,
                                       winnow__meaning_kind column) {
    const bool days = column == WINNOW__DATES || column == WINNOW__TIMESTAMPS;
    if (literal == WINNOW__NUMBERS)
        return days ? WINNOW__TIMESTAMPS : column;
    if (days && (literal == WINNOW__DATES || literal == WINNOW__TIMESTAMPS))
        return literal;
    return literal == column ? literal : WINNOW__NUMBERS;
}

bool winnow__text_moment_point(winnow__text *text, uint16_t column,
                               const winnow__text_value *value,
                               winnow__point *point) {
    const winnow__meaning meaning = winnow__text_meaning(text, column);
    const winnow__meaning_kind literal = (winnow__meaning_kind)value->compare;
    const winnow__meaning_kind kind = reading_of(literal, meaning.kind);
    const winnow__text_span inside = {value->right.begin + 1,
                                      value->right.end - 1};
    winnow__moment moment;
    if (kind == WINNOW__NUMBERS)
        return fail_kind(text, value, column);
    if (!winnow__read_moment(kind, text->from + inside.begin,
                             inside.end - inside.begin, &moment))
        return fail_form(text, value,
                         literal == WINNOW__NUMBERS ? meaning.kind : kind);
    if (!apply_zone(text, value, column, &moment))
        return false;
    const winnow__wide unit = (winnow__wide)meaning.unit;
    const winnow__wide rest = (moment.nanoseconds % unit + unit) % unit;
    *point = (winnow__point){.floor = (moment.nanoseconds - rest) / unit,
                             .exact = rest == 0};
    return true;
}
