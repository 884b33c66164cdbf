/*
 * The inner loops of reduce_where on the host: of a block's values of 8 bytes,
 * those whose bits are live.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/reduce/args.h"

typedef struct winnow__aggregate_loops {
    /* How many bits are live. */
    unsigned (*count)(const uint32_t *live, unsigned words);
    /* Values of WINNOW_FLOAT32, side by side, become those of 8 bytes. */
    void (*widen)(const float *values, unsigned number, uint64_t *to);
    /* Add to the sums of their places in a stripe, of which the first value has
     * the first. */
    void (*sum_floats)(const uint64_t *values, const uint32_t *live,
                       unsigned words, double *sums);
    /* Add x ^ bias to totals->sum. */
    void (*sum_integers)(const uint64_t *values, const uint32_t *live,
                         unsigned words, uint64_t bias,
                         winnow__reduce_totals *totals);
    /* The least of floats that are no NaN, or of -x from the other end; infinity
     * of none. */
    double (*least)(const uint64_t *values, const uint32_t *live,
                    unsigned words, int end);
    /* The least rank from an end, UINT64_MAX of none. */
    uint64_t (*rank)(const uint64_t *values, const uint32_t *live,
                     unsigned words, const winnow__reduce_type *type, int end);
} winnow__aggregate_loops;

extern const winnow__aggregate_loops winnow__aggregate_portable;
extern const winnow__aggregate_loops winnow__aggregate_avx2;
extern const winnow__aggregate_loops winnow__aggregate_avx512;
