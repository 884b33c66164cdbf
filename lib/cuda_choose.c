/*
 * AUTO: which strategy?
 *
 * TILE_AGGREGATED and TILE_SCAN are ahead of every other strategy of their
 * order wherever they were measured to differ (winnow-bench regret), so what is
 * left to choose by the selectivity is how a tile's survivors are
 * staged. The kernels choose that for each tile, by the exact count that they
 * have in hand: no sample could know it better, and clustered data is served
 * tile by tile.
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
