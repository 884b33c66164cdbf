/*
 * partition_by_key: scatters a chunk tile by tile. Writing pieces that begin or
 * end inside a sector of 32 bytes takes memory twice as long. So whole sectors
 * of items are written. A digit's items that do not fill a sector are held in
 * shared memory until the next tile, where they come first.
 *
 * A scatter consists of
 * - a rank, which gives each item of a tile its place when the tile is sorted
 *   by digit: in the input's order, counted by lanes or warps (lane_rank.cuh,
 *   warp_rank.cuh), or in any order, counted by the block (block_rank.cuh);
 * - places in the output: the chunk's own (own.cuh), or places that blocks
 *   reserve, in regions that are exact (exact.cuh) or estimated
 *   (estimate/places.cuh);
 * - columns, if there are any (columns.cuh).
 * Keys are staged in their places and written in order (runs.cuh). Without
 * columns, the next tile's keys are loaded meanwhile. Columns follow.
 *
 * Where blocks reserve whole sectors, chunks share none. Then a block's tiles
 * need not be adjacent. Without segments, blocks take tiles by a counter, since
 * some multiprocessors are faster.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "columns.cuh"

namespace winnow::partition {

template <class Shape, class Rank, class Places>
class Scatter {
    using Key = typename Shape::Key;
    static constexpr unsigned int EACH_ = Shape::EACH, TILE = Shape::ITEMS;
    static constexpr bool COLUMNS = Shape::COLUMNS;

    using Keys = Key[EACH_];
    using TilePlaces = Places16<EACH_>;
    using Sums = WarpSums<unsigned int, Shape::WARPS>;

  public:
    /* `chunk` and `sums` are in shared memory; a barrier follows. */
    __device__ __forceinline__
    Scatter(const winnow__partition_scatter_args &args, unsigned char *shared,
            const Chunk &chunk, Sums &sums)
        : args_(args), chunk_(chunk), sums_(sums), memory_(shared),
          rank_(args, memory_), places_(args, memory_, chunk),
          bulk_(Runs<Shape, Places>::are_bulk(args)) {
        rank_.clear();
        places_.begin();
    }

    /* Scatters the chunk of this number, if it exists, by all threads. */
    __device__ __forceinline__ void run(unsigned int number) {
        places_.start(number, chunk_.exists);
        if (!chunk_.exists || chunk_.begin >= chunk_.end)
            return;
        Keys keys;
        if (!COLUMNS)
            load(chunk_.begin, keys);
        for (uint64_t i = chunk_.begin; i < chunk_.end;)
            i = tile(i, keys);
        __syncthreads(); /* all threads hold their items */
        if constexpr (Places::RESERVES)
            leave();
        else
            write_held();
    }

    /* When all chunks are scattered. */
    __device__ __forceinline__ void end() const {
        wait_for_bulk_copies();
        places_.end();
    }

  private:
    /* Not a member: its references would keep their objects in memory. */
    __device__ __forceinline__ Runs<Shape, Places> runs() const {
        return Runs<Shape, Places>(args_, memory_, places_, bulk_);
    }

    /* Returns where the next tile begins. */
    __device__ __forceinline__ uint64_t tile(uint64_t begin, Keys &keys) {
        WINNOW__SHARED(next_tile, uint32_t);
        TilePlaces places;
        uint64_t next_begin = begin + TILE;
        uint32_t *const counter = args_.chunks.next_tile;
        const bool takes = Places::RESERVES && counter != nullptr;
        uint32_t taken = 0;
        if (takes && threadIdx.x == 0)
            taken = atomicAdd(counter, 1u);
        if constexpr (COLUMNS)
            load(begin, keys);
        rank_.rank(keys, beyond_, places);
        places_.see(keys, TILE - beyond_);
        if (takes && threadIdx.x == 0)
            next_tile = gridDim.x + taken;
        __syncthreads(); /* all have counted, and written the previous tile */
        if (takes)
            next_begin = uint64_t(next_tile) * TILE;
        if constexpr (COLUMNS)
            prefetch_elements<Shape>(args_.move[0].in, args_.move[0].bytes,
                                     begin, number(begin));
        Written written = sum_up(false);
        rank_.for_places(keys, places, [&](unsigned int i, unsigned int place) {
            memory_.staged[place] = keys[i];
            runs().note(place, digit_of_(keys[i]));
            if constexpr (COLUMNS)
                places.set(i, place);
        });
        fence_bulk_copies();
        written.over = __syncthreads_or(written.over);
        if (!COLUMNS && next_begin < chunk_.end)
            load(next_begin, keys);
        write_keys(written);
        hold_keys();
        if constexpr (COLUMNS) {
            /* Only now: registers hold columns and places first. */
            if (next_begin < chunk_.end)
                prefetch_elements<Shape>(args_.keys, sizeof(Key), next_begin,
                                         number(next_begin));
            move_columns(begin, places, written);
        }
        return next_begin;
    }

    __device__ __forceinline__ unsigned int number(uint64_t begin) const {
        return begin < chunk_.end ? static_cast<unsigned int>(
                                        min(chunk_.end - begin, uint64_t(TILE)))
                                  : 0;
    }

    /* Places behind the chunk's end get keys of ones. */
    __device__ __forceinline__ void load(uint64_t begin, Keys &keys) {
        const unsigned int first = first_of_tile<Shape>();
        const Key *const from =
            static_cast<const Key *>(args_.keys) + begin + first;
        const unsigned int items = number(begin);
        beyond_ = TILE - items;
        if (items == TILE) {
#pragma unroll
            for (unsigned int i = 0; i < EACH_; i++)
                keys[i] = __ldcs(from + i * WARP);
            return;
        }
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            keys[i] = ~Key(0);
            load_if(first + i * WARP < items, from + i * WARP, keys[i]);
        }
    }

    /*
     * Turns counts of digits into places in the tile. Returns what is written.
     * Held items, first in each digit, are staged here. `last`: there are no
     * others.
     */
    __device__ __forceinline__ Written sum_up(bool last) {
        constexpr unsigned int UNIT = Shape::UNIT;
        const bool is_first = rank_.is_first();
        const unsigned int digit = rank_.digit();
        const unsigned int total = last ? 0 : rank_.count_of_digit();
        Taken taken;
        unsigned int staged = 0;
        if (is_first) {
            taken = places_.take(digit, total, last);
            staged = (taken.held + total + UNIT - 1) / UNIT * UNIT;
        }
        wait_for_bulk_reads(); /* what was staged has been written */
        unsigned int all;
        const unsigned int place = exclusive_sum(staged, sums_, &all);
        if (is_first) {
            run_ = DigitRun(place, taken.held + total, taken.held, taken.empty);
            runs().set(digit, place, taken);
            stage_held(digit);
        }
        if (!last)
            rank_.set_starts(place + taken.held, all);
        __syncthreads();
        return {all, taken.fit != taken.written};
    }

    __device__ __forceinline__ void write_keys(const Written &written) const {
        Key *const out = static_cast<Key *>(args_.keys_out);
        if (out != nullptr || (Places::HAS_SPARE && written.over))
            runs().write(memory_.staged, 0, Shape::STAGED, written, out,
                         args_.estimate.spare_keys);
    }

    __device__ __forceinline__ void move_columns(uint64_t begin,
                                                 const TilePlaces &places,
                                                 const Written &written) const {
        Columns<Shape, Places>(args_, memory_, runs(), begin, number(begin),
                               rank_.digit(), run_)
            .move(places, written);
    }

    /* ----------------------------------------------------------------- held */

    /* Stages the held items of the thread's digit, before its new items. */
    __device__ __forceinline__ void stage_held(unsigned int digit) const {
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++) {
            if (i < run_.held()) {
                memory_.staged[run_.place() + i] =
                    memory_.held[digit * Shape::SLOTS + i];
                runs().note(run_.place() + i, digit);
            }
        }
    }

    /* Holds the items of the thread's digit that do not fill a sector. */
    __device__ __forceinline__ void hold_keys() const {
        for_left_over<Shape>(run_, rank_.digit(),
                             [&](unsigned int place, unsigned int slot) {
                                 memory_.held[slot] = memory_.staged[place];
                             });
    }

    /* At the end of a chunk: writes the held items, as a tile of their own. */
    __device__ __forceinline__ void write_held() {
        const Written written = sum_up(true);
        fence_bulk_copies();
        __syncthreads();
        write_keys(written);
        if constexpr (COLUMNS)
            move_columns(chunk_.end, TilePlaces(), written);
    }

    /* The same where blocks reserve places. Keys in spare room say where their
     * items belong, so they are written even if the call wants no keys. */
    __device__ __forceinline__ void leave() const {
        constexpr bool SPARE = Places::HAS_SPARE;
        Key *const to = static_cast<Key *>(SPARE ? args_.estimate.spare_keys
                                                 : args_.keys_out);
        places_.leave([&](unsigned int slot, uint64_t item) {
            if (to != nullptr)
                to[item] = memory_.held[slot];
            if constexpr (COLUMNS)
                for_columns(
                    args_, memory_,
                    [&](const winnow__partition_move &column, auto *held) {
                        auto *const array = static_cast<decltype(held)>(
                            SPARE ? column.spare : column.out);
                        array[item] = held[slot];
                    });
        });
    }

    const winnow__partition_scatter_args &args_;
    const Chunk &chunk_;
    Sums &sums_;
    const TileMemory<Shape> memory_;
    const Digit<Key> digit_of_{args_.field};
    Rank rank_;
    const Places places_;
    const bool bulk_;         /* does the copy engine write? */
    unsigned int beyond_ = 0; /* keys of the tile behind the chunk's end */
    DigitRun run_;            /* of the thread's digit */
};

