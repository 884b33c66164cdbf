/*
 * The source of a kernel that decides a condition, and its argument. It makes a
 * selection, or it reduces values of the items that pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/reduce/args.h"
#include "kernels/select/where.h"
#include "kernels/selection/args.h"
#include "condition/program/key.h"

/* What is computed of the items that pass. Those columns of a call that expressions
 * read, and their numbers, are of the argument alone. */
typedef struct winnow__reduction {
    unsigned number; /* of aggregates */
    struct winnow__compiled_aggregate {
        const winnow__expression *expression; /* NULL: items are counted */
        unsigned wanted;
        winnow__reduce_type type; /* of its values */
    } aggregate[WINNOW_MOST_AGGREGATES];
    const uint16_t *read;
    const winnow__value_column *read_column;
} winnow__reduction;

/* What is compiled: a program without sets. It does not matter whether columns
 * have nulls: each is taken to have some, and a validity may be NULL. So the
 * kernel of a condition is that of all calls. */
typedef struct winnow__to_compile {
    const winnow__where_program *program;
    const winnow_condition *condition; /* NULL: there is none */
    /* What expressions read, of the argument alone, as the places in the program's
     * columns are. */
    const winnow__value_column *read_column;
    const winnow__reduction *reduction; /* NULL: a selection is made */
    bool is_of_others; /* it is of items that no condition has selected */
} winnow__to_compile;

/* For messages. */
static inline const char *winnow__name_of_kind(const winnow__to_compile *what) {
    return what->reduction != NULL ? "reduction" : "condition";
}

/* The expression whose value, or validity, a column of the program is; NULL: it is
 * none. */
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

/* The sum of the key, of which a condition has its part; and the key. */
winnow__key_sum winnow__sum_key(const winnow__to_compile *what);
void winnow__put_key(const winnow__to_compile *what, winnow__key *key);
/* Write the argument: all up to tiles is set, and the room
 * is WINNOW__MOST_ARGUMENT. */
void winnow__write_argument(const winnow__to_compile *what,
                            winnow__compiled_args *to);
/* The source, in memory of malloc()'s; NULL: there is no memory. */
char *winnow__write_source(const winnow__to_compile *what);
