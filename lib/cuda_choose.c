/*
 * AUTO: which strategy?
 *
 * In the recorded rows (bench/results) no strategy of its order is more than 2%
 * ahead of TILE_AGGREGATED or TILE_SCAN, so what is left to choose by the
 * selectivity is how a tile's survivors are staged. The kernels choose that for
 * each tile, by the exact count that they have in hand. Where one was found
 * ahead outside of those rows, bench/NOTES.md tells it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

winnow_strategy winnow__choose(const winnow__call *call) {
    if (call->options.strategy != WINNOW_AUTO)
        return call->options.strategy;
    return call->options.order == WINNOW_STABLE ? WINNOW_TILE_SCAN
                                                : WINNOW_TILE_AGGREGATED;
}
