/*
 * The filters of A. Adinetz, "CUDA Pro Tip: Optimized Filtering with
 * Warp-Aggregated Atomics" (2014, 2017). WINNOW_GLOBAL_ATOMIC has an atomic on
 * the cursor for each survivor; the compiler may combine these: see
 * winnow_strategies(7). WINNOW_WARP_AGGREGATED has one atomic on the cursor for
 * all of a warp's items. WINNOW_SHARED_ATOMIC and WINNOW_WARP_SHARED have the
 * same atomics on a counter of the block, and one on the cursor for each block;
 * survivors wait for the block's offset in shared memory, not in registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/cursor.cuh"
#include "kernels/tile/sink_values.cuh"

namespace winnow::copy {

using namespace tile;

constexpr unsigned int THREADS = 256, VECTORS = 2;

template <class Select>
using AtomicTile = Tile<Select, THREADS, VECTORS>;

/*
 * Add the survivors of a tile to `counter`, and call visit(number, item, local)
 * for each: `number` were counted before it, and it is item `local` of the
 * tile. BY_WARP: one lane adds for all; ranks are found by ballot and
 * population count.
 */
template <bool BY_WARP, class TileType, class Count, class Visit>
__device__ __forceinline__ void number_survivors(const TileType &tile,
                                                 Count *counter, Visit visit) {
    using U = typename TileType::U;
    if constexpr (BY_WARP) {
        const unsigned int kept = sum(tile.kept());
        if (kept == 0)
            return;
        Count before = 0;
        if (lane_id() == 0)
            before = atomicAdd(counter, kept);
        before = __shfl_sync(ALL_LANES, before, 0);
        rank_by_ballot(tile,
                       [&](unsigned int rank, U item, unsigned int local) {
                           visit(before + rank, item, local);
                       });
    } else {
#pragma unroll
        for (unsigned int k = 0; k < VECTORS; k++)
#pragma unroll
            for (unsigned int i = 0; i < TileType::EACH; i++)
                if (tile.keep[k] >> i & 1)
                    visit(atomicAdd(counter, Count{1}),
                          item<U>(tile.vector[k], i), TileType::item_of(k) + i);
    }
}

template <class Select, class Sink, bool BY_WARP>
__global__ void __launch_bounds__(THREADS)
    count_at_cursor(const __grid_constant__ winnow__args args) {
    if (is_passed_over(args))
        return;
    report_strategy(args);
    AtomicTile<Select> tile;
    const Source<Select> source(args);
    tile.load(source, blockIdx.x);
    const uint64_t first = AtomicTile<Select>::first_index(source, blockIdx.x);
    number_survivors<BY_WARP>(tile, &args.cursor->survivors,
                              [&](unsigned long long offset,
                                  typename Select::U item, unsigned int local) {
                                  Sink::scatter(args, offset, item,
                                                first + local);
                              });
    finish(args);
}

template <class Select, class Sink, bool BY_WARP>
__global__ void __launch_bounds__(THREADS)
    count_in_block(const __grid_constant__ winnow__args args) {
    if (is_passed_over(args))
        return;
    report_strategy(args);
    using TileType = AtomicTile<Select>;
    WINNOW__SHARED(staged, StagedItems<Sink, TileType::ITEMS>);
    WINNOW__SHARED(count, unsigned int);
    WINNOW__SHARED(offset, unsigned long long);
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    TileType tile;
    const Source<Select> source(args);
    tile.load(source, blockIdx.x);
    number_survivors<BY_WARP>(
        tile, &count,
        [&](unsigned int place, typename Select::U item, unsigned int local) {
            staged.items[place] = Sink::make(item, local);
        });
    __syncthreads();
    if (threadIdx.x == 0 && count != 0)
        offset = atomicAdd(&args.cursor->survivors, count);
    __syncthreads();
    if (count != 0)
        Sink::template scatter_staged<THREADS>(
            args, offset, TileType::first_index(source, blockIdx.x),
            staged.items, count);
    finish(args);
}

} // namespace winnow::copy

#define ENTRY(U, SINK, KERNEL, BY_WARP)                                        \
    WINNOW__ENTRY(winnow::copy::THREADS,                                       \
                  winnow::copy::THREADS *winnow::copy::VECTORS * 16, 16, 0,    \
                  winnow::copy::KERNEL<winnow::Compare<U, winnow::ANY>,        \
                                       winnow::copy::SINK<U>, BY_WARP>)
/* The tables of values and of indices. */
#define TABLES(NAME, VALUES, INDICES)                                          \
    WINNOW__TABLE(winnow__##NAME, WINNOW__ANY_KIND(VALUES));                   \
    WINNOW__TABLE(winnow__index_##NAME, WINNOW__ANY_KIND(INDICES))

#define EACH(U, KIND) ENTRY(U, Values, count_at_cursor, false)
#define EACH_INDEX(U, KIND) ENTRY(U, Indices, count_at_cursor, false)
TABLES(global_atomic, EACH, EACH_INDEX);
#define WARP(U, KIND) ENTRY(U, Values, count_at_cursor, true)
#define WARP_INDEX(U, KIND) ENTRY(U, Indices, count_at_cursor, true)
TABLES(warp_aggregated, WARP, WARP_INDEX);
#define STAGED(U, KIND) ENTRY(U, Values, count_in_block, false)
#define STAGED_INDEX(U, KIND) ENTRY(U, Indices, count_in_block, false)
TABLES(shared_atomic, STAGED, STAGED_INDEX);
#define WARP_STAGED(U, KIND) ENTRY(U, Values, count_in_block, true)
#define WARP_STAGED_INDEX(U, KIND) ENTRY(U, Indices, count_in_block, true)
TABLES(warp_shared, WARP_STAGED, WARP_STAGED_INDEX);
