/*
 * WINNOW_WARP_SHARED: one shared-memory atomic per warp, one atomic on the
 * cursor per block.
 *
 * Warp aggregation on top of the shared-memory filter: A. Adinetz, "CUDA Pro
 * Tip: Optimized Filtering with Warp-Aggregated Atomics" (2014, 2017).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "rank.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    warp_shared(const __grid_constant__ winnow__args args) {
    tell_strategy(args);
    using TileType = Tile<U, THREADS, VECTORS>;
    WINNOW__SHARED(staged, StagedItems<U, TileType::ITEMS>);
    WINNOW__SHARED(count, unsigned int);
    WINNOW__SHARED(position, unsigned long long);
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    TileType tile;
    tile.load(Input<U>(args), blockIdx.x, VectorPredicate<U, KIND>(args.test));
    const unsigned int kept = sum(tile.kept());
    if (kept != 0) {
        unsigned int before = 0;
        if (lane_id() == 0)
            before = atomicAdd(&count, kept);
        before = __shfl_sync(ALL_LANES, before, 0);
        rank_by_ballot(tile, [&](unsigned int rank, U element) {
            staged.items[before + rank] = element;
        });
    }
    __syncthreads();
    if (threadIdx.x == 0 && count != 0)
        position = atomicAdd(&args.cursor->survivors, count);
    __syncthreads();
    if (count != 0)
        place_staged<U, THREADS>(args, position, staged.items, count);
    finish(args);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::THREADS, winnow::THREADS *winnow::VECTORS * 16, 16, 0, \
                winnow::warp_shared<U, KIND>)
WINNOW__TABLE(winnow__warp_shared, ENTRY);
