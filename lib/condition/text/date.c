/*
 * Written dates, times and durations.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "date.h"
#include "core/ascii.h"

#define SECOND ((winnow__wide)1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* The rest of a text. */
typedef struct reader {
    const char *at, *end;
} reader;

static bool take(reader *r, char c) {
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool at_digit(const reader *r) {
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

/* Exactly this number of digits. */
static bool read_digits(reader *r, unsigned digits, unsigned *number) {
    *number = 0;
    for (; digits > 0; digits--) {
        if (!at_digit(r))
            return false;
        *number = 10 * *number + (unsigned)(*r->at++ - '0');
    }
    return true;
}

/* The 1 to 9 digits after a point, in units of 10^-9. */
static bool read_fraction(reader *r, uint64_t *billionths) {
    uint64_t unit = 100000000;
    *billionths = 0;
    if (!at_digit(r))
        return false;
    for (; at_digit(r); unit /= 10) {
        if (unit == 0)
            return false;
        *billionths += unit * (uint64_t)(*r->at++ - '0');
    }
    return true;
}

/* ------------------------------------------------------------------- dates */

static bool is_leap(unsigned year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days since 1970-01-01. */
static int64_t days_of(unsigned year, unsigned month, unsigned day) {
    static const int before[] = {0,   31,  59,  90,  120, 151,
                                 181, 212, 243, 273, 304, 334};
    const int64_t past = (int64_t)year - 1;
    return 365 * past + past / 4 - past / 100 + past / 400 + before[month - 1] +
           (month > 2 && is_leap(year)) + (int)day - 1 - 719162;
}

static bool read_date(reader *r, winnow__wide *nanoseconds) {
    static const unsigned lengths[] = {31, 28, 31, 30, 31, 30,
                                       31, 31, 30, 31, 30, 31};
    unsigned year, month, day;
    if (!read_digits(r, 4, &year) || !take(r, '-') ||
        !read_digits(r, 2, &month) || !take(r, '-') ||
        !read_digits(r, 2, &day) || year < 1 || month < 1 || month > 12 ||
        day < 1 || day > lengths[month - 1] + (month == 2 && is_leap(year)))
        return false;
    *nanoseconds = days_of(year, month, day) * DAY;
    return true;
}

/* ------------------------------------------------------------------- times */

static bool read_time(reader *r, winnow__wide *nanoseconds) {
    unsigned hour, minute, second = 0;
    uint64_t fraction = 0;
    if (!read_digits(r, 2, &hour) || !take(r, ':') ||
        !read_digits(r, 2, &minute))
        return false;
    if (take(r, ':') && (!read_digits(r, 2, &second) ||
                         (take(r, '.') && !read_fraction(r, &fraction))))
        return false;
    *nanoseconds = hour * HOUR + minute * MINUTE + second * SECOND +
                   (winnow__wide)fraction;
    return hour < 24 && minute < 60 && second < 60;
}

/* Read Z, +hh, +hhmm or +hh:mm, also with a minus. */
static bool read_offset(reader *r, winnow__wide *east) {
    unsigned hour, minute = 0;
    *east = 0;
    if (take(r, 'Z') || take(r, 'z'))
        return true;
    const bool west = take(r, '-');
    if ((!west && !take(r, '+')) || !read_digits(r, 2, &hour))
        return false;
    if ((take(r, ':') || at_digit(r)) && !read_digits(r, 2, &minute))
        return false;
    *east = hour * HOUR + minute * MINUTE;
    if (west)
        *east = -*east;
    return hour < 24 && minute < 60;
}

static bool read_timestamp(reader *r, winnow__moment *moment) {
    winnow__wide time;
    if (!read_date(r, &moment->nanoseconds))
        return false;
    if (r->at == r->end)
        return true;
    if ((!take(r, 'T') && !take(r, 't') && !take(r, ' ')) ||
        !read_time(r, &time))
        return false;
    moment->nanoseconds += time;
    if (r->at == r->end)
        return true;
    moment->has_offset = true;
    return read_offset(r, &moment->east);
}

bool winnow__zone_offset(const char *zone, winnow__wide *east) {
    static const char *const names[] = {"UTC", "GMT", "Etc/UTC", "Etc/GMT"};
    reader r = {zone, zone + strlen(zone)};
    *east = 0;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (winnow__ascii_same_text(zone, names[i]))
            return true;
    return read_offset(&r, east) && r.at == r.end;
}

/* --------------------------------------------------------------- durations */

static bool read_unit(reader *r, winnow__wide *unit) {
    static const struct {
        const char *name;
        winnow__wide unit;
    } units[] = {{"ns", 1},       {"us", 1000}, {"ms", 1000000}, {"s", SECOND},
                 {"min", MINUTE}, {"h", HOUR},  {"d", DAY}};
    size_t length = 0;
    while (r->at + length < r->end && r->at[length] >= 'a' &&
           r->at[length] <= 'z')
        length++;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i].name) == length &&
            strncmp(units[i].name, r->at, length) == 0) {
            r->at += length;
            *unit = units[i].unit;
            return true;
        }
    return false;
}

/* Read a number of at most 15 digits, and 9 after a point, and its unit. */
static bool read_part(reader *r, winnow__wide *nanoseconds) {
    winnow__wide whole = 0, unit;
    uint64_t fraction = 0;
    unsigned digits = 0;
    for (; at_digit(r) && digits < 15; digits++)
        whole = 10 * whole + (*r->at++ - '0');
    if (digits == 0 || (take(r, '.') && !read_fraction(r, &fraction)))
        return false;
    while (take(r, ' '))
        ;
    if (!read_unit(r, &unit) || unit * (winnow__wide)fraction % SECOND != 0)
        return false;
    *nanoseconds += whole * unit + unit * (winnow__wide)fraction / SECOND;
    return true;
}

/* Read several parts. A sign before the first is the sign of all. */
static bool read_duration(reader *r, winnow__wide *nanoseconds) {
    const bool negative = take(r, '-');
    *nanoseconds = 0;
    do {
        while (take(r, ' '))
            ;
        if (!read_part(r, nanoseconds))
            return false;
    } while (r->at < r->end);
    if (negative)
        *nanoseconds = -*nanoseconds;
    return true;
}

bool winnow__read_moment(winnow__meaning_kind kind, const char *from,
                         unsigned length, winnow__moment *moment) {
    reader r = {from, from + length};
    *moment = (winnow__moment){0};
    const bool right =
        kind == WINNOW__TIMESTAMPS ? read_timestamp(&r, moment)
        : kind == WINNOW__DATES    ? read_date(&r, &moment->nanoseconds)
        : kind == WINNOW__TIMES    ? read_time(&r, &moment->nanoseconds)
                                   : read_duration(&r, &moment->nanoseconds);
    return right && r.at == r.end;
}
