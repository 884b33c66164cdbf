/*
 * The program that decides a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_PROGRAM_WHERE_PROGRAM_H
#define WINNOW_LIB_CONDITION_PROGRAM_WHERE_PROGRAM_H

#include "tree.h"
#include "kernels/expression/program.h"
#include "kernels/select/where.h"

#include <stdbool.h>

/* A column of a program: one that the condition tests, by its number among them,
 * or the bits of its validity. */
typedef struct winnow__part {
    uint8_t tested;
    bool is_validity;
} winnow__part;

/* A test of strings that a leaf makes, by its number. */
typedef struct winnow__where_string {
    /* NULL: whether they are values, and no nulls, of a dictionary of any type. */
    const struct winnow__string_test *test;
    uint8_t column;      /* of the program */
    bool inverted;       /* strings pass that fail the test; what no value of a
                            dictionary is, or a null, passes neither */
    const winnow_in *in; /* of the call, as it is below */
    uint32_t *values;    /* NULL, or the bits of a dictionary's values */
    const void *pattern; /* NULL, or what a device has of a large one */
} winnow__where_string;

/* What the expressions of a condition read: the columns of a call, by their
 * number, and the expressions, by that of what is tested; NULL: a column. */
typedef struct winnow__where_values {
    const winnow_in *columns; /* of the call */
    unsigned number;
    uint16_t *read;
    winnow__value_column *column;
    const struct winnow_expression **expression;
} winnow__where_values;

/* A program, what its columns are, and the sets, tests of strings and expressions
 * of its leaves, which are the condition's. */
typedef struct winnow__compiled {
    winnow__where_program program;
    winnow__part *part;
    unsigned sets;
    const struct winnow__set **set;
    unsigned strings;
    winnow__where_string *string;
    winnow__where_values values; /* winnow__find_values() */
} winnow__compiled;

/* Where a column has nulls: in its validity, or among the values of its
 * dictionary. */
typedef struct winnow__nulls {
    bool elements[WINNOW_CONDITION_MOST_COLUMNS];
    bool values[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__nulls;

/* Bytes of the memory for that, and for making it, aligned to 16. */
size_t winnow__compile_bytes(const winnow_condition *condition,
                             const winnow__tested *tested);
/* Give it its place in this memory. */
void winnow__place_compiled(const winnow_condition *condition,
                            const winnow__tested *tested, void *memory,
                            winnow__compiled *compiled);
/* The program, but for its columns, which compiled->part names: the first are
 * `tested`, the columns that the condition tests, and have those nulls. */
void winnow__compile(const winnow_condition *condition,
                     const winnow__tested *tested, const winnow__nulls *nulls,
                     void *memory, winnow__compiled *compiled);

/* A copy in the small form, where the program has room in that, and in the large
 * one, which any has. */
bool winnow__make_small(const winnow__where_program *program,
                        winnow__where_small *small);
void winnow__make_large(const winnow__where_program *program,
                        winnow__where_large *large);

#endif
