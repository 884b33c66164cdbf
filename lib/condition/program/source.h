/*
 * Values whose program is a source in CUDA C: a device alone has them, where it
 * has a compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "expression.h"

enum {
    WINNOW__SOURCE_MOST_BYTES = 8192 /* of a body */
};

typedef struct winnow__source_parameter {
    winnow_type type;
    bool is_pointer; /* to elements of that */
} winnow__source_parameter;

/* The body of a function that returns a bool. Its parameters have the values of
 * the program's constants. */
struct winnow__expression_source {
    unsigned parameters;
    winnow__source_parameter parameter[WINNOW__MOST_CONSTANTS];
    /* Of the columns, in their order, and of the parameters. */
    const char *name[WINNOW__MOST_READ + WINNOW__MOST_CONSTANTS];
    const char *body;
    char bytes[]; /* of names and body */
};

/* An expression of BOOL with a copy of the body and the names; its columns, the
 * parameters' types and constants are to be set. NULL, with the detail set: there
 * is no memory. */
winnow__expression *winnow__expression_of_source(const char *body,
                                                 const char *const names[],
                                                 unsigned columns,
                                                 unsigned parameters);
