/*
 * Where a kernel's argument has what, and what its source needs to know of the
 * parts of a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source.h"

enum {
    WINNOW__TEST_CONSTANTS = 4, /* of each test */
    WINNOW__STEP_ITEMS = 4      /* of a lane and a step */
};

/* Columns of the program come first, and those of each expression behind; tests
 * first, and the constants of each expression behind. A column that an
 * expression reads is two: its elements and its validity. */
typedef struct winnow__layout {
    unsigned columns, constants;
    uint16_t column[WINNOW__WHERE_MOST_COLUMNS];   /* of its expression */
    uint16_t constant[WINNOW__WHERE_MOST_COLUMNS]; /* likewise */
    /* Behind all of these, what the expressions of aggregates have: each column
     * that they read, once; and constants. */
    unsigned first_read, reads;
    winnow__expression_column read[WINNOW_CONDITION_MOST_COLUMNS];
    uint16_t aggregate_constant[WINNOW_MOST_AGGREGATES];
} winnow__layout;

winnow__layout winnow__argument_layout(const winnow__to_compile *what);

/* Is it computed, and the first column of the program with its expression? */
bool winnow__is_first(const winnow__to_compile *what, unsigned column);

/* Of the columns that aggregates read: the number of one in the list. */
unsigned winnow__place_of_read(const winnow__layout *of, uint16_t column);
/* The first aggregate with the same expression as this one, which has one. */
unsigned winnow__first_aggregate(const winnow__reduction *reduction,
                                 unsigned aggregate);

/* 0: it is of bits. */
unsigned winnow__loaded_bytes(winnow_type type);
