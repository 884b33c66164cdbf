/*
 * WINNOW_TILE_SCAN for inputs of few tiles: one launch, and nothing to clear.
 *
 * Every block publishes the count of its tile and reads those of all tiles
 * before it. So all blocks have to be resident together: the host asks how
 * many can be, and the launch is a cooperative one, which fails otherwise.
 *
 * A count is published with the number of the call, the epoch; what earlier
 * calls have left counts as nothing. Whoever has seen all counts knows that all
 * blocks have read the epoch: the last tile's block raises it. Counts take 16
 * bits of a word, epochs 48: not to come around within a machine's life.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "publish.cuh"
#include "table.cuh"
#include "tuning.cuh"

namespace winnow {

constexpr unsigned int COUNT_BITS = 16;

/* Zero is memory that was never used. */
__device__ __forceinline__ uint64_t tag_of(uint64_t calls) {
    return calls + 1;
}

/* The survivors before this block's tile, of which it has `total`. By one
 * warp, after its own count was published. */
__device__ __forceinline__ uint64_t gather(const winnow__args &args,
                                           uint64_t tag, unsigned int total) {
    unsigned int before = 0;
    for (unsigned int tile = lane_id(); tile < blockIdx.x; tile += WARP) {
        uint64_t seen;
        do
            seen = observe(args.states + tile);
        while (seen >> COUNT_BITS != tag);
        before += seen & ((1u << COUNT_BITS) - 1);
    }
    before = sum(before);
    if (blockIdx.x == gridDim.x - 1 && lane_id() == 0) {
        *args.count = before + total;
        args.cursor->epoch = tag;
    }
    return before;
}

template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void tile_resident(const winnow__args &args) {
    constexpr unsigned int THREADS = Tuning::THREADS;
    using TileType = Tile<U, THREADS, Tuning::VECTORS>;
    static_assert(TileType::ITEMS < 1u << COUNT_BITS, "a count fits");
    __shared__ Stage<U, Tuning> staged;
    __shared__ WarpCounts<THREADS> counts;
    __shared__ uint64_t position;

    wait_for_input(args);
    tell_strategy(args);
    const bool first_warp = warp_id() == 0;
    TileType tile;
    const Input<U> input(args);
    tile.fetch(input, blockIdx.x);
    uint64_t tag = 0;
    if (first_warp) {
        wait_for_workspace();
        tag = tag_of(observe(&args.cursor->epoch));
    }
    tile.test(input, blockIdx.x, VectorPredicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(tile);
    __syncthreads();
    if (first_warp) {
        const unsigned int total = counts.total();
        if (lane_id() == 0)
            publish_count(args, blockIdx.x, tag << COUNT_BITS | total);
    }
    StableRank<U, THREADS, Tuning::VECTORS> rank(tile, counts);
    if (first_warp) {
        const uint64_t before = gather(args, tag, rank.total);
        if (lane_id() == 0)
            position = before;
    }
    place_tile<Tuning>(args, position, staged, tile, rank);
}

/* One kernel for each size of tile. */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResidentSmall<U>::THREADS)
    tile_resident_small(const __grid_constant__ winnow__args args) {
    tile_resident<U, KIND, TileResidentSmall<U>>(args);
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResidentTiny<U>::THREADS)
    tile_resident_tiny(const __grid_constant__ winnow__args args) {
    tile_resident<U, KIND, TileResidentTiny<U>>(args);
}

} // namespace winnow

#define ENTRY_OF(KERNEL, TUNING, U, KIND)                                      \
    {                                                                          \
        WINNOW__STUB(KERNEL, U, KIND), TUNING<U>::THREADS,                     \
            TUNING<U>::TILE_BYTES, 0                                           \
    }

#define SMALL(U, KIND)                                                         \
    ENTRY_OF(winnow::tile_resident_small, winnow::TileResidentSmall, U, KIND)
WINNOW__TABLE(winnow__tile_resident_small, SMALL);

#define TINY(U, KIND)                                                          \
    ENTRY_OF(winnow::tile_resident_tiny, winnow::TileResidentTiny, U, KIND)
WINNOW__TABLE(winnow__tile_resident_tiny, TINY);
