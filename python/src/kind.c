/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kind.h"

/* The kinds from MOST_TYPES on: dates and durations. */
static const struct {
    const char *name, *format;
} moments[] = {{"datetime64[D]", "tdD"},   {"datetime64[s]", "tss:"},
               {"datetime64[ms]", "tsm:"}, {"datetime64[us]", "tsu:"},
               {"datetime64[ns]", "tsn:"}, {"timedelta64[s]", "tDs"},
               {"timedelta64[ms]", "tDm"}, {"timedelta64[us]", "tDu"},
               {"timedelta64[ns]", "tDn"}, {"dates of another unit", NULL}};

_Static_assert(MOST_TYPES + sizeof moments / sizeof moments[0] == MOST_KINDS,
               "a kind has a row");

/* Return the row of a kind in the table. */
static int row_of(int kind) {
    return (kind < KIND_OTHER ? kind : KIND_OTHER) - MOST_TYPES;
}

winnow_type kind_type(int kind) {
    return kind < MOST_TYPES ? (winnow_type)kind : WINNOW_INT64;
}

const char *kind_format(int kind) {
    return kind < MOST_TYPES ? NULL : moments[row_of(kind)].format;
}

const char *kind_name(int kind) {
    return kind < MOST_TYPES ? winnow_type_name((winnow_type)kind)
                             : moments[row_of(kind)].name;
}
