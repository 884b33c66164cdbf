/*
 * WINNOW_TILE_SCAN for as many tiles as a cluster has blocks: every block
 * writes the count of its tile into the shared memory of the later ones. No
 * memory is needed, and nothing is left behind.
 *
 * In place is safe: no survivor is written before all tiles were counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cluster.cuh"
#include "cursor.cuh"
#include "overlap.cuh"
#include "rank.cuh"
#include "row.cuh"
#include "table.cuh"

namespace winnow {

template <class U, winnow__test_kind KIND, unsigned int THREADS>
__global__ void __launch_bounds__(THREADS)
    tile_cluster(const __grid_constant__ winnow__args args) {
    __shared__ WarpCounts<THREADS> counts;
    __shared__ unsigned int told[WINNOW__MOST_CLUSTER]; /* by each block */

    wait_for_stream();
    RowTile<U, THREADS> tile;
    tile.fetch(args, blockIdx.x);
    cluster_arrive();
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin();
    counts.write(tile.kept());
    __syncthreads();
    const unsigned int total = counts.total();
    const unsigned int rank = counts.before();
    cluster_wait(); /* all blocks have begun: there is memory to write to */
    if (warp_id() == 0 && lane_id() > blockIdx.x && lane_id() < gridDim.x)
        write_in(lane_id(), &told[blockIdx.x], total);
    cluster_arrive();
    cluster_wait();
    const unsigned int position =
        sum(lane_id() < blockIdx.x ? told[lane_id()] : 0);
    tile.put(args, position, rank);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *args.count = position + total;
    tell_strategy(args);
}

} // namespace winnow

#define ROW(U, KIND, THREADS)                                                  \
    WINNOW__ROW_TILES(U, THREADS, winnow::tile_cluster<U, KIND, THREADS>)

#define ROW_256(U, KIND) ROW(U, KIND, 256)
WINNOW__TABLE(winnow__tile_cluster_256, ROW_256);
#define ROW_512(U, KIND) ROW(U, KIND, 512)
WINNOW__TABLE(winnow__tile_cluster_512, ROW_512);
