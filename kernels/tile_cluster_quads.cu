/*
 * WINNOW_TILE_SCAN as in tile_cluster.cu, for elements of one byte, when there
 * are many to a block: by quads (quad.cuh). Survivors are staged while the
 * counts are on their way.
 *
 * In place is safe for the same reason.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "cluster.cuh"
#include "lineup.cuh"
#include "overlap.cuh"
#include "quad.cuh"
#include "rank.cuh"
#include "table.cuh"

namespace winnow {

template <winnow__test_kind KIND>
__global__ void __launch_bounds__(QuadTile<KIND>::THREADS)
    tile_cluster_quads(const __grid_constant__ winnow__args args) {
    constexpr unsigned int THREADS = QuadTile<KIND>::THREADS;
    constexpr unsigned int ITEMS = QuadTile<KIND>::ITEMS;
    __shared__ __align__(16) uint8_t staged[ITEMS];
    __shared__ WarpCounts<THREADS> counts;
    __shared__ QuadTable table;
    __shared__ Told told;

    wait_for_stream();
    QuadTile<KIND> tile;
    tile.fetch(args, blockIdx.x);
    told.expect();
    fetch_arguments(args);
    uint32_t ear = 0;
    if (warp_id() == 0)
        ear = told.find(args);
    if (threadIdx.x >= THREADS - QuadTable::ENTRIES)
        table.make(threadIdx.x - (THREADS - QuadTable::ENTRIES));
    tile.test(PackedPredicate<uint8_t, KIND>(args.test));
    counts.write(tile.kept());
    __syncthreads();
    const unsigned int total = counts.total(), before = counts.before();
    told.wait_for_others();
    if (warp_id() == 0)
        Told::tell(ear, total);
    tile.stage(staged, table, before);
    const unsigned int position = told.hear();
    __syncthreads();
    const Lineup<THREADS, ITEMS> survivors(staged, total);
    let_next_begin();
    if (args.capacity >= position + total)
        survivors.put(static_cast<uint8_t *>(args.out) + position);
    else
        place_staged<uint8_t, THREADS>(args, position, staged, total);
    if (blockIdx.x == args.blocks - 1 && threadIdx.x == 0)
        *args.count = position + total;
    tell_strategy(args);
}

} // namespace winnow

#define QUADS(KIND)                                                            \
    WINNOW__ROW(winnow::QuadTile<KIND>::THREADS,                               \
                winnow::QuadTile<KIND>::ITEMS, winnow::QUAD, 0,                \
                winnow::tile_cluster_quads<KIND>)

/* Of elements of one byte alone. */
extern "C" const winnow__kernel winnow__tile_cluster_quads[WINNOW__SIZES]
                                                          [WINNOW__TEST_KINDS];
const winnow__kernel
    winnow__tile_cluster_quads[WINNOW__SIZES][WINNOW__TEST_KINDS] = {
        {QUADS(WINNOW__INTERVAL), {}, QUADS(WINNOW__BITS)}};
