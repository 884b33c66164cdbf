/*
 * WINNOW_GLOBAL_ATOMIC: one atomic on the cursor per survivor.
 *
 * The plain filter of A. Adinetz, "CUDA Pro Tip: Optimized Filtering with
 * Warp-Aggregated Atomics" (2014, 2017). What becomes of the atomics is the
 * compiler's business: see winnow_strategies(7).
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
    global_atomic(const __grid_constant__ winnow__args args) {
    if (is_passed_over(args))
        return;
    report_strategy(args);
    using TileType = Tile<Select, THREADS, VECTORS>;
    TileType tile;
    const Source<Select> source(args);
    tile.load(source, blockIdx.x);
    const uint64_t first = TileType::first_index(source, blockIdx.x);
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
#pragma unroll
        for (unsigned int i = 0; i < TileType::EACH; i++)
            if (tile.keep[k] >> i & 1)
                Sink::scatter(args, atomicAdd(&args.cursor->survivors, 1ull),
                              item<typename Select::U>(tile.vector[k], i),
                              first + TileType::item_of(k) + i);
    finish(args);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK)                                                   \
    WINNOW__ENTRY(winnow::copy::THREADS,                                       \
                  winnow::copy::THREADS *winnow::copy::VECTORS * 16, 16, 0,    \
                  winnow::copy::global_atomic<winnow::Compare<U, KIND>,        \
                                              winnow::copy::SINK<U>>)
#define VALUES(U, KIND) ENTRY(U, KIND, Values)
WINNOW__TABLE(winnow__global_atomic, WINNOW__ANY_KIND(VALUES));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices)
WINNOW__TABLE(winnow__index_global_atomic, WINNOW__ANY_KIND(INDICES));
