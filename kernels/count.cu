/*
 * count_if: how many elements pass. A block goes through many tiles, or has one
 * of a small input, and adds what it found to the cursor once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "kernel.cuh"
#include "tile.cuh"

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

template <class Select, unsigned int VECTORS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count(const __grid_constant__ winnow__args args) {
    using TileType = Tile<Select, THREADS, VECTORS>;

    wait_for_input(args);
    const Source<Select> source(args);
    uint64_t kept = 0;
    for (uint64_t tile = blockIdx.x; tile * TileType::ITEMS < source.end;
         tile += gridDim.x) {
        TileType loaded;
        loaded.load(source, tile);
        kept += loaded.kept();
    }
    trigger_dependents();
    kept = block_sum(kept);
    if (threadIdx.x != 0)
        return;
    const Offsets offsets = take_any_offsets<COUNT_BITS>(args, kept);
    if (offsets.last)
        *args.sink.count = offsets.first + kept;
}

} // namespace winnow

#define ENTRY(U, KIND, VECTORS)                                                \
    WINNOW__ENTRY(winnow::THREADS, winnow::THREADS *VECTORS * 16, 16, 0,       \
                  winnow::count<winnow::Compare<U, KIND>, VECTORS>)

#define SMALL(U, KIND) ENTRY(U, KIND, 1)
WINNOW__TABLE(winnow__count_small, WINNOW__ANY_KIND(SMALL));
#define MEDIUM(U, KIND) ENTRY(U, KIND, 4)
WINNOW__TABLE(winnow__count_medium, WINNOW__EACH_KIND(MEDIUM));
#define LARGE(U, KIND) ENTRY(U, KIND, 8)
WINNOW__TABLE(winnow__count_large, WINNOW__EACH_KIND(LARGE));
