/*
 * Writes a source and its parts: values, functions of CUDA C, tests, leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout.h"

/* Text that grows. */
typedef struct winnow__writer {
    char *bytes; /* NULL: out of memory */
    size_t used, room;
} winnow__writer;

void winnow__write(winnow__writer *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- values.c: writes each step of an expression's program as a variable. */

/* The type of a winnow__value_type, */
extern const char *const winnow__value_type_names[];
/* and the type of a column's elements when they are loaded. */
const char *winnow__element_type(winnow_type type);
/* Write step `number` of an expression. constants: the first of the expression's
 * in the argument. written: for each register, the step that last wrote it. */
void winnow__write_step(winnow__writer *to,
                        const winnow__expression *expression,
                        unsigned constants, unsigned number, uint16_t *written);
/* Write an operand, or the result, as a value of a type. */
void winnow__write_operand(winnow__writer *to, const uint16_t *written,
                           unsigned operand, unsigned type, unsigned constants);
/* Can a value be null though no element is null? */
bool winnow__makes_nulls(const winnow__value_program *program);

/* Write a body in CUDA C as a function. */
void winnow__write_function(winnow__writer *to,
                            const winnow__expression *expression,
                            unsigned column);
/* Write a call of it. Only for items that are live and not null. */
void winnow__write_call(winnow__writer *to,
                        const winnow__expression *expression, unsigned column,
                        unsigned first_constant);

/* ---- source.c */

/* Indexed by log2 of an element's bytes. */
extern const char *const winnow__unsigned_types[];

/* ---- leaves.c: find a lane's items that pass a leaf. */

/* The most steps whose elements a lane has room for, with `bytes` for each
 * item. */
unsigned winnow__steps_for(unsigned bytes);
/* Is the code of its value so long that the source contains it only once? */
bool winnow__is_long(const winnow__expression *expression);

/* is_first: all items of a whole chunk are live. */
void winnow__write_plain_leaf(winnow__writer *to,
                              const winnow__to_compile *what, unsigned number,
                              bool is_first);
void winnow__write_computed_leaf(winnow__writer *to,
                                 const winnow__to_compile *what,
                                 unsigned number, bool is_first,
                                 const winnow__layout *of);

/* ---- reduction.c: reduce the items that pass, after decide(). */

void winnow__write_reduction(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__layout *of);