template <class Shape, template <class> class Rank,
          template <class> class Places>
__global__ void __launch_bounds__(Shape::THREADS,
                                  resident(Shape::THREADS,
                                           WINNOW__PARTITION_TILE_BLOCKS))
    scatter(const __grid_constant__ winnow__partition_scatter_args args) {
    WINNOW__DYNAMIC_SHARED(shared);
    using Sums = WarpSums<unsigned int, Shape::WARPS>;
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(chunk, Chunk);
    wait_for_stream();
    if (!Places<Shape>::are_wanted(args))
        return;
    Scatter<Shape, Rank<Shape>, Places<Shape>> scatter(args, shared, chunk,
                                                       sums);
    for (unsigned int number = blockIdx.x;; number += gridDim.x) {
        __syncthreads(); /* all are done with the chunk before */
        if (threadIdx.x == 0)
            chunk = Chunk(args.chunks, number);
        __syncthreads();
        scatter.run(number);
        if (!chunk.exists)
            break;
    }
    trigger_dependents();
    scatter.end();
}

} // namespace winnow::partition

/* The kernels of a row of WINNOW__PARTITION_SCATTERS. */
#define WINNOW__SCATTER_SHAPE(KEY, BITS, COLUMNS, DROPS, STABLE)               \
    winnow::partition::TileShape<KEY, BITS, COLUMNS, DROPS, STABLE>
