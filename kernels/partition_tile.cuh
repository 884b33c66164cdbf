/*
 * partition_by_key: scatters a chunk by digits of 6 to 8 bits, tile by tile.
 *
 * A digit has few items in a tile. Memory takes twice as long for pieces that
 * begin or end inside of a sector of 32 bytes, so whole groups of items are
 * written, which fill sectors. Those of a digit that do not fill a group are
 * held in shared memory, up to the next tile: they come first there. The first
 * and the last group of a digit in a chunk may be shared with other chunks: of
 * these only the chunk's items are written.
 *
 * Each warp ranks a piece of the tile in rounds, an item for each lane: a round
 * has 32 neighbours. Ballots over the bits of the digit say which lanes have
 * the same one; the warp's counts lie in shared memory, read by all of these
 * lanes, then written by the last of them. A sum over digits and warps turns
 * ranks into places in a tile sorted by digit, stably. Keys are staged there,
 * and written in order while the next tile's are loaded. Columns follow in the
 * same order (partition_column.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_TILE_CUH
#define WINNOW_KERNELS_PARTITION_TILE_CUH

#include "partition_column.cuh"
#include "selector.cuh"

namespace winnow {
namespace partition {

template <class Shape, bool DROPS>
class TileScatter {
    using Key = typename Shape::Key;
    static constexpr unsigned int BITS = Shape::BITS, EACH_ = Shape::EACH,
                                  TILE = Shape::ITEMS, GROUP = Shape::GROUP;
    static constexpr bool COLUMNS = Shape::COLUMNS;

    using Keys = Key[EACH_];
    using TilePlaces = Places16<EACH_>;

  public:
    __device__ __forceinline__ TileScatter(const winnow__partition_args &args,
                                           unsigned char *shared,
                                           unsigned int *sums)
        : args_(args), digit_of_(args), memory_(shared), sums_(sums) {
    }

    /* `chunk` is in shared memory: there are no registers for it. `offset`:
     * where the thread's digit begins in the output. */
    __device__ __forceinline__ void run(const Chunk &chunk, unsigned int number,
                                        uint64_t offset) {
        if (chunk.begin >= chunk.end)
            return;
        start(number, offset);
        Keys keys;
        load(chunk.begin, chunk.end, keys);
        for (uint64_t i = chunk.begin; i < chunk.end; i += TILE)
            tile(chunk, i, keys);
        finish(chunk);
    }

  private:
    /* Where the thread's digit goes. */
    __device__ __forceinline__ void start(unsigned int chunk, uint64_t offset) {
        const unsigned int digit = thread_number();
        if (digit >= DIGITS<BITS>)
            return;
        if (digit < args_.row)
            offset += args_.table[uint64_t(chunk) * args_.row + digit];
        memory_.first[digit] = memory_.end[digit] = offset;
    }

    __device__ __forceinline__ void tile(const Chunk &chunk, uint64_t begin,
                                         Keys &keys) {
        TilePlaces places;
        rank(keys, places);
        __syncthreads(); /* all have counted, and written the tile before */
        if (COLUMNS)
            TileColumns<Shape>(args_, memory_, chunk.begin, begin,
                               number(begin, chunk.end))
                .prefetch_first();
        const Written written = sum_up(false);
        stage_keys(keys, places);
        bring_held();
        __syncthreads();
        /* There are no registers for the next keys while columns are moved. */
        const bool more = begin + TILE < chunk.end;
        if (!COLUMNS && more)
            load(begin + TILE, chunk.end, keys);
        write_keys(written);
        hold_keys();
        if (COLUMNS) {
            if (more)
                prefetch_keys(begin + TILE, chunk.end);
            TileColumns<Shape>(args_, memory_, chunk.begin, begin,
                               number(begin, chunk.end))
                .move(written, run_);
            hold_items(static_cast<uint32_t>(begin - chunk.begin));
            if (more)
                load(begin + TILE, chunk.end, keys);
        }
    }

    __device__ __forceinline__ void prefetch_keys(uint64_t begin,
                                                  uint64_t end) const {
        prefetch_lines<Shape::THREADS>(
            static_cast<const Key *>(args_.keys) + begin,
            number(begin, end) * static_cast<unsigned int>(sizeof(Key)),
            thread_number());
    }

    /* What is held is written: as a tile without items. */
    __device__ __forceinline__ void finish(const Chunk &chunk) {
        __syncthreads();
        const Written written = sum_up(true);
        bring_held();
        __syncthreads();
        write_keys(written);
        if (COLUMNS)
            TileColumns<Shape>(args_, memory_, chunk.begin, chunk.end, 0)
                .move(written, run_);
    }

    __device__ __forceinline__ static unsigned int number(uint64_t begin,
                                                          uint64_t end) {
        return static_cast<unsigned int>(min(end - begin, uint64_t(TILE)));
    }

    /*
     * Behind a chunk's end there are keys of ones. Where keys may be dropped,
     * these have no part. Elsewhere they have the greatest digit and come last
     * in the tile: there are more of that digit then, behind its end.
     */
    __device__ __forceinline__ void load(uint64_t begin, uint64_t end,
                                         Keys &keys) {
        const unsigned int first = first_of_tile<Shape>();
        const Key *const from =
            static_cast<const Key *>(args_.keys) + begin + first;
        const unsigned int items = number(begin, end);
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

    /* Each item's rank among those of its digit in the warp. */
    __device__ __forceinline__ void rank(const Keys &keys, TilePlaces &places) {
        const unsigned int below = lanes_below();
        const unsigned int above = ~below << 1;
        uint16_t *const counts = own_counts();
        constexpr unsigned int AHEAD_ = DROPS && COLUMNS ? 1 : AHEAD;
        unsigned int ranks[AHEAD_];
        clear(counts);
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const bool exists = !DROPS || digit_of_.has_part(keys[i]);
            const unsigned int digit =
                digit_of_.after(keys[i], i < AHEAD_ ? 0 : ranks[i % AHEAD_]);
            unsigned int peers = existing<DROPS>(exists);
#pragma unroll
            for (unsigned int b = 0; b < BITS; b++)
                peers &= lanes_with_same_bit(digit, 1u << b);
            /* Read by all peers, then written by the last: barriers of the warp
             * between. */
            uint16_t &count = counts[digit];
            unsigned int rank = count + __popc(peers & below);
            pin(rank); /* of any value, to the compiler: for after() */
            __syncwarp();
            if (exists && (peers & above) == 0)
                count = static_cast<uint16_t>(rank + 1);
            __syncwarp();
            ranks[i % AHEAD_] = rank;
            places.set(i, exists ? rank : NO_PLACE_16);
        }
    }

    /*
     * Turns counts of warps and digits into places in the tile, and says what
     * is written where. What was held comes first of each digit. `last`: there
     * are no items but these, and all are written. Ends with a barrier.
     */
    __device__ __forceinline__ Written sum_up(bool last) {
        const unsigned int digit = thread_number();
        const bool is_one = digit < DIGITS<BITS>;
        unsigned int total = 0, held = 0, groups = 0, empty = 0;
        uint64_t begin = 0;
        bool checked = last;
        if (is_one) {
            const uint64_t first = memory_.first[digit];
            const uint64_t end = memory_.end[digit];
            if (!last)
                total = count_of(digit);
            held = static_cast<unsigned int>(end % GROUP);
            begin = end - held;
            groups = (held + total + (last ? GROUP - 1 : 0)) / GROUP;
            if (last && end == first)
                groups = 0;
            if (begin < first) {
                empty = min(static_cast<unsigned int>(first - begin), held);
                checked = checked || groups != 0;
            }
            memory_.end[digit] = end + total;
        }
        constexpr unsigned int ALIGNED = Shape::ALIGNED;
        unsigned int all;
        const unsigned int start = exclusive_sum<DIGITS<BITS> / WARP>(
            (held + total + ALIGNED - 1) / ALIGNED * ALIGNED | groups << 16,
            sums_, &all);
        if (is_one) {
            const unsigned int place = start & 0xffff, group = start >> 16;
            memory_.to[digit] = static_cast<int64_t>(begin - group * GROUP);
            memory_.from[digit] = static_cast<int32_t>(place - group * GROUP);
            run_ = DigitRun(place, held + total, group, groups, held, empty);
            uint16_t *const counts = memory_.counts + digit;
            unsigned int next = place + held;
            if (!last) {
#pragma unroll 8
                for (unsigned int w = 0; w < Shape::WARPS; w++) {
                    const unsigned int count = counts[w * DIGITS<BITS>];
                    counts[w * DIGITS<BITS>] = static_cast<uint16_t>(next);
                    next += count;
                }
            }
        }
        checked = __syncthreads_or(checked);
        return {all >> 16, checked};
    }

    /* Those behind the chunk's end have the greatest digit. */
    __device__ __forceinline__ unsigned int count_of(unsigned int digit) const {
        const uint16_t *const counts = memory_.counts + digit;
        unsigned int total = 0;
#pragma unroll 8
        for (unsigned int w = 0; w < Shape::WARPS; w++)
            total += counts[w * DIGITS<BITS>];
        return !DROPS && digit == args_.digit_mask ? total - beyond_ : total;
    }

    /* From ranks to places. Columns need to know which item is there. */
    __device__ __forceinline__ void stage_keys(const Keys &keys,
                                               const TilePlaces &places) const {
        const unsigned int first = first_of_tile<Shape>();
        uint16_t *const starts = own_counts();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++) {
            const unsigned int rank = places.get(i);
            if (!DROPS || rank != NO_PLACE_16) {
                const unsigned int place =
                    rank + entry(starts, digit_of_.template scaled<1>(keys[i]));
                memory_.staged[place] = keys[i];
                if (COLUMNS)
                    memory_.source[place] =
                        static_cast<uint16_t>(first + i * WARP);
            }
        }
    }

    __device__ __forceinline__ void write_keys(const Written &written) const {
        constexpr unsigned int NUMBER = TOGETHER<Key>;
        Key *const out = static_cast<Key *>(args_.keys_out);
        if (out == nullptr)
            return;
        if (is_vectors(written, out))
            write_vectors(memory_, written.groups, out,
                          [&](unsigned int place, Key(&keys)[NUMBER]) {
                              const uint4 four =
                                  *reinterpret_cast<const uint4 *>(
                                      memory_.staged + place);
#pragma unroll
                              for (unsigned int k = 0; k < NUMBER; k++)
                                  keys[k] = item<Key>(four, k);
                          });
        else
            write_elements(memory_, written, out,
                           [&](unsigned int place, Key &key) {
                               key = memory_.staged[place];
                               return true;
                           });
    }

    /* ----------------------------------------------------------------- held */

    /* What is held of the thread's digit goes before its items; and which
     * groups are the digit's. */
    __device__ __forceinline__ void bring_held() const {
        const unsigned int digit = thread_number();
        if (digit >= DIGITS<BITS>)
            return;
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++) {
            const unsigned int slot = digit * Shape::SLOTS + i;
            if (i < run_.held()) {
                memory_.staged[run_.place() + i] = memory_.held[slot];
                if (COLUMNS)
                    memory_.source[run_.place() + i] =
                        static_cast<uint16_t>(TILE + slot);
            }
        }
        fill_groups(digit, run_.first_group(), run_.groups());
    }

    /* Each thread fills those of its digit; the warp, those that are many. */
    __device__ __forceinline__ void fill_groups(unsigned int digit,
                                                unsigned int first,
                                                unsigned int number) const {
        constexpr unsigned int FEW = 8, MANY = 32;
#pragma unroll 1
        for (unsigned int done = 0; done < min(number, MANY); done += FEW)
#pragma unroll
            for (unsigned int g = 0; g < FEW; g++)
                if (done + g < number)
                    memory_.digit[first + done + g] =
                        static_cast<uint8_t>(digit);
        unsigned int many = __ballot_sync(ALL_LANES, number > MANY);
        for (; many != 0; many &= many - 1) {
            const int leader = __ffs(many) - 1;
            const unsigned int from = __shfl_sync(ALL_LANES, first, leader);
            const unsigned int all = __shfl_sync(ALL_LANES, number, leader);
            const unsigned int whose = __shfl_sync(ALL_LANES, digit, leader);
            for (unsigned int g = MANY + lane_id(); g < all; g += WARP)
                memory_.digit[from + g] = static_cast<uint8_t>(whose);
        }
    }

    /* Call hold(place, slot) for each item of the thread's digit that does not
     * fill a group. */
    template <class Hold>
    __device__ __forceinline__ void for_held(Hold hold) const {
        const unsigned int digit = thread_number();
        if (digit >= DIGITS<BITS>)
            return;
        const unsigned int number = run_.items() % GROUP;
        const unsigned int place = run_.place() + run_.items() - number;
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++)
            if (i < number)
                hold(place + i, digit * Shape::SLOTS + i);
    }

    __device__ __forceinline__ void hold_keys() const {
        for_held([&](unsigned int place, unsigned int held) {
            memory_.held[held] = memory_.staged[place];
        });
    }

    /* `begin`: of the tile, in the chunk. If nothing was written of the digit,
     * what was held has the same slot as before. */
    __device__ __forceinline__ void hold_items(uint32_t begin) const {
        for_held([&](unsigned int place, unsigned int held) {
            const unsigned int source = memory_.source[place];
            if (source < TILE)
                memory_.held_item[held] = begin + source;
        });
    }

    /* --------------------------------------------------------------- counts */

    /* The warp's own counts, which become the starts of its items. */
    __device__ __forceinline__ uint16_t *own_counts() const {
        return memory_.counts + thread_number() / WARP * DIGITS<BITS>;
    }

    __device__ __forceinline__ static void clear(uint16_t *counts) {
        constexpr unsigned int VECTORS = DIGITS<BITS> * sizeof(uint16_t) / 16;
        uint4 *const vectors = reinterpret_cast<uint4 *>(counts);
        if (lane_id() < VECTORS)
            vectors[lane_id()] = make_uint4(0, 0, 0, 0);
        static_assert(VECTORS <= WARP, "one for each lane");
        __syncwarp();
    }

    const winnow__partition_args &args_;
    const Digit<Key> digit_of_;
    const TileMemory<Shape> memory_;
    unsigned int *const sums_;
    unsigned int beyond_ = 0; /* keys of the tile behind the chunk's end */
    DigitRun run_;            /* of the thread's digit */
};

} // namespace partition
} // namespace winnow

#endif
