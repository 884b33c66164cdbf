/*
 * count_if: how many elements pass. Every block goes through many tiles and
 * adds what it found to the cursor once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "load.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256, VECTORS = 4;

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    count(const __grid_constant__ winnow__args args) {
    using TileType = Tile<U, THREADS, VECTORS>;
    const Input<U> input(args);
    const VectorPredicate<U, KIND> test(args.test);
    uint64_t kept = 0;
    for (uint64_t tile = blockIdx.x; tile * TileType::ITEMS < input.end;
         tile += gridDim.x) {
        TileType loaded;
        loaded.load(input, tile, test);
        kept += loaded.kept();
    }
#pragma unroll
    for (unsigned int step = WARP / 2; step != 0; step /= 2)
        kept += __shfl_xor_sync(ALL_LANES, kept, step);
    __shared__ uint64_t warps[THREADS / WARP];
    if (lane_id() == 0)
        warps[warp_id()] = kept;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned int i = 1; i < THREADS / WARP; i++)
            kept += warps[i];
        if (kept != 0)
            atomicAdd(&args.cursor->survivors, kept);
    }
    finish(args);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::count, U, KIND, winnow::THREADS, 0, 0, 0)
WINNOW__TABLE(winnow__count, ENTRY);
