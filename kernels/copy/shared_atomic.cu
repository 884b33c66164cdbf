/*
 * WINNOW_SHARED_ATOMIC: one shared-memory atomic per survivor, one atomic on
 * the cursor per block.
 *
 * The shared-memory filter of A. Adinetz, "CUDA Pro Tip: Optimized Filtering
 * with Warp-Aggregated Atomics" (2014, 2017); survivors wait for their offset
 * in shared memory instead of registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/cursor.cuh"
#include "kernels/core/kernel.cuh"
#include "kernels/tile/sink_values.cuh"

namespace winnow::copy {

using namespace tile;

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class Select, class Sink>
__global__ void __launch_bounds__(THREADS)
    shared_atomic(const __grid_constant__ winnow__args args) {
    if (is_passed_over(args))
        return;
    report_strategy(args);
    using TileType = Tile<Select, THREADS, VECTORS>;
    WINNOW__SHARED(staged, StagedItems<Sink, TileType::ITEMS>);
    WINNOW__SHARED(count, unsigned int);
    WINNOW__SHARED(offset, unsigned long long);
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    TileType tile;
    const Source<Select> source(args);
    tile.load(source, blockIdx.x);
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
#pragma unroll
        for (unsigned int i = 0; i < TileType::EACH; i++)
            if (tile.keep[k] >> i & 1)
                staged.items[atomicAdd(&count, 1u)] =
                    Sink::make(item<typename Select::U>(tile.vector[k], i),
                               TileType::item_of(k) + i);
    __syncthreads();
    if (threadIdx.x == 0 && count != 0)
        offset = atomicAdd(&args.cursor->survivors, count);
    __syncthreads();
    if (count != 0)
        Sink::template scatter_staged<THREADS>(
            args, offset, TileType::first_index(source, blockIdx.x),
            staged.items, count);
    finish(args);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK)                                                   \
    WINNOW__ENTRY(winnow::copy::THREADS,                                       \
                  winnow::copy::THREADS *winnow::copy::VECTORS * 16, 16, 0,    \
                  winnow::copy::shared_atomic<winnow::Compare<U, KIND>,        \
                                              winnow::copy::SINK<U>>)
#define VALUES(U, KIND) ENTRY(U, KIND, Values)
WINNOW__TABLE(winnow__shared_atomic, WINNOW__ANY_KIND(VALUES));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices)
WINNOW__TABLE(winnow__index_shared_atomic, WINNOW__ANY_KIND(INDICES));
