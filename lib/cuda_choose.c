/*
 * AUTO: which strategy?
 *
 * By order. Then by size: kernels/shapes.h says which tiles suit an
 * input. What the selectivity decides is how a tile's survivors
 * are staged, and that the kernels choose for each tile, by the exact count
 * that they have in hand: no hint and no sample could improve on that. That no
 * other strategy is ahead, at any selectivity, is what winnow-bench measures
 * as regret; bench/NOTES.md has the outcome.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_plan.h"

winnow_strategy winnow__choose(const winnow__query *query) {
    if (query->options.strategy != WINNOW_AUTO)
        return query->options.strategy;
    return query->options.order == WINNOW_STABLE ? WINNOW_TILE_SCAN
                                                 : WINNOW_TILE_AGGREGATED;
}
