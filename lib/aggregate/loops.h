/*
 * The inner loops of reduce_where on the host: they reduce those of a block's 8-byte
 * values whose bits are live.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/reduce/args.h"

typedef struct winnow__aggregate_loops {
    /* The number of live bits. */
    unsigned (*count)(const uint32_t *live, unsigned words);
    /* Convert contiguous float32 values to float64. */
    void (*widen)(const float *values, unsigned number, uint64_t *to);
    /* Add each value to the sum of its place in a stripe. The first value has
     * the first place. */
    void (*sum_floats)(const uint64_t *values, const uint32_t *live,
                       unsigned words, double *sums);
    /* Add x ^ bias to totals->sum. */
    void (*sum_integers)(const uint64_t *values, const uint32_t *live,
                         unsigned words, uint64_t bias,
                         winnow__reduce_totals *totals);
    /* The least float that is not NaN, or for the other end the least -x.
     * Infinity if there is none. */
    double (*least)(const uint64_t *values, const uint32_t *live,
                    unsigned words, int end);
    /* The least rank from an end; UINT64_MAX if there is none. */
    uint64_t (*rank)(const uint64_t *values, const uint32_t *live,
                     unsigned words, const winnow__reduce_type *type, int end);
} winnow__aggregate_loops;

extern const winnow__aggregate_loops winnow__aggregate_portable;
extern const winnow__aggregate_loops winnow__aggregate_avx2;
extern const winnow__aggregate_loops winnow__aggregate_avx512;
