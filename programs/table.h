/*
 * The inputs as columns of one table, which a condition or an expression reads
 * by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_TABLE_H
#define WINNOW_PROGRAMS_TABLE_H

#include "input.h"

typedef struct program_table {
    program_input *inputs;
    unsigned input_count;
    uint64_t items; /* WINNOW_NO_LIMIT: until the end of an input */

    /* All fields that a condition can test. */
    winnow_field *fields;
    winnow_pipe_column *columns;
    unsigned column_count;
} program_table;

/* Fails where inputs have different lengths, or fields the same name. */
void program_table_make(program_table *table, program_input *inputs,
                        unsigned input_count);
void program_table_destroy(program_table *table);

/* Fail with the library's detail if there is a mistake. */
winnow_condition *program_table_condition(const program_table *table,
                                          const char *text);
winnow_expression *program_table_expression(const program_table *table,
                                            const char *text);

/* Does it read this input? */
bool program_table_tests(const program_table *table,
                         const winnow_condition *condition, unsigned input);
bool program_table_computes(const program_table *table,
                            const winnow_expression *expression,
                            unsigned input);

#endif
