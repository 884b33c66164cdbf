/*
 * WINNOW_TILE_SCAN for inputs of few tiles: one launch, and nothing to clear.
 * Every block tells all later ones the count of its tile (told.cuh).
 *
 * The tiles are as many as the device has room for at once. All that depends on
 * it is the time; but in place it is relied on: there the host asks how many
 * blocks can be resident together, and the launch is a cooperative one, which
 * is refused otherwise; then tile_scan.cuh does the work.
 *
 * In place is safe then: a tile's place is known only when every tile before it
 * has been counted, that is, loaded; and no survivor moves towards the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "hold.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "row.cuh"
#include "stage.cuh"
#include "table.cuh"
#include "told.cuh"
#include "tuning.cuh"

namespace winnow {

template <class U, winnow__test_kind KIND, class Tuning>
__device__ __forceinline__ void scan_tile(const winnow__args &args) {
    using TileType = Tile<U, Tuning::THREADS, Tuning::VECTORS>;
    WINNOW__DYNAMIC_SHARED(stage_bytes);
    U *const staged = reinterpret_cast<U *>(stage_bytes);
    WINNOW__SHARED(counts, WarpCounts<Tuning::THREADS>);
    WINNOW__SHARED(told, ToldByAll);

    wait_for_stream();
    tell_strategy(args);
    const Input<U> input(args);
    TileType tile;
    tile.fetch(input, blockIdx.x);
    if (threadIdx.x == 0)
        told.expect(args);
    tile.test(input, blockIdx.x, VectorPredicate<U, KIND>(args.test));
    let_next_begin_early(args);
    counts.write(sum(tile.kept()));
    __syncthreads();
    if (warp_id() < 2)
        told.tell(args, told.find(args), counts.total());
    StableRank<TileType> rank(tile, counts);
    if (threadIdx.x == 0)
        told.hear(args);
    stage<Tuning>(staged, tile, rank);
    __syncthreads();
    const unsigned int position = told.position<U, KIND, TileType>(args);
    let_next_begin();
    if (warp_id() == 0)
        told.leave(args, rank.total);
    place_staged<U, Tuning::THREADS>(args, position, staged, rank.total);
}

/* One kernel for each size of tile. */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResident<U>::THREADS)
    tile_resident_small(const __grid_constant__ winnow__args args) {
    scan_tile<U, KIND, TileResident<U>>(args);
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileResidentLarge<U>::THREADS,
                                  resident(TileResidentLarge<U>::THREADS,
                                           TileResidentLarge<U>::BLOCKS))
    tile_resident_large(const __grid_constant__ winnow__args args) {
    scan_tile<U, KIND, TileResidentLarge<U>>(args);
}

struct RowsShared {
    WarpCounts<ROW_THREADS> counts;
    ToldByAll told;
};

template <class U, winnow__test_kind KIND, unsigned int ROWS>
__global__ void __launch_bounds__(ROW_THREADS)
    tile_resident_rows(const __grid_constant__ winnow__args args) {
    WINNOW__SHARED(own, RowsShared);

    wait_for_stream();
    RowTile<U, ROWS> tile;
    tile.fetch(args, blockIdx.x);
    RowsShared &shared = at_hand(own);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    if (threadIdx.x == 0)
        shared.told.expect(args);
    uint32_t *word = shared.told.find(args);
    hold(word);
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin_early(args);
    shared.counts.write(tile.kept());
    __syncthreads();
    unsigned int total = 0;
    if (warp_id() < 2) {
        total = shared.counts.total_soon();
        shared.told.tell(args, word, total);
    }
    tile.rank(shared.counts.before());
    tell_strategy(args);
    if (threadIdx.x == 0)
        shared.told.hear(args);
    __syncthreads();
    const unsigned int position =
        shared.told.position<U, KIND, RowTile<U, ROWS>>(args);
    let_next_begin();
    tile.put(args, position);
    if (warp_id() == 0)
        shared.told.leave(args, total);
}

} // namespace winnow

#define STAGED(KERNEL, TUNING, U, KIND)                                        \
    WINNOW__ROW(winnow::TUNING<U>::THREADS, winnow::TUNING<U>::TILE_BYTES, 16, \
                winnow::TUNING<U>::TILE_BYTES, winnow::KERNEL<U, KIND>)

#define SMALL(U, KIND) STAGED(tile_resident_small, TileResident, U, KIND)
WINNOW__TABLE(winnow__tile_resident_small, SMALL);

#define LARGE(U, KIND) STAGED(tile_resident_large, TileResidentLarge, U, KIND)
WINNOW__TABLE(winnow__tile_resident_large, LARGE);

#define ROWS(U, KIND, ROWS)                                                    \
    WINNOW__ROW_TILES(U, ROWS, ROW_THREADS,                                    \
                      winnow::tile_resident_rows<U, KIND, ROWS>)

#define ROWS_4(U, KIND) ROWS(U, KIND, 4)
WINNOW__TABLE(winnow__tile_resident_rows_4, ROWS_4);
#define ROWS_8(U, KIND) ROWS(U, KIND, 8)
WINNOW__TABLE(winnow__tile_resident_rows_8, ROWS_8);
#define ROWS_16(U, KIND) ROWS(U, KIND, 16)
WINNOW__TABLE(winnow__tile_resident_rows_16, ROWS_16);
