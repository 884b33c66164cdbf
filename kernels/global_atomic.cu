/*
 * WINNOW_GLOBAL_ATOMIC: one atomic on the cursor per survivor.
 *
 * The plain filter of A. Adinetz, "CUDA Pro Tip: Optimized Filtering with
 * Warp-Aggregated Atomics" (2014, 2017). What becomes of the atomics is the
 * compiler's business: see winnow_strategies(7).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "load.cuh"
#include "place.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    global_atomic(const __grid_constant__ winnow__args args) {
    tell_strategy(args);
    Tile<U, THREADS, VECTORS> tile;
    tile.load(Input<U>(args), blockIdx.x, VectorPredicate<U, KIND>(args.test));
#pragma unroll
    for (unsigned int k = 0; k < VECTORS; k++)
#pragma unroll
        for (unsigned int i = 0; i < VECTOR_ITEMS<U>; i++)
            if (tile.keep[k] >> i & 1)
                place(args, atomicAdd(&args.cursor->survivors, 1ull),
                      item<U>(tile.vector[k], i));
    finish(args);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::THREADS, winnow::THREADS *winnow::VECTORS * 16, 16, 0, \
                winnow::global_atomic<U, KIND>)
WINNOW__TABLE(winnow__global_atomic, ENTRY);