#define WINNOW__SCATTER_ENTRY(RANK, PLACES, ...)                               \
    WINNOW__ENTRY(                                                             \
        (__VA_ARGS__::THREADS),                                                \
        (__VA_ARGS__::ITEMS * sizeof(__VA_ARGS__::Key)),                       \
        (sizeof(__VA_ARGS__::Key)),                                            \
        (winnow::partition::TileMemory<__VA_ARGS__>::BYTES),                   \
        winnow::partition::scatter<__VA_ARGS__, winnow::partition::RANK,       \
                                   winnow::partition::PLACES>)
#define WINNOW__SCATTER_KEYS(KEY, BITS, DROPS, STABLE, RANK, PLACES)           \
    {                                                                          \
        WINNOW__SCATTER_ENTRY(                                                 \
            RANK, PLACES,                                                      \
            WINNOW__SCATTER_SHAPE(KEY, BITS, false, DROPS, STABLE)),           \
            WINNOW__SCATTER_ENTRY(                                             \
                RANK, PLACES,                                                  \
                WINNOW__SCATTER_SHAPE(KEY, BITS, true, DROPS, STABLE))         \
    }
#define WINNOW__SCATTER(NAME, BITS, DROPS, STABLE, RANK, PLACES)               \
    const winnow__kernel winnow__partition_##NAME[2][2] = {                    \
        WINNOW__SCATTER_KEYS(uint32_t, BITS, DROPS, STABLE, RANK, PLACES),     \
        WINNOW__SCATTER_KEYS(uint64_t, BITS, DROPS, STABLE, RANK, PLACES)}
