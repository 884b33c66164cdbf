/*
 * The lists of a program in the argument of its kernels.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_WHERE_LISTS_H
#define WINNOW_TESTS_SIMT_WHERE_LISTS_H

#include "condition/program/where_program.h"

#include <string.h>

/* But for the columns. */
static inline void where_lists_write(const winnow__where_program *program,
                                     winnow__select_where_args *args) {
    args->ops = program->ops;
    args->leaves = program->leaves;
    args->depth = program->depth;
    memcpy(args->lists.leaf, program->leaf,
           program->leaves * sizeof(program->leaf[0]));
    memcpy(args->lists.op, program->op, program->ops * sizeof(program->op[0]));
    memcpy(args->lists.test, program->test,
           program->tests * sizeof(program->test[0]));
}

#endif
