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
#include "kernels/core/cursor.cuh"
#include "kernels/core/kernel.cuh"
#include "kernels/tile/sink_values.cuh"

namespace winnow::copy {

using namespace tile;

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class Select, class Sink>
__global__ void __launch_bounds__(THREADS)
    warp_aggregated(const __grid_constant__ winnow__args args) {
    if (is_passed_over(args))
        return;
    report_strategy(args);
    using TileType = Tile<Select, THREADS, VECTORS>;
    TileType tile;
    const Source<Select> source(args);
    tile.load(source, blockIdx.x);
    const unsigned int kept = sum(tile.kept());
    if (kept != 0) {
        const uint64_t first = TileType::first_index(source, blockIdx.x);
        unsigned long long offset = 0;
        if (lane_id() == 0)
            offset = atomicAdd(&args.cursor->survivors, kept);
        offset = __shfl_sync(ALL_LANES, offset, 0);
        rank_by_ballot(tile, [&](unsigned int rank, typename Select::U item,
                                 unsigned int local) {
            Sink::scatter(args, offset + rank, item, first + local);
        });
    }
    finish(args);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK)                                                   \
    WINNOW__ENTRY(winnow::copy::THREADS,                                       \
                  winnow::copy::THREADS *winnow::copy::VECTORS * 16, 16, 0,    \
                  winnow::copy::warp_aggregated<winnow::Compare<U, KIND>,      \
                                                winnow::copy::SINK<U>>)
#define VALUES(U, KIND) ENTRY(U, KIND, Values)
WINNOW__TABLE(winnow__warp_aggregated, WINNOW__ANY_KIND(VALUES));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices)
WINNOW__TABLE(winnow__index_warp_aggregated, WINNOW__ANY_KIND(INDICES));
