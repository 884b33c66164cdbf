/*
 * The meaning of a column's numbers: formats of Arrow's C data interface.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include <stdbool.h>

typedef enum winnow__meaning_kind {
    WINNOW__NUMBERS, /* plain numbers */
    WINNOW__DECIMALS,
    WINNOW__DATES,
    WINNOW__TIMES,      /* since midnight */
    WINNOW__TIMESTAMPS, /* since 1970, like dates */
    WINNOW__DURATIONS
} winnow__meaning_kind;

typedef struct winnow__meaning {
    winnow__meaning_kind kind;
    int scale;     /* decimals: an element is an integer times 10^scale */
    int precision; /* with at most this many digits */
    uint64_t unit; /* of dates, times and durations, in nanoseconds */
    /* For timestamps: NULL, or the zone; elements are then in UTC. */
    const char *zone;
} winnow__meaning;

/* "d:PRECISION,SCALE", with ",BITS" if these are not 128. */
typedef struct winnow__decimal {
    int precision, scale, bits;
} winnow__decimal;

bool winnow__split_decimal(const char *format, winnow__decimal *decimal);
/* The type of Arrow's arrays of numbers, bits, dates, times and durations.
 * WINNOW_OPAQUE for other formats. */
winnow_type winnow__type_of_format(const char *format);
/* The meaning of fields[i], which is *field. After an error the detail is set. */
winnow_status winnow__read_format(unsigned i, const winnow_field *field,
                                  winnow__meaning *meaning);
