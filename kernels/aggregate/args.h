/*
 * The argument of reduce.cu: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_AGGREGATE_ARGS_H
#define WINNOW_KERNELS_AGGREGATE_ARGS_H

#include "kernels/expression/program.h"
#include "kernels/reduce/args.h"

/* Items that a block has at a time: two of kernels/reduce's stripes. */
#define WINNOW__AGGREGATE_STEP                                                 \
    (WINNOW__REDUCE_THREADS * WINNOW__INTERPRET_ITEMS)
/* Bytes of dynamic shared memory for each register of a program. */
#define WINNOW__AGGREGATE_REGISTER_BYTES (WINNOW__AGGREGATE_STEP * 8)

typedef struct winnow__aggregate_args {
    winnow__value_program program; /* without steps items are counted alone */
    winnow__value_column columns[WINNOW__MOST_READ];
    const uint32_t *keep; /* words of the items that pass; NULL: all do */
    /* n, how many there are, the cut, the values' type as 8 bytes, and what
     * becomes of them. */
    winnow__reduce_args reduce;
} winnow__aggregate_args;

#endif
