/*
 * count_if: how many elements pass. A block goes through many tiles, or has one
 * of a small input, and adds what it found to the cursor once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "load.cuh"
#include "overlap.cuh"
#include "ptx.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256;
constexpr unsigned int BLOCKS = WINNOW__COUNT_BLOCKS;

/* Its blocks are few, so that nearly all of the cursor is there to count
 * survivors: no array is too large. */
constexpr unsigned int COUNT_BITS = 52;

/* The sum of `kept` over the block, in its thread 0. */
__device__ __forceinline__ uint64_t block_sum(uint64_t kept) {
    using Warps = uint64_t[THREADS / WARP];
    WINNOW__SHARED(warps, Warps);
#pragma unroll
    for (unsigned int step = WARP / 2; step != 0; step /= 2)
        kept += __shfl_xor_sync(ALL_LANES, kept, step);
    if (lane_id() == 0)
        warps[warp_id()] = kept;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned int i = 1; i < THREADS / WARP; i++)
            kept += warps[i];
    return kept;
}

template <class U, winnow__test_kind KIND, unsigned int VECTORS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count(const __grid_constant__ winnow__args args) {
    using TileType = Tile<U, THREADS, VECTORS>;

    wait_for_input(args);
    const Input<U> input(args);
    const VectorPredicate<U, KIND> test(args.test);
    uint64_t kept = 0;
    for (uint64_t tile = blockIdx.x; tile * TileType::ITEMS < input.end;
         tile += gridDim.x) {
        TileType loaded;
        loaded.load(input, tile, test);
        kept += loaded.kept();
    }
    let_next_begin();
    kept = block_sum(kept);
    if (threadIdx.x != 0)
        return;
    const Places places = take_any_places<COUNT_BITS>(args, kept);
    if (places.last)
        *args.count = places.first + kept;
}

} // namespace winnow

#define ROW(U, KIND, VECTORS)                                                  \
    WINNOW__ROW(winnow::THREADS, winnow::THREADS *VECTORS * 16, 16, 0,         \
                winnow::count<U, KIND, VECTORS>)

#define SMALL(U, KIND) ROW(U, KIND, 1)
WINNOW__TABLE(winnow__count_small, SMALL);
#define MEDIUM(U, KIND) ROW(U, KIND, 4)
WINNOW__TABLE(winnow__count_medium, MEDIUM);
#define LARGE(U, KIND) ROW(U, KIND, 8)
WINNOW__TABLE(winnow__count_large, LARGE);
