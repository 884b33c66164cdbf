/*
 * WINNOW_TILE_SCAN for as many tiles as a cluster has blocks: every block
 * writes the count of its tile into the shared memory of the later ones. No
 * memory is needed, and nothing is left behind.
 *
 * In place is safe: no survivor of a tile is written before all tiles ahead of
 * it were loaded, and none moves towards the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "cluster.cuh"
#include "hold.cuh"
#include "overlap.cuh"
#include "ptx.cuh"
#include "rank.cuh"
#include "row.cuh"
#include "table.cuh"

namespace winnow {

template <class U, winnow__test_kind KIND, unsigned int ROWS>
__global__ void __launch_bounds__(ROW_THREADS)
    tile_cluster(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(own_counts, WarpCounts<ROW_THREADS>);
    WINNOW__SHARED(own_told, Told);

    wait_for_stream();
    RowTile<U, ROWS> tile;
    tile.fetch(args, blockIdx.x);
    own_told.expect();
    WarpCounts<ROW_THREADS> &counts = at_hand(own_counts);
    Told &told = at_hand(own_told);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    const uint32_t ear = told.find(args);
    tile.test(Predicate<U, KIND>(args.test));
    counts.write(tile.kept());
    __syncthreads();
    told.wait_for_others();
    unsigned int total = 0;
    if (warp_id() == 0) {
        total = counts.total_soon();
        told.tell(ear, total);
    }
    tile.rank(counts.before());
    tell_strategy(args);
    let_next_begin(); /* ptxas does not put off the ranks any further */
    const unsigned int position = told.hear();
    tile.put(args, position);
    if (blockIdx.x == args.blocks - 1 && threadIdx.x == 0)
        *args.count = position + total;
}

} // namespace winnow

#define ROW(U, KIND, ROWS)                                                     \
    WINNOW__ROW_TILES(U, ROWS, ROW_THREADS, winnow::tile_cluster<U, KIND, ROWS>)

#define ROWS_2(U, KIND) ROW(U, KIND, 2)
WINNOW__TABLE(winnow__tile_cluster_2, ROWS_2);
#define ROWS_4(U, KIND) ROW(U, KIND, 4)
WINNOW__TABLE(winnow__tile_cluster_4, ROWS_4);
#define ROWS_8(U, KIND) ROW(U, KIND, 8)
WINNOW__TABLE(winnow__tile_cluster_8, ROWS_8);
#define ROWS_16(U, KIND) ROW(U, KIND, 16)
WINNOW__TABLE(winnow__tile_cluster_16, ROWS_16);
