/*
 * WINNOW_WARP_AGGREGATED: one atomic on the cursor per warp, made by one lane
 * for all; each lane finds its rank by ballot and population count.
 *
 * The warp-aggregated filter of A. Adinetz, "CUDA Pro Tip: Optimized Filtering
 * with Warp-Aggregated Atomics" (2014, 2017), with the atomics of all items
 * that a warp has of a tile made into one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "place.cuh"
#include "rank.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    warp_aggregated(const __grid_constant__ winnow__args args) {
    tell_strategy(args);
    Tile<U, THREADS, VECTORS> tile;
    tile.load(Input<U>(args), blockIdx.x, VectorPredicate<U, KIND>(args.test));
    const unsigned int kept = sum(tile.kept());
    if (kept != 0) {
        unsigned long long position = 0;
        if (lane_id() == 0)
            position = atomicAdd(&args.cursor->survivors, kept);
        position = __shfl_sync(ALL_LANES, position, 0);
        rank_by_ballot(tile, [&](unsigned int rank, U element) {
            place(args, position + rank, element);
        });
    }
    finish(args);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::THREADS, winnow::THREADS *winnow::VECTORS * 16, 16, 0, \
                winnow::warp_aggregated<U, KIND>)
WINNOW__TABLE(winnow__warp_aggregated, ENTRY);
