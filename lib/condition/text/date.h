/*
 * Dates, times and durations as they are written, in nanoseconds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "format.h"
#include "number.h"

typedef struct winnow__moment {
    /* Of a date or a timestamp since 1970, of a time since midnight. */
    winnow__wide nanoseconds;
    bool has_offset;   /* a timestamp: it is written with one */
    winnow__wide east; /* that, in nanoseconds */
} winnow__moment;

/* Years are those of the Gregorian calendar, also before it was introduced.
 * False: the `length` bytes are no value of that kind. What is called a
 * timestamp may be a date alone. */
bool winnow__read_moment(winnow__meaning_kind kind, const char *from,
                         unsigned length, winnow__moment *moment);

/* The offset of a zone that has the same one at all times: UTC, +01:00. False:
 * it has none, or it is not known. */
bool winnow__zone_offset(const char *zone, winnow__wide *east);
