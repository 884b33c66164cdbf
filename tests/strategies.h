/*
 * The strategies under test: a new one is one line here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_STRATEGIES_H
#define WINNOW_TESTS_STRATEGIES_H

#include <stdbool.h>
#include <stddef.h>

#include <winnow.h>

struct strategy_row {
    winnow_strategy strategy;
    winnow_order order; /* what is asked for */
    bool gpu;           /* on a CUDA context, or on a WINNOW_DEVICE_HOST one */
    bool stable;        /* the result is checked for the input's order */
    bool slow;          /* a global atomic per survivor: few of them, please,
                           in the largest arrays */
};

static const struct strategy_row strategies[] = {
    {WINNOW_HOST, WINNOW_STABLE, false, true, false},
    {WINNOW_HOST, WINNOW_UNORDERED, false, true, false},
    {WINNOW_AUTO, WINNOW_STABLE, false, true, false},
    /* Stable as well; checked as if it were not, so that the check that the
     * GPU's unordered strategies go through runs on every machine. */
    {WINNOW_AUTO, WINNOW_UNORDERED, false, false, false},

    {WINNOW_GLOBAL_ATOMIC, WINNOW_UNORDERED, true, false, true},
    {WINNOW_SHARED_ATOMIC, WINNOW_UNORDERED, true, false, false},
    {WINNOW_WARP_AGGREGATED, WINNOW_UNORDERED, true, false, false},
    {WINNOW_WARP_SHARED, WINNOW_UNORDERED, true, false, false},
    {WINNOW_SOFTWARE_ATOMIC, WINNOW_UNORDERED, true, false, false},
    {WINNOW_TILE_AGGREGATED, WINNOW_UNORDERED, true, false, false},
    {WINNOW_CUB_SCAN, WINNOW_STABLE, true, true, false},
    {WINNOW_TILE_SCAN, WINNOW_STABLE, true, true, false},
    {WINNOW_TILE_SCAN, WINNOW_UNORDERED, true, true, false},
    {WINNOW_AUTO, WINNOW_STABLE, true, true, false},
    {WINNOW_AUTO, WINNOW_UNORDERED, true, false, false},
};

/* Does it honour launch->d_n and launch->d_position? CUB's is given n. */
static inline bool strategy_is_bounded(const struct strategy_row *row) {
    return row->strategy != WINNOW_CUB_SCAN;
}

#define STRATEGIES (sizeof(strategies) / sizeof(strategies[0]))

/* Loop over the rows of one kind of context: `row` is the loop's variable. */
#define FOR_EACH_STRATEGY(row, on_gpu)                                         \
    for (const struct strategy_row *row = strategies;                          \
         row < strategies + STRATEGIES; row++)                                 \
        if (row->gpu == (on_gpu))

#endif
