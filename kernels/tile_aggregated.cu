/*
 * WINNOW_TILE_AGGREGATED: one atomic on the cursor per tile.
 *
 * The tile is large, since one address takes only so many atomics per second;
 * and nothing waits for the atomic: while it is under way the survivors are
 * staged in shared memory, in the order of their ranks, and when the place is
 * known they are written out in whole lines.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "arguments.cuh"
#include "cursor.cuh"
#include "hold.cuh"
#include "overlap.cuh"
#include "place.cuh"
#include "ptx.cuh"
#include "row.cuh"
#include "table.cuh"
#include "tuning.cuh"
#include "words.cuh"

namespace winnow {

/* By one thread of the block: where its survivors go. */
__device__ __forceinline__ uint64_t take_tile(const winnow__args &args,
                                              unsigned int survivors) {
    const Places places = take_places<WINNOW__SURVIVOR_BITS>(args, survivors);
    if (places.last)
        *args.count = places.first + survivors;
    return places.first;
}

/* Shared memory to stage a tile in. */
template <class U, class Tuning>
struct Stage {
    alignas(16) U items[Tuning::TILE_BYTES / sizeof(U)];

    __device__ __forceinline__ void prepare() {
    }

    template <class TileType, class Rank>
    __device__ __forceinline__ void put(const TileType &tile, Rank &rank) {
        stage<Tuning>(items, tile, rank);
    }
};

template <class Tuning>
struct Stage<uint8_t, Tuning> {
    alignas(16) uint8_t items[Tuning::TILE_BYTES];
    Permutations permutations;

    __device__ __forceinline__ void prepare() {
        fetch_permutations<Tuning::THREADS>(permutations);
    }

    template <class TileType, class Rank>
    __device__ __forceinline__ void put(const TileType &tile, Rank &rank) {
        stage_any<Tuning>(items, permutations, tile, rank);
    }
};

/* Bytes have a rank of their own; other elements one that suits the tile. */
template <class U, class TileType, template <class> class Other>
using RankOf =
    std::conditional_t<sizeof(U) == 1, WordRank<TileType>, Other<TileType>>;

template <class U, winnow__test_kind KIND, class Tuning,
          template <class> class Other>
__device__ __forceinline__ void aggregate_tile(const winnow__args &args) {
    using TileType = Tile<U, Tuning::THREADS, Tuning::VECTORS>;
    using Rank = RankOf<U, TileType, Other>;
    WINNOW__SHARED(staged, Stage<U, Tuning>);
    WINNOW__SHARED(counts, WarpCounts<Tuning::THREADS>);
    WINNOW__SHARED(position, uint64_t);

    wait_for_input(args);
    tell_strategy(args);
    TileType tile;
    const Input<U> input(args);
    tile.fetch(input, blockIdx.x);
    fetch_arguments(args);
    staged.prepare();
    tile.test(input, blockIdx.x, VectorPredicate<U, KIND>(args.test));
    let_next_begin_early(args);
    counts.write(sum(Rank::weight(tile)));
    __syncthreads();
    const unsigned int total = Rank::survivors(counts.total());
    if (threadIdx.x == 0)
        position = take_tile(args, total);
    if (total == 0)
        return;
    Rank rank(tile, counts);
    staged.put(tile, rank);
    __syncthreads();
    place_staged<U, Tuning::THREADS>(args, position, staged.items, total);
}

/* One kernel for each size of tile. */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileAggregated<U>::THREADS,
                                  resident(TileAggregated<U>::THREADS,
                                           TileAggregated<U>::BLOCKS))
    tile_aggregated_large(const __grid_constant__ winnow__args args) {
    aggregate_tile<U, KIND, TileAggregated<U>, ThreadRank>(args);
}

/* With an even number of vectors, a thread's survivors one after the other
   would be in the same two banks as its neighbours': row by row. (Of bytes the
   lanes take turns.) */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileAggregatedMedium<U>::THREADS)
    tile_aggregated_medium(const __grid_constant__ winnow__args args) {
    aggregate_tile<U, KIND, TileAggregatedMedium<U>, StableRank>(args);
}

template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(TileAggregatedSmall<U>::THREADS)
    tile_aggregated_small(const __grid_constant__ winnow__args args) {
    aggregate_tile<U, KIND, TileAggregatedSmall<U>, StableRank>(args);
}

template <class U, winnow__test_kind KIND, unsigned int ROWS,
          unsigned int THREADS>
__global__ void __launch_bounds__(THREADS)
    tile_aggregated_rows(const __grid_constant__ winnow__args args) {
    using TileType = RowTile<U, ROWS, THREADS>;
    WINNOW__SHARED(own, WarpCounts<THREADS>);
    WINNOW__SHARED(position, uint64_t);

    wait_for_stream();
    TileType tile;
    tile.fetch(args, blockIdx.x);
    WarpCounts<THREADS> &counts = at_hand(own);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    tile.test(Predicate<U, KIND>(args.test));
    let_next_begin_early(args);
    counts.write(tile.kept());
    __syncthreads();
    if (warp_id() == 0) {
        /* The atomic is waited for longer than this: which is better depends
         * on the registers that they take (bench/NOTES.md). */
        unsigned int total;
        if constexpr (TileType::MANY)
            total = counts.total_soon();
        else
            total = counts.total();
        if (threadIdx.x == 0)
            position = take_tile(args, total);
    }
    tile.rank(counts.before());
    __syncthreads();
    let_next_begin();
    tile.put(args, static_cast<unsigned int>(position));
    tell_strategy(args);
}

} // namespace winnow

#define ROW(KERNEL, TUNING, U, KIND)                                           \
    WINNOW__ROW(winnow::TUNING<U>::THREADS, winnow::TUNING<U>::TILE_BYTES, 16, \
                0, winnow::KERNEL<U, KIND>)

#define LARGE(U, KIND) ROW(tile_aggregated_large, TileAggregated, U, KIND)
WINNOW__TABLE(winnow__tile_aggregated_large, LARGE);

#define MEDIUM(U, KIND)                                                        \
    ROW(tile_aggregated_medium, TileAggregatedMedium, U, KIND)
WINNOW__TABLE(winnow__tile_aggregated_medium, MEDIUM);

#define SMALL(U, KIND) ROW(tile_aggregated_small, TileAggregatedSmall, U, KIND)
WINNOW__TABLE(winnow__tile_aggregated_small, SMALL);

#define ROWS(U, KIND, ROWS, THREADS)                                           \
    WINNOW__ROW_TILES(                                                         \
        U, ROWS, THREADS,                                                      \
        winnow::tile_aggregated_rows<U, KIND, ROWS, winnow::THREADS>)

#define ROWS_2(U, KIND) ROWS(U, KIND, 2, MANY_ROW_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_rows_2, ROWS_2);
#define ROWS_8(U, KIND) ROWS(U, KIND, 8, ROW_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_rows_8, ROWS_8);
#define ROWS_16(U, KIND) ROWS(U, KIND, 16, ROW_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_rows_16, ROWS_16);
