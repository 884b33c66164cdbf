/*
 * Count, sum, mean, minimum and maximum of expressions, of the items that a
 * pipe keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_PROGRAMS_REDUCE_H
#define WINNOW_PROGRAMS_REDUCE_H

#include "table.h"

typedef struct program_sum {
    const char *text;
    winnow_type type; /* of its numbers; of decimals, INT128 */
    int scale;        /* of decimals */
    bool has_ends;    /* not of decimals of more than 18 digits */
    bool overflow;    /* the sum has no 64 bits; of decimals, 38 digits */
    winnow_reduction made;
} program_sum;

typedef struct program_reduce program_reduce;

/* Of expressions over a table, which is in use until it is destroyed. Fails
 * where one has a mistake. */
program_reduce *program_reduce_make(const program_table *table,
                                    const char *const *texts, unsigned count);

/* Describe the outputs of a pipe that gives it what is kept; their number. */
unsigned program_reduce_outputs(program_reduce *reduce,
                                winnow_pipe_output *outputs);

/* All is kept: the results, one for each text. Fails where the library does. */
const program_sum *program_reduce_end(program_reduce *reduce);
void program_reduce_destroy(program_reduce *reduce);

#endif
