/*
 * WINNOW_WARP_SHARED: one shared-memory atomic per warp, one atomic on the
 * cursor per block.
 *
 * Warp aggregation on top of the shared-memory filter: A. Adinetz, "CUDA Pro
 * Tip: Optimized Filtering with Warp-Aggregated Atomics" (2014, 2017).
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
    warp_shared(const __grid_constant__ winnow__args args) {
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
    const unsigned int kept = sum(tile.kept());
    if (kept != 0) {
        unsigned int before = 0;
        if (lane_id() == 0)
            before = atomicAdd(&count, kept);
        before = __shfl_sync(ALL_LANES, before, 0);
        rank_by_ballot(tile, [&](unsigned int rank, typename Select::U item,
                                 unsigned int local) {
            staged.items[before + rank] = Sink::make(item, local);
        });
    }
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
                  winnow::copy::warp_shared<winnow::Compare<U, KIND>,          \
                                            winnow::copy::SINK<U>>)
#define VALUES(U, KIND) ENTRY(U, KIND, Values)
WINNOW__TABLE(winnow__warp_shared, WINNOW__ANY_KIND(VALUES));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices)
WINNOW__TABLE(winnow__index_warp_shared, WINNOW__ANY_KIND(INDICES));
