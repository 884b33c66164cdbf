/*
 * The arguments of reduce.cu and finish.cu: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

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

typedef struct winnow__aggregate_finish {
    winnow__reduce_type type; /* of its values */
    uint32_t wanted;
    uint32_t upper; /* 0, or the number of the one of its upper halves */
} winnow__aggregate_finish;

typedef struct winnow__aggregate_finish_args {
    winnow__reduce_cut cut;
    /* Of each aggregate WINNOW__REDUCE_WORDS arrays of cut.parts words. */
    uint64_t *words;
    winnow_reduction *results; /* of each */
    winnow__aggregate_finish aggregate[WINNOW_MOST_AGGREGATES];
} winnow__aggregate_finish_args;
