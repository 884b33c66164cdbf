/*
 * What the numbers of a column mean: formats of Arrow's C data interface.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

typedef enum winnow__meaning_kind {
    WINNOW__NUMBERS, /* themselves */
    WINNOW__DECIMALS,
    WINNOW__DATES,
    WINNOW__TIMES,      /* of a day */
    WINNOW__TIMESTAMPS, /* since 1970, as dates */
    WINNOW__DURATIONS
} winnow__meaning_kind;

typedef struct winnow__meaning {
    winnow__meaning_kind kind;
    int scale;     /* decimals: an element is an integer times 10^scale, */
    int precision; /* and has at most this number of digits */
    uint64_t unit; /* of dates, times and durations, in nanoseconds */
    /* Timestamps: NULL, or the zone, where they are instants of UTC. */
    const char *zone;
} winnow__meaning;

/* "d:PRECISION,SCALE", and ",BITS" where those are not 128. */
typedef struct winnow__decimal {
    int precision, scale, bits;
} winnow__decimal;

bool winnow__split_decimal(const char *format, winnow__decimal *decimal);
/* The type of Arrow's arrays of numbers, bits, dates, times and durations;
 * WINNOW_OPAQUE: the format is of others. */
winnow_type winnow__type_of_format(const char *format);
/* The meaning of fields[i], which is *field; an error otherwise, with the
 * detail. */
winnow_status winnow__read_format(unsigned i, const winnow_field *field,
                                  winnow__meaning *meaning);
