/*
 * An input of a single tile: one block, which exchanges nothing. The output is
 * stable, and so WINNOW_TILE_SCAN and WINNOW_TILE_AGGREGATED are the same here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/tile/striped.cuh"

namespace winnow::copy {

using namespace tile;

template <class Select, class Sink, unsigned int PER_THREAD>
__global__ void __launch_bounds__(MANY_STRIPED_THREADS)
    single_block(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(counts, WarpCounts<MANY_STRIPED_THREADS>);

    wait_for_stream();
    StripedTile<Select, PER_THREAD, MANY_STRIPED_THREADS> tile;
    if (!tile.fetch(args, 0))
        return;
    fetch_arguments(args);
    tile.fetch_capacity(args);
    tile.test(args);
    trigger_dependents();
    counts.write(tile.kept());
    __syncthreads();
    const unsigned int before = counts.before();
    tile.rank(before);
    tile.template scatter<Sink>(args, 0, 0);
    if (threadIdx.x == MANY_STRIPED_THREADS - 1) /* in the last warp */
        store_count(args, before + tile.kept());
    report_strategy(args);
}

} // namespace winnow::copy

#define ENTRY(U, KIND, SINK, PER_THREAD)                                       \
    WINNOW__STRIPED_ENTRY(                                                     \
        U, PER_THREAD, MANY_STRIPED_THREADS,                                   \
        winnow::copy::single_block<winnow::Compare<U, KIND>,                   \
                                   winnow::copy::SINK<U>, PER_THREAD>)

#define BY_2(U, KIND) ENTRY(U, KIND, Values, 2)
WINNOW__TABLE(winnow__single_block_2, WINNOW__ANY_KIND(BY_2));
#define BY_4(U, KIND) ENTRY(U, KIND, Values, 4)
WINNOW__TABLE(winnow__single_block_4, WINNOW__ANY_KIND(BY_4));
#define INDICES(U, KIND) ENTRY(U, KIND, Indices, 4)
WINNOW__TABLE(winnow__index_single_block, WINNOW__ANY_KIND(INDICES));
