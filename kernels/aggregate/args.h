/*
 * The arguments of reduce.cu and finish.cu. Plain C, for host and device code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/expression/program.h"
#include "kernels/reduce/args.h"

/* Items that a block takes at a time: two stripes of kernels/reduce. */
#define WINNOW__AGGREGATE_STEP                                                 \
    (WINNOW__REDUCE_THREADS * WINNOW__INTERPRET_ITEMS)
/* Bytes of dynamic shared memory for each register of a program. */
#define WINNOW__AGGREGATE_REGISTER_BYTES (WINNOW__AGGREGATE_STEP * 8)

typedef struct winnow__aggregate_args {
    winnow__value_program program; /* without steps: items are only counted */
    winnow__value_column columns[WINNOW__MOST_READ];
    const uint32_t *keep; /* words of keep bits; NULL: all items pass */
    /* n, the number of items, the cut, the values' type with 8 bytes, and what
     * is wanted. */
    winnow__reduce_args reduce;
} winnow__aggregate_args;

typedef struct winnow__aggregate_finish {
    winnow__reduce_type type; /* of its values */
    uint32_t wanted;
    uint32_t upper; /* 0, or the number of the aggregate of the upper halves */
} winnow__aggregate_finish;

typedef struct winnow__aggregate_finish_args {
    winnow__reduce_cut cut;
    /* For each aggregate, WINNOW__REDUCE_WORDS arrays of cut.parts words. */
    uint64_t *words;
    winnow_reduction *results; /* one for each aggregate */
    winnow__aggregate_finish aggregate[WINNOW_MOST_AGGREGATES];
} winnow__aggregate_finish_args;
