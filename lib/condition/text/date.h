/*
 * Written dates, times and durations, in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"
#include "number.h"

typedef struct winnow__moment {
    /* since 1970 for dates and timestamps, since midnight for times */
    winnow__wide nanoseconds;
    bool has_offset;   /* a timestamp with an offset */
    winnow__wide east; /* the offset in nanoseconds */
} winnow__moment;

/* Read a moment. Years are Gregorian, also before the calendar was introduced.
 * False: the `length` bytes are no value of that kind. A timestamp may be a
 * date without a time. */
bool winnow__read_moment(winnow__meaning_kind kind, const char *from,
                         unsigned length, winnow__moment *moment);

/* The offset of a zone, if it is always the same: UTC, +01:00. False: it
 * varies, or is unknown. */
bool winnow__zone_offset(const char *zone, winnow__wide *east);
