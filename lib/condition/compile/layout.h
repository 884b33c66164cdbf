/*
 * The layout of a kernel's argument, and the properties of a condition's parts
 * that its source needs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source.h"

enum {
    WINNOW__TEST_CONSTANTS = 4, /* for each test */
    WINNOW__STEP_ITEMS = 4      /* for each lane and step */
};

/* Columns: first the program's, then those of each expression. Constants: first
 * those of tests, then those of each expression. A column that an expression
 * reads counts twice: for its elements and for its validity. */
typedef struct winnow__layout {
    unsigned columns, constants;
    uint16_t
        column[WINNOW__WHERE_MOST_COLUMNS]; /* the first of its expression */
    uint16_t
        constant[WINNOW__WHERE_MOST_COLUMNS]; /* the first of its expression */
    /* Next come the columns that expressions of aggregates read, each once, and
     * the constants of these. */
    unsigned first_read, reads;
    winnow__expression_column read[WINNOW_CONDITION_MOST_COLUMNS];
    uint16_t aggregate_constant[WINNOW_MOST_AGGREGATES];
} winnow__layout;

winnow__layout winnow__argument_layout(const winnow__to_compile *what);

/* Is the column computed, and the program's first one with this expression? */
bool winnow__is_first(const winnow__to_compile *what, unsigned column);

/* The index of a column in the list of those that aggregates read. */
unsigned winnow__place_of_read(const winnow__layout *of, uint16_t column);
/* The first aggregate with the same expression, which has to exist. */
unsigned winnow__first_aggregate(const winnow__reduction *reduction,
                                 unsigned aggregate);

/* 0 if the column has bits. */
unsigned winnow__loaded_bytes(winnow_type type);
