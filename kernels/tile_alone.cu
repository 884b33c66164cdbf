/*
 * An input of a single tile: one block, which meets no other. It is in order,
 * so that WINNOW_TILE_SCAN and WINNOW_TILE_AGGREGATED are the same here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "overlap.cuh"
#include "rank.cuh"
#include "row.cuh"
#include "table.cuh"

namespace winnow {

constexpr unsigned int ROWS = 4;

template <class U, winnow__test_kind KIND, unsigned int THREADS>
__global__ void __launch_bounds__(THREADS)
    tile_alone(const __grid_constant__ winnow__args args) {
    __shared__ WarpCounts<THREADS> counts;

    wait_for_stream();
    RowTile<U, THREADS, ROWS> tile;
    tile.fetch(args, 0);
    fetch_arguments(args);
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(tile.kept());
    __syncthreads();
    tile.rank(counts.before());
    tile.put(args, 0);
    if (warp_id() == 0) {
        const unsigned int total = counts.total();
        if (threadIdx.x == 0)
            *args.count = total;
    }
    tell_strategy(args);
}

} // namespace winnow

/* The fewer threads, the sooner the block begins and the sooner it ends. */
#define ROW(U, KIND, THREADS)                                                  \
    WINNOW__ROW_TILES(U, THREADS, winnow::ROWS,                                \
                      winnow::tile_alone<U, KIND, THREADS>)

#define ROW_256(U, KIND) ROW(U, KIND, 256)
WINNOW__TABLE(winnow__tile_alone_256, ROW_256);
#define ROW_512(U, KIND) ROW(U, KIND, 512)
WINNOW__TABLE(winnow__tile_alone_512, ROW_512);
