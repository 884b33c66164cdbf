/*
 * An input of a single tile: one block, which meets no other. It is in order,
 * so that WINNOW_TILE_SCAN and WINNOW_TILE_AGGREGATED are the same here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "hold.cuh"
#include "overlap.cuh"
#include "ptx.cuh"
#include "rank.cuh"
#include "row.cuh"
#include "table.cuh"

namespace winnow {

template <class U, winnow__test_kind KIND, unsigned int ROWS>
__global__ void __launch_bounds__(MANY_ROW_THREADS)
    tile_alone(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(own, WarpCounts<MANY_ROW_THREADS>);

    wait_for_stream();
    RowTile<U, ROWS, MANY_ROW_THREADS> tile;
    tile.fetch(args, 0);
    WarpCounts<MANY_ROW_THREADS> &counts = at_hand(own);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(tile.kept());
    __syncthreads();
    const unsigned int before = counts.before();
    tile.rank(before);
    tile.put(args, 0);
    if (threadIdx.x == MANY_ROW_THREADS - 1) /* of the last warp */
        *args.count = before + tile.kept();
    tell_strategy(args);
}

} // namespace winnow

#define ROW(U, KIND, ROWS)                                                     \
    WINNOW__ROW_TILES(U, ROWS, MANY_ROW_THREADS,                               \
                      winnow::tile_alone<U, KIND, ROWS>)

#define ROWS_2(U, KIND) ROW(U, KIND, 2)
WINNOW__TABLE(winnow__tile_alone_2, ROWS_2);
#define ROWS_4(U, KIND) ROW(U, KIND, 4)
WINNOW__TABLE(winnow__tile_alone_4, ROWS_4);
