/*
 * WINNOW_SHARED_ATOMIC: one shared-memory atomic per survivor, one atomic on
 * the cursor per block.
 *
 * The shared-memory filter of A. Adinetz, "CUDA Pro Tip: Optimized Filtering
 * with Warp-Aggregated Atomics" (2014, 2017); survivors wait for their place in
 * shared memory instead of registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "load.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    shared_atomic(const __grid_constant__ winnow__args args) {
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
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
            if (tile.keep[k] >> i & 1)
                staged.items[atomicAdd(&count, 1u)] =
                    item<U>(tile.vector[k], i);
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
                winnow::shared_atomic<U, KIND>)
WINNOW__TABLE(winnow__shared_atomic, ENTRY);
