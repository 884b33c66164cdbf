/*
 * WINNOW_TILE_AGGREGATED: one atomic on the cursor per tile.
 *
 * The tile is large, since one address takes only so many atomics per second;
 * and nothing waits for the atomic: while it is under way the survivors are
 * staged in shared memory, in the order of their ranks, and when the place is
 * known they are written out in whole lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clear.cuh"
#include "cursor.cuh"
#include "place.cuh"
#include "table.cuh"
#include "tuning.cuh"

namespace winnow {

/*
 * The cursor counts survivors in its lower 40 bits and tiles above, so that
 * the tile that comes last knows it is the last, and the count, from its one
 * atomic.
 */
constexpr unsigned int SURVIVOR_BITS = WINNOW__SURVIVOR_BITS;

/* By one thread of the block. */
__device__ __forceinline__ uint64_t take_places(const winnow__args &args,
                                                unsigned int survivors) {
    constexpr uint64_t ONE_TILE = uint64_t(1) << SURVIVOR_BITS;
    wait_for_clear();
    const uint64_t before =
        atomicAdd(&args.cursor->survivors, ONE_TILE | survivors);
    const uint64_t position = before & (ONE_TILE - 1);
    if (before >> SURVIVOR_BITS == gridDim.x - 1) {
        *args.count = position + survivors;
        args.cursor->survivors = 0; /* as it was found */
    }
    return position;
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileAggregated<U>::THREADS,
                                  resident(TileAggregated<U>::THREADS,
                                           TileAggregated<U>::BLOCKS))
    tile_aggregated(const __grid_constant__ winnow__args args) {
    using Tuning = TileAggregated<U>;
    constexpr unsigned int THREADS = Tuning::THREADS;
    constexpr unsigned int VECTORS = Tuning::VECTORS;
    using TileType = Tile<U, THREADS, VECTORS>;
    using RankType = ThreadRank<U, THREADS, VECTORS>;
    __shared__ alignas(16) U staged[TileType::ITEMS];
    __shared__ WarpCounts<THREADS> counts;
    __shared__ uint64_t position;

    tell_strategy(args);
    TileType tile;
    tile.load(Input<U>(args), blockIdx.x, VectorPredicate<U, KIND>(args.test));
    RankType rank;
    rank.count(tile, counts);
    __syncthreads();
    rank.finish(counts);
    const unsigned int total = rank.total;
    if (threadIdx.x == 0)
        position = take_places(args, total);
    if (total == 0)
        return;
    stage<Tuning>(staged, tile, rank);
    __syncthreads();
    place_staged<U, THREADS>(args, position, staged, total);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    {                                                                          \
        WINNOW__STUB(winnow::tile_aggregated, U, KIND),                        \
            winnow::TileAggregated<U>::THREADS,                                \
            winnow::TileAggregated<U>::TILE_BYTES, 0                           \
    }
WINNOW__TABLE(winnow__tile_aggregated, ENTRY);
