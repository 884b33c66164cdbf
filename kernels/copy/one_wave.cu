/*
 * WINNOW_TILE_SCAN for inputs of few tiles: one launch, and nothing to clear.
 * The blocks exchange the counts of their tiles
 * (kernels/tile/count_exchange.cuh).
 *
 * There are at most as many tiles as blocks that can be resident: one wave.
 * With more tiles a call would only take longer. But calls in place need one
 * wave: for them the host asks how many blocks can be resident together, and
 * the launch is cooperative. If it is refused, tile_scan.cu does the work.
 *
 * In place is safe then: a tile's offset is known only after every earlier tile
 * was counted, and so was loaded; and no survivor moves towards the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/tile/count_exchange.cuh"
#include "kernels/tile/striped.cuh"

namespace winnow::copy {

using namespace tile;

template <class Select, class Sink, class Tuning>
__device__ __forceinline__ void scan_tile(const winnow__args &args) {
    using TileType = Tile<Select, Tuning::THREADS, Tuning::VECTORS>;
    using Staged = typename Sink::Staged;
    WINNOW__DYNAMIC_SHARED(stage_bytes);
    Staged *const staged = reinterpret_cast<Staged *>(stage_bytes);
    WINNOW__SHARED(counts, WarpCounts<Tuning::THREADS>);
    WINNOW__SHARED(exchange, CountExchange);

    wait_for_stream();
    if (is_passed_over(args))
        return;
    report_strategy(args);
    const Source<Select> source(args);
    TileType tile;
    tile.fetch(source, blockIdx.x);
    if (threadIdx.x == 0)
        exchange.prepare(args);
    tile.test(source, blockIdx.x);
    trigger_dependents_early(args);
    counts.write(sum(tile.kept()));
    __syncthreads();
    if (warp_id() < 2)
        exchange.signal(args, exchange.find_word(args), counts.total());
    StableRank<TileType> rank(tile, counts);
    if (threadIdx.x == 0)
        exchange.wait(args);
    Sink::template stage<Tuning>(staged, tile, rank);
    __syncthreads();
    const unsigned int offset = exchange.offset<Select, TileType>(args);
    trigger_dependents();
    if (warp_id() == 0)
        exchange.finish(args, rank.total);
    Sink::template scatter_staged<Tuning::THREADS>(
        args, offset, TileType::first_index(source, blockIdx.x), staged,
        rank.total);
}

/* One kernel for each size of tile. */
template <class Select, class Sink>
__global__ void __launch_bounds__(OneWave<Sink>::THREADS)
    one_wave_small(const __grid_constant__ winnow__args args) {
    scan_tile<Select, Sink, OneWave<Sink>>(args);
}

template <class Select, class Sink>
__global__ void __launch_bounds__(OneWaveLarge<Sink>::THREADS,
                                  resident(OneWaveLarge<Sink>::THREADS,
                                           OneWaveLarge<Sink>::BLOCKS))
    one_wave_large(const __grid_constant__ winnow__args args) {
    scan_tile<Select, Sink, OneWaveLarge<Sink>>(args);
}

struct StripedShared {
    WarpCounts<STRIPED_THREADS> counts;
    CountExchange exchange;
};

template <class Select, class Sink, unsigned int PER_THREAD>
__global__ void __launch_bounds__(STRIPED_THREADS)
    one_wave_striped(const __grid_constant__ winnow__args args) {
    using TileType = StripedTile<Select, PER_THREAD>;
    WINNOW__SHARED(own, StripedShared);

    wait_for_stream();
    TileType tile;
    if (!tile.fetch(args, blockIdx.x))
        return;
    StripedShared &shared = at_hand(own);
    fetch_arguments(args);
    tile.fetch_capacity(args);
    if (threadIdx.x == 0)
        shared.exchange.prepare(args);
    uint32_t *word = shared.exchange.find_word(args);
    hold(word);
    tile.test(args);
    trigger_dependents_early(args);
    shared.counts.write(tile.kept());
    __syncthreads();
    unsigned int total = 0;
    if (warp_id() < 2) {
        total = shared.counts.total_soon();
        shared.exchange.signal(args, word, total);
    }
    tile.rank(shared.counts.before());
    report_strategy(args);
    if (threadIdx.x == 0)
        shared.exchange.wait(args);
    __syncthreads();
    const unsigned int offset =
        shared.exchange.template offset<Select, TileType>(args);
    trigger_dependents();
    tile.template scatter<Sink>(args, blockIdx.x, offset);
    if (warp_id() == 0)
        shared.exchange.finish(args, total);
}

} // namespace winnow::copy

#define STAGED(KERNEL, TUNING, U, KIND, SINK)                                  \
    WINNOW__ENTRY(                                                             \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::THREADS,                  \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::TILE_BYTES, 16,           \
        winnow::copy::TUNING<winnow::copy::SINK<U>>::ITEMS *                   \
            sizeof(winnow::copy::SINK<U>::Staged),                             \
        winnow::copy::KERNEL<winnow::Compare<U, KIND>, winnow::copy::SINK<U>>)

/* The limits of shapes.h exclude the sizes that are left out here. */
#define SMALL(U, KIND) STAGED(one_wave_small, OneWave, U, KIND, Values)
WINNOW__TABLE(winnow__one_wave_small, WINNOW__ROW_OF_BYTES(SMALL),
              WINNOW__ROW_OF(SMALL, uint16_t), WINNOW__ROW_OF(SMALL, uint32_t),
              WINNOW__NO_ROW);

#define LARGE(U, KIND) STAGED(one_wave_large, OneWaveLarge, U, KIND, Values)
WINNOW__TABLE(winnow__one_wave_large, WINNOW__NO_ROW,
              WINNOW__ROW_OF(LARGE, uint16_t), WINNOW__ROW_OF(LARGE, uint32_t),
              WINNOW__ROW_OF(LARGE, uint64_t));

#define STRIPED(U, KIND, SINK, PER_THREAD)                                     \
    WINNOW__STRIPED_ENTRY(                                                     \
        U, PER_THREAD, STRIPED_THREADS,                                        \
        winnow::copy::one_wave_striped<winnow::Compare<U, KIND>,               \
                                       winnow::copy::SINK<U>, PER_THREAD>)

#define BY_4(U, KIND) STRIPED(U, KIND, Values, 4)
WINNOW__TABLE(winnow__one_wave_striped_4, WINNOW__ANY_KIND(BY_4));
#define BY_8(U, KIND) STRIPED(U, KIND, Values, 8)
WINNOW__TABLE(winnow__one_wave_striped_8, WINNOW__ANY_KIND(BY_8));
#define BY_16(U, KIND) STRIPED(U, KIND, Values, 16)
WINNOW__TABLE(winnow__one_wave_striped_16, WINNOW__ANY_KIND(BY_16));

#define INDICES(U, KIND) STAGED(one_wave_small, OneWave, U, KIND, Indices)
WINNOW__TABLE(winnow__index_one_wave, WINNOW__ANY_KIND(INDICES));
