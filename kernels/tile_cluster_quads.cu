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
#include "hold.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "quad.cuh"
#include "rank.cuh"
#include "table.cuh"

namespace winnow {

struct QuadsShared {
    alignas(16) uint8_t staged[QUAD_ITEMS];
    WarpCounts<QUAD_THREADS> counts;
    QuadTable table;
    Told told;
};

template <winnow__test_kind KIND, bool WHOLE>
__global__ void __launch_bounds__(QUAD_THREADS)
    tile_cluster_quads(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(own, QuadsShared);

    wait_for_stream();
    QuadTile<KIND, WHOLE> tile;
    tile.fetch(args, blockIdx.x);
    QuadsShared &shared = at_hand(own);
    shared.told.expect();
    fetch_arguments(args);
    uint32_t ear = 0;
    if (warp_id() == 0)
        ear = shared.told.find(args);
    if (threadIdx.x >= QUAD_THREADS - QuadTable::ENTRIES)
        shared.table.make(threadIdx.x - (QUAD_THREADS - QuadTable::ENTRIES));
    tile.test(PackedPredicate<uint8_t, KIND>(args.test));
    shared.counts.write(tile.kept());
    __syncthreads();
    shared.told.wait_for_others();
    const unsigned int total = shared.counts.total_soon();
    if (warp_id() == 0)
        shared.told.tell(ear, total);
    tile.stage(shared.staged, shared.table, shared.counts.before());
    tell_strategy(args);
    __syncthreads();
    let_next_begin();
    const unsigned int position = shared.told.hear();
    place_staged<uint8_t, QUAD_THREADS, uint2>(args, position, shared.staged,
                                               total);
    /* The first warps may have one vector more to write, the last has the
     * ends. */
    if (blockIdx.x == args.blocks - 1 && threadIdx.x == QUAD_THREADS / 2)
        *args.count = position + total;
}

} // namespace winnow

#define QUADS(...)                                                             \
    WINNOW__ROW(winnow::QUAD_THREADS, winnow::QUAD_ITEMS, winnow::QUAD, 0,     \
                winnow::tile_cluster_quads<__VA_ARGS__>)

/* As WINNOW__TABLE, of elements of one byte alone. */
#define TABLE(NAME, WHOLE)                                                     \
    extern "C" const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS];   \
    const winnow__kernel NAME[WINNOW__SIZES][WINNOW__TEST_KINDS] = {           \
        {QUADS(WINNOW__INTERVAL, WHOLE), {}, QUADS(WINNOW__BITS, WHOLE)}}

TABLE(winnow__tile_cluster_quads, false);
TABLE(winnow__tile_cluster_quads_whole, true);
