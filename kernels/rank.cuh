/*
 * Rank inside a warp: by ballot and population count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_RANK_CUH
#define WINNOW_KERNELS_RANK_CUH

#include "load.cuh"

namespace winnow {

/*
 * Call visit(rank, element) for each survivor that a warp has of a tile; ranks
 * count from 0, all lanes' first items before all lanes' second ones, so that
 * neighbouring lanes get neighbouring ranks. All lanes take part.
 */
template <class U, unsigned int THREADS, unsigned int VECTORS, class Visit>
__device__ __forceinline__ void
rank_by_ballot(const Tile<U, THREADS, VECTORS> &tile, Visit visit) {
    const unsigned int below = lanes_below();
    unsigned int before = 0;
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++) {
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++) {
            const bool kept = tile.keep[k] >> i & 1;
            const unsigned int ballot = __ballot_sync(ALL_LANES, kept);
            if (kept)
                visit(before + __popc(ballot & below),
                      item<U>(tile.vector[k], i));
            before += __popc(ballot);
        }
    }
}

} // namespace winnow

#endif
