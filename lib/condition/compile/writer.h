/*
 * A source as it is written, and its parts: values, functions of CUDA C, tests,
 * leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout.h"

/* Text that grows. */
typedef struct winnow__writer {
    char *bytes; /* NULL: there was no memory */
    size_t used, room;
} winnow__writer;

void winnow__write(winnow__writer *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- values.c: the steps of an expression's program, a variable for each. */

/* The type of a winnow__value_type, */
extern const char *const winnow__value_type_names[];
/* and of the elements that are loaded of a column. */
const char *winnow__element_type(winnow_type type);
/* The step `number` of an expression. constants: where its own begin in the
 * argument. written: of each register, the last step that wrote it. */
void winnow__write_step(winnow__writer *to,
                        const winnow__expression *expression,
                        unsigned constants, unsigned number, uint16_t *written);
/* An operand, or the result, as a value of a type. */
void winnow__write_operand(winnow__writer *to, const uint16_t *written,
                           unsigned operand, unsigned type, unsigned constants);
/* Can a value be null though no element is? */
bool winnow__makes_nulls(const winnow__value_program *program);

/* A body in CUDA C: a function. */
void winnow__write_function(winnow__writer *to,
                            const winnow__expression *expression,
                            unsigned column);
/* It is called of no item that is null or dead. */
void winnow__write_call(winnow__writer *to,
                        const winnow__expression *expression, unsigned column,
                        unsigned first_constant);

/* ---- source.c */

/* Of elements, by log2 of their bytes. */
extern const char *const winnow__unsigned_types[];

/* ---- leaves.c: which of a lane's items pass a leaf. */

/* The most steps whose elements, of as many bytes of an item, a lane has room
 * for. */
unsigned winnow__steps_for(unsigned bytes);
/* Is the code of its value long, so that there is to be one copy of it? */
bool winnow__is_long(const winnow__expression *expression);

/* is_first: of a whole chunk all items are live. */
void winnow__write_plain_leaf(winnow__writer *to,
                              const winnow__to_compile *what, unsigned number,
                              bool is_first);
void winnow__write_computed_leaf(winnow__writer *to,
                                 const winnow__to_compile *what,
                                 unsigned number, bool is_first,
                                 const winnow__layout *of);

/* ---- reduction.c: what becomes of the items that pass, behind decide(). */

void winnow__write_reduction(winnow__writer *to, const winnow__to_compile *what,
                             const winnow__layout *of);
