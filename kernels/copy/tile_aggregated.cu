/*
 * WINNOW_TILE_AGGREGATED: one atomic on the cursor per tile.
 *
 * Tiles are large, since one address takes a limited number of atomics per
 * second. The block does not wait for the atomic at once: meanwhile it stages
 * survivors in shared memory, in the order of their ranks. When the offset is
 * known, it writes them in whole lines. For small inputs survivors are not
 * staged.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/cursor.cuh"
#include "kernels/tile/striped.cuh"

namespace winnow::copy {

using namespace tile;

/* The offset of a tile's survivors. One thread of each block with a tile calls
 * this. */
__device__ __forceinline__ uint64_t take_tile(const winnow__args &args,
                                              unsigned int survivors,
                                              uint64_t blocks) {
    const Offsets offsets =
        take_offsets<WINNOW__SURVIVOR_BITS>(args.cursor, survivors, blocks);
    if (offsets.last)
        store_count(args, offsets.first + survivors);
    return offsets.first;
}

template <class Select, class Sink, class Tuning,
          template <class> class AnyRank>
__device__ __forceinline__ void aggregate_tile(const winnow__args &args) {
    using TileType = Tile<Select, Tuning::THREADS, Tuning::VECTORS>;
    using Rank =
        typename Stage<Sink, Tuning>::template RankOf<TileType, AnyRank>;
    WINNOW__SHARED(staged, Stage<Sink, Tuning>);
    WINNOW__SHARED(counts, WarpCounts<Tuning::THREADS>);
    WINNOW__SHARED(offset, uint64_t);

    if (is_passed_over(args))
        return;
    wait_for_input(args);
    report_strategy(args);
    TileType tile;
    const Source<Select> source(args);
    /* If the number of items is in device memory, there are blocks for args.n
     * items. */
    const bool may_be_behind = args.items != nullptr;
    if (may_be_behind && TileType::is_behind(source, blockIdx.x))
        return;
    tile.fetch(source, blockIdx.x);
    staged.prepare();
    tile.test(source, blockIdx.x);
    trigger_dependents_early(args);
    counts.write(sum(Rank::weight(tile)));
    __syncthreads();
    const unsigned int total = Rank::survivors(counts.total());
    if (threadIdx.x == 0)
        offset = take_tile(
            args, total, may_be_behind ? TileType::number(source) : gridDim.x);
    if (total == 0)
        return;
    Rank rank(tile, counts);
    staged.put(tile, rank);
    __syncthreads();
    Sink::template scatter_staged<Tuning::THREADS>(
        args, offset, TileType::first_index(source, blockIdx.x), staged.items,
        total);
}

/* One kernel for each size of tile. */
template <class Select, class Sink>
__global__ void __launch_bounds__(TileAggregated<Sink>::THREADS,
                                  resident(TileAggregated<Sink>::THREADS,
                                           TileAggregated<Sink>::BLOCKS))
    tile_aggregated_large(const __grid_constant__ winnow__args args) {
    aggregate_tile<Select, Sink, TileAggregated<Sink>, ThreadRank>(args);
}

/* Survivors are staged row by row: with an even number of vectors, threads that
   staged their survivors together would all write to two banks. (Bytes have a
   skew.) */
template <class Select, class Sink>
__global__ void __launch_bounds__(TileAggregatedMedium<Sink>::THREADS)
    tile_aggregated_medium(const __grid_constant__ winnow__args args) {
    aggregate_tile<Select, Sink, TileAggregatedMedium<Sink>, StableRank>(args);
}

template <class Select, class Sink, unsigned int PER_THREAD,
          unsigned int THREADS>
__global__ void __launch_bounds__(THREADS)
    tile_aggregated_striped(const __grid_constant__ winnow__args args) {
    using TileType = StripedTile<Select, PER_THREAD, THREADS>;
    WINNOW__SHARED(counts, WarpCounts<THREADS>);
    WINNOW__SHARED(offset, uint64_t);

    wait_for_stream();
    TileType tile;
    if (!tile.fetch(args, blockIdx.x))
        return;
    fetch_arguments(args);
    tile.fetch_capacity(args);
    tile.test(args);
    trigger_dependents_early(args);
    counts.write(tile.kept());
    __syncthreads();
    if (warp_id() == 0) {
        /* Waiting for the atomic takes longer than either sum; their use of
         * registers decides which is faster (bench/NOTES.md). */
        unsigned int total;
        if constexpr (TileType::MANY)
            total = counts.total_soon();
        else
            total = counts.total();
        if (threadIdx.x == 0)
            offset = take_tile(args, total, gridDim.x);
    }
    tile.rank(counts.before());
    __syncthreads();
    trigger_dependents();
    tile.template scatter<Sink>(args, blockIdx.x,
                                static_cast<unsigned int>(offset));
    report_strategy(args);
}

} // namespace winnow::copy

#define STAGED(KERNEL, TUNING, U, KIND, SINK)                                  \
    WINNOW__ENTRY(                                                             \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::THREADS,                  \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::TILE_BYTES, 16, 0,        \
        winnow::copy::KERNEL<winnow::Compare<U, KIND>, winnow::copy::SINK<U>>)

#define LARGE(U, KIND)                                                         \
    STAGED(tile_aggregated_large, TileAggregated, U, KIND, Values)
WINNOW__TABLE(winnow__tile_aggregated_large, WINNOW__EACH_KIND(LARGE));

#define MEDIUM(U, KIND)                                                        \
    STAGED(tile_aggregated_medium, TileAggregatedMedium, U, KIND, Values)
WINNOW__TABLE(winnow__tile_aggregated_medium, WINNOW__EACH_KIND(MEDIUM));

#define STRIPED(U, KIND, SINK, PER_THREAD, THREADS)                            \
    WINNOW__STRIPED_ENTRY(U, PER_THREAD, THREADS,                              \
                          winnow::copy::tile_aggregated_striped<               \
                              winnow::Compare<U, KIND>, winnow::copy::SINK<U>, \
                              PER_THREAD, winnow::copy::THREADS>)

#define BY_2(U, KIND) STRIPED(U, KIND, Values, 2, MANY_STRIPED_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_striped_2, WINNOW__ANY_KIND(BY_2));
#define BY_8(U, KIND) STRIPED(U, KIND, Values, 8, STRIPED_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_striped_8, WINNOW__ANY_KIND(BY_8));
/* Elements of other sizes have the limit of 8 items (shapes.h). */
#define BY_16(U, KIND) STRIPED(U, KIND, Values, 16, STRIPED_THREADS)
WINNOW__TABLE(winnow__tile_aggregated_striped_16, WINNOW__NO_ROW,
              WINNOW__ROW_OF_ANY(BY_16, uint16_t), WINNOW__NO_ROW,
              WINNOW__NO_ROW);

#define INDICES(U, KIND)                                                       \
    STAGED(tile_aggregated_large, TileAggregated, U, KIND, Indices)
WINNOW__TABLE(winnow__index_aggregated, WINNOW__ANY_KIND(INDICES));
