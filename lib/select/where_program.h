/*
 * The program that decides a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SELECT_WHERE_PROGRAM_H
#define WINNOW_LIB_SELECT_WHERE_PROGRAM_H

#include "condition/tree.h"
#include "kernels/select/where.h"

#include <stdbool.h>

/* A test of strings that a leaf makes, by its number. */
typedef struct winnow__where_string {
    const struct winnow__string_test *test;
    uint8_t column;      /* of the program */
    bool inverted;       /* strings pass that fail the test; what no value of a
                            dictionary is passes neither */
    const winnow_in *in; /* of the call, as it is below */
    uint32_t *values;    /* NULL, or the bits of a dictionary's values */
} winnow__where_string;

/* A program, and the sets and the tests of strings of its leaves, which are the
 * condition's. */
typedef struct winnow__compiled {
    winnow__where_program program;
    unsigned sets;
    const struct winnow__set *set[WINNOW__WHERE_MOST_TESTS];
    unsigned strings;
    winnow__where_string string[WINNOW__WHERE_MOST_TESTS];
} winnow__compiled;

/* The program, but for its columns: column i of it is tested->column[i], the
 * columns that the condition tests. */
void winnow__compile(const winnow_condition *condition,
                     const winnow__tested *tested, winnow__compiled *compiled);

/* A copy in the small form, where the program has room in that. */
bool winnow__make_small(const winnow__where_program *program,
                        winnow__where_small *small);

#endif
