/*
 * The source of a kernel that decides a condition, and its argument. The kernel
 * makes a selection, or it reduces values of the items that pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/reduce/args.h"
#include "kernels/select/where.h"
#include "kernels/selection/args.h"
#include "condition/program/key.h"

/* What is computed from the items that pass. The columns that expressions read,
 * and their numbers, only occur in the argument. */
typedef struct winnow__reduction {
    unsigned number; /* of aggregates */
    struct winnow__compiled_aggregate {
        const winnow__expression *expression; /* NULL: items are counted */
        unsigned wanted;
        winnow__reduce_type type; /* of the expression's values */
    } aggregate[WINNOW_MOST_AGGREGATES];
    const uint16_t *read;
    const winnow__value_column *read_column;
} winnow__reduction;

/* What is compiled: a program without sets. A column may always have nulls, and
 * its validity may be NULL. So all calls with a condition share its kernel. */
typedef struct winnow__to_compile {
    const winnow__where_program *program;
    const winnow_condition *condition; /* NULL: there is none */
    /* Columns that expressions read. Only in the argument, like the addresses
     * of the program's columns. */
    const winnow__value_column *read_column;
    const winnow__reduction *reduction; /* NULL: the kernel makes a selection */
    bool is_of_others; /* its items were not selected by a condition */
} winnow__to_compile;

/* The name in messages. */
static inline const char *winnow__name_of_kind(const winnow__to_compile *what) {
    return what->reduction != NULL ? "reduction" : "condition";
}

/* The expression whose value or validity is a column of the program; or NULL. */
static inline const winnow__expression *
winnow__computed(const winnow__to_compile *what, unsigned column) {
    return what->condition->tested
        .expression[what->program->columns[column].tested];
}

enum {
    /* Of a kernel's argument. */
    WINNOW__MOST_ARGUMENT = 4096,
    WINNOW__REDUCING_THREADS = 128 /* of a block */
};

/* A sum of the key, a part of which the condition has; and the key itself. */
winnow__key_sum winnow__sum_key(const winnow__to_compile *what);
void winnow__put_key(const winnow__to_compile *what, winnow__key *key);
/* Write the argument. Members up to `tiles` are set; the room is
 * WINNOW__MOST_ARGUMENT. */
void winnow__write_argument(const winnow__to_compile *what,
                            winnow__compiled_args *to);
/* Write the source, in memory of malloc(). NULL: out of memory. */
char *winnow__write_source(const winnow__to_compile *what);
