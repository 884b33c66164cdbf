/*
 * partition_by_key: scatters a chunk tile by tile, where a digit has few items
 * in one. Memory takes twice as long for pieces that begin or end inside of a
 * sector of 32 bytes, so whole groups of items are written, which fill sectors.
 * Those of a digit that do not fill a group are held in shared memory, up to
 * the next tile: they come first there. The first and the last group of a digit
 * in a chunk may be shared with other chunks: of these only the chunk's items
 * are written.
 *
 * Ranks of the items become places in a tile that is sorted by digit, stably
 * (warp_rank.cuh) or in any order (block_rank.cuh). Keys
 * are staged there and written in order; without columns, while the next tile's
 * are loaded.
 * Columns follow in the same order (staged_column.cuh).
 *
 * The groups of a digit are neighbours in the output, too, so the copy engine
 * writes them, if the device has one (bulk.cuh).
 *
 * Where blocks reserve whole groups, none is shared with other chunks. A block
 * need not have neighbouring tiles: where there are no segments blocks take
 * them by a counter. What fills no group at the end of a chunk goes to spare
 * rows by an estimate (reserve.cuh), or to what is left of the region
 * (exact.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_TILE_CUH
#define WINNOW_KERNELS_PARTITION_TILE_CUH

#include "block_rank.cuh"
#include "bulk.cuh"
#include "exact.cuh"
#include "part_counts.cuh"
#include "staged_column.cuh"
#include "warp_rank.cuh"
#include "width.cuh"

#include <type_traits>

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
    using Rank = std::conditional_t<Shape::STABLE, WarpRank<Shape, DROPS>,
                                    BlockRank<Shape, DROPS>>;

  public:
    __device__ __forceinline__ TileScatter(const winnow__partition_args &args,
                                           unsigned char *shared,
                                           unsigned int *sums)
        : args_(args), memory_(shared), rank_(args, memory_), sums_(sums) {
        rank_.clear();
        bulk_ = runs().are_possible();
    }

    /* `chunk` is in shared memory: there are no registers for it. `offset`:
     * where the thread's digit begins in the output. */
    __device__ __forceinline__ void run(const Chunk &chunk, unsigned int number,
                                        uint64_t offset) {
        if (chunk.begin >= chunk.end)
            return;
        if constexpr (Shape::RESERVES)
            start_reserving(chunk.segment);
        else
            start(number, offset);
        Keys keys;
        if (!COLUMNS)
            load(chunk.begin, chunk.end, keys);
        for (uint64_t i = chunk.begin; i < chunk.end;)
            i = tile(chunk, i, keys);
        if constexpr (Shape::EXACT)
            place_rest();
        else if constexpr (Shape::ESTIMATED)
            leave_over();
        else
            finish(chunk);
    }

    /* When all chunks are scattered. */
    __device__ __forceinline__ void wait() const {
        wait_for_bulk_copies();
    }

    /* By an estimate: before all chunks. A barrier follows. */
    __device__ __forceinline__ void load_regions() const {
        if (parts().are_wanted())
            parts().clear();
        if (thread_number() < DIGITS<BITS>)
            reserve().load_region(thread_number());
    }

    /* And when all of them are scattered: leave_over() has a barrier, behind
     * which all are counted. */
    __device__ __forceinline__ void add_parts() const {
        if (parts().are_wanted())
            parts().add();
    }

  private:
    __device__ __forceinline__ BulkRuns<Shape> runs() const {
        return BulkRuns<Shape>(args_, memory_);
    }

    __device__ __forceinline__ PartCounts<Key, Shape::THREADS> parts() const {
        return PartCounts<Key, Shape::THREADS>(args_, memory_.shared());
    }

    __device__ __forceinline__ void
    count_parts(const Key (&keys)[EACH_]) const {
        if (!parts().are_wanted())
            return;
        const unsigned int first = first_of_tile<Shape>();
#pragma unroll
        for (unsigned int i = 0; i < EACH_; i++)
            if (beyond_ == 0 || first + i * WARP < TILE - beyond_)
                parts().count(keys[i]);
    }

    __device__ __forceinline__ ReserveOf<Shape> reserve() const {
        return ReserveOf<Shape>(args_, memory_);
    }

    /* No digit has items that are held. */
    __device__ __forceinline__ void start_reserving(unsigned int segment) {
        const unsigned int digit = thread_number();
        if (digit >= DIGITS<BITS>)
            return;
        reserve().clear_held(digit);
        if constexpr (Shape::EXACT) {
            reserve().load_region(digit, segment);
            if (digit == 0)
                reserve().set_segment(segment);
        }
    }

    /* Where the thread's digit goes. */
    __device__ __forceinline__ void start(unsigned int chunk, uint64_t offset) {
        const unsigned int digit = thread_number();
        if (digit >= DIGITS<BITS>)
            return;
        if (digit < args_.row)
            offset += args_.table[uint64_t(chunk) * args_.row + digit];
        memory_.first[digit] = memory_.end[digit] = offset;
    }

    /* Returns where the next tile begins. */
    __device__ __forceinline__ uint64_t tile(const Chunk &chunk, uint64_t begin,
                                             Keys &keys) {
        WINNOW__SHARED(next_tile, uint32_t);
        TilePlaces places;
        uint64_t next_begin = begin + TILE;
        const auto next = [&] {
            if (!COLUMNS && next_begin < chunk.end)
                load(next_begin, chunk.end, keys);
        };
        const bool takes = Shape::RESERVES && args_.next_tile != nullptr;
        uint32_t taken = 0;
        if (takes && threadIdx.x == 0)
            taken = atomicAdd(args_.next_tile, 1u);
        if (COLUMNS)
            load(begin, chunk.end, keys);
        rank_.rank(keys, beyond_, places);
        if constexpr (Shape::ESTIMATED)
            count_parts(keys);
        if (takes && threadIdx.x == 0)
            next_tile = gridDim.x + taken;
        __syncthreads(); /* all have counted, and written the tile before */
        if (takes)
            next_begin = uint64_t(next_tile) * TILE;
        if (COLUMNS)
            prefetch_elements<Shape>(args_.move[0].in, args_.move[0].bytes,
                                     begin, number(begin, chunk.end));
        Written written = sum_up(false);
        stage_keys(keys, places);
        fence_bulk_copies();
        written.checked = __syncthreads_or(written.checked);
        if (!COLUMNS)
            next();
        write_keys(written);
        hold_keys();
        if (COLUMNS) {
            /* Registers hold columns and places first. */
            if (next_begin < chunk.end)
                prefetch_elements<Shape>(args_.keys, sizeof(Key), next_begin,
                                         number(next_begin, chunk.end));
            move_columns(chunk, begin, places, written);
        }
        return next_begin;
    }

    /* What is held is written: as a tile without items. */
    __device__ __forceinline__ void finish(const Chunk &chunk) {
        __syncthreads();
        Written written = sum_up(true);
        fence_bulk_copies();
        written.checked = __syncthreads_or(written.checked);
        write_keys(written);
        if (COLUMNS)
            move_columns(chunk, chunk.end, TilePlaces(), written);
    }

    __device__ __forceinline__ void move_columns(const Chunk &chunk,
                                                 uint64_t begin,
                                                 const TilePlaces &places,
                                                 const Written &written) {
        const unsigned int items = number(begin, chunk.end);
        StagedColumns<Shape, DROPS>(args_, memory_, begin, items, rank_.digit(),
                                    run_, bulk_)
            .move(places, written);
    }

    __device__ __forceinline__ static unsigned int number(uint64_t begin,
                                                          uint64_t end) {
        return static_cast<unsigned int>(min(end - begin, uint64_t(TILE)));
    }

    /* Behind a chunk's end there are keys of ones. */
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

    /* What is written of a digit: its groups, with what was held. */
    struct Taken {
        unsigned int held = 0, groups = 0;
        unsigned int empty = 0; /* places at the first one that are others' */
        uint64_t to = 0;        /* the first group, of the output */
        bool checked = false;
    };

    /* By the first thread of a digit, of which the tile has so many items. */
    __device__ __forceinline__ Taken take(unsigned int digit,
                                          unsigned int total, bool last) const {
        Taken taken;
        if constexpr (Shape::RESERVES) {
            taken.held = reserve().held(digit);
            taken.groups = (taken.held + total) / GROUP;
            taken.to = reserve().take(digit, taken.groups,
                                      (taken.held + total) % GROUP);
        } else {
            const uint64_t first = memory_.first[digit];
            const uint64_t end = memory_.end[digit];
            taken.held = static_cast<unsigned int>(end % GROUP);
            const uint64_t begin = end - taken.held;
            taken.to = begin / GROUP;
            taken.groups =
                (taken.held + total + (last ? GROUP - 1 : 0)) / GROUP;
            if (last && end == first)
                taken.groups = 0;
            if (begin < first) {
                taken.empty =
                    min(static_cast<unsigned int>(first - begin), taken.held);
                taken.checked = taken.groups != 0;
            }
            memory_.end[digit] = end + total;
        }
        return taken;
    }

    /*
     * Turns counts of digits into places in the tile, and says which groups are
     * written. What was held comes first of each digit, and is staged here.
     * `last`: there are no items but these, and all are written. The groups are
     * listed behind a barrier, beside what follows: another one comes before
     * they are written, which makes of the threads' `checked` the block's.
     */
    __device__ __forceinline__ Written sum_up(bool last) {
        const bool is_first = rank_.is_first();
        const unsigned int digit = rank_.digit();
        const unsigned int total = last ? 0 : rank_.count_of_digit();
        constexpr unsigned int ALIGNED = Shape::ALIGNED;
        Taken taken;
        unsigned int staged = 0;
        if (is_first) {
            taken = take(digit, total, last);
            staged = (taken.held + total + ALIGNED - 1) / ALIGNED * ALIGNED;
        }
        wait_for_bulk_reads(); /* what was staged has been written */
        unsigned int all;
        const unsigned int start = exclusive_sum<DIGITS<BITS> / WARP>(
            staged | taken.groups << 16, sums_, &all);
        const unsigned int place = start & 0xffff, group = start >> 16;
        if (is_first) {
            run_ = DigitRun(place, taken.held + total, taken.held, taken.empty);
            stage_held(digit);
        }
        if (!last)
            rank_.set_starts(place + taken.held, all & 0xffff);
        DigitGroups of_digit = {group, place, taken.to, 0, 0};
        bool checked = last || taken.checked;
        if constexpr (Shape::RESERVES)
            checked = reserve().overflows(digit, taken.groups, of_digit);
        if (bulk_) {
            if (is_first && digit < args_.row)
                set_run(digit, of_digit, taken.groups, checked, last);
            __syncthreads();
        } else {
            list_groups(of_digit, taken.groups, all >> 16, checked);
        }
        return {all >> 16, checked};
    }

    /* The run of the thread's digit, of so many groups. `over`: have some no
     * room? */
    __device__ __forceinline__ void set_run(unsigned int digit,
                                            const DigitGroups &of_digit,
                                            unsigned int groups, bool over,
                                            bool last) const {
        if constexpr (Shape::RESERVES) {
            runs().set(digit, of_digit, groups, over);
        } else {
            const unsigned int place = run_.place();
            /* Nothing is written where all places are others'. */
            const unsigned int end =
                place + (last ? run_.items() : groups * GROUP);
            runs().set_own(digit, place, place + run_.empty(), end,
                           of_digit.to * GROUP);
        }
    }

    /* The groups of the thread's digit, so many, and of all: behind a barrier.
     * `over`: do some of the thread's go to spare rows? */
    __device__ __forceinline__ void list_groups(const DigitGroups &of_digit,
                                                unsigned int number,
                                                unsigned int all,
                                                bool over) const {
        const unsigned int digit = rank_.digit();
        const bool few = Shape::RESERVES && args_.row <= FEW_DIGITS;
        if (few && rank_.is_first() && digit < args_.row)
            memory_.few_digits()[digit] = of_digit;
        __syncthreads();
        if (few)
            fill_few(all);
        else
            fill_groups(of_digit, number, digit, over);
    }

    /* From ranks to places. Columns need to know which item is there. */
    __device__ __forceinline__ void stage_keys(const Keys &keys,
                                               TilePlaces &places) const {
        rank_.for_places(keys, places, [&](unsigned int i, unsigned int place) {
            memory_.staged[place] = keys[i];
            if constexpr (COLUMNS)
                places.set(i, place);
        });
    }

    __device__ __forceinline__ void write_keys(const Written &written) const {
        constexpr unsigned int NUMBER = TOGETHER<Key>;
        Key *const out = static_cast<Key *>(args_.keys_out);
        if (out == nullptr && !(Shape::ESTIMATED && written.checked))
            return;
        if (bulk_) {
            runs().write(memory_.staged, 0, Shape::STAGED, out,
                         args_.spare_keys, written.checked);
            return;
        }
        if (is_vectors(written, out))
            write_vectors(memory_, written.groups, out,
                          [&](unsigned int place, Key(&keys)[NUMBER]) {
                              load_together(memory_.staged + place, keys);
                          });
        else if (Shape::RESERVES && is_aligned(out))
            write_reserved_vectors(
                args_, memory_, written.groups, out, args_.spare_keys,
                [&](unsigned int place, Key(&keys)[NUMBER]) {
                    load_together(memory_.staged + place, keys);
                });
        else
            write_elements(args_, memory_, written, out, args_.spare_keys,
                           [&](unsigned int place, Key &key) {
                               key = memory_.staged[place];
                               return true;
                           });
    }

    /* ----------------------------------------------------------------- held */

    /* What is held of the thread's digit goes before its items. */
    __device__ __forceinline__ void stage_held(unsigned int digit) const {
#pragma unroll
        for (unsigned int i = 0; i < Shape::SLOTS; i++) {
            const unsigned int slot = digit * Shape::SLOTS + i;
            if (i < run_.held())
                memory_.staged[run_.place() + i] = memory_.held[slot];
        }
    }

    /*
     * The groups of the thread's digit, so many, as the first thread of that
     * has them. The threads of a digit fill a few each, which is enough where
     * digits have about as many, and the warp the rest. `over`: do some of the
     * thread's go to spare rows? By all threads.
     */
    __device__ __forceinline__ void fill_groups(DigitGroups groups,
                                                unsigned int number,
                                                unsigned int digit,
                                                bool over) const {
        groups.first = rank_.of_first(groups.first);
        groups.place = rank_.of_first(groups.place);
        groups.to = rank_.of_first(groups.to);
        number = rank_.of_first(number);
        bool ends = false; /* a region */
        if constexpr (Shape::RESERVES)
            ends = __any_sync(ALL_LANES, over);
        if (ends) {
            groups.end = rank_.of_first(groups.end);
            groups.away = rank_.of_first(groups.away);
        }
        const auto fill = [&](unsigned int g) {
            if (g < number)
                memory_.groups[groups.first + g] =
                    Group(groups.place + g * GROUP, digit,
                          ends ? groups.number(g) : groups.to + g);
        };
        const unsigned int own = rank_.owner_of_digit();
        unsigned int done;
        if (args_.row == DIGITS<BITS>) {
            done = few_of(DIGITS<BITS>); /* a digit has one thread then */
#pragma unroll
            for (unsigned int g = 0; g < few_of(DIGITS<BITS>); g++)
                fill(g);
        } else { /* fewer digits than the kernel is made for */
            done = few_of(args_.row * rank_.owners()) * rank_.owners();
#pragma unroll 1
            for (unsigned int g = own; g < done; g += rank_.owners())
                fill(g);
        }
        fill_many(done, groups, number, digit, ends);
    }

    /* The same where there are few digits: all threads fill as many. */
    __device__ __forceinline__ void fill_few(unsigned int number) const {
        const DigitGroups *const digits = memory_.few_digits();
#pragma unroll 1
        for (unsigned int g = thread_number(); g < number;
             g += Shape::THREADS) {
            unsigned int digit = 0;
            for (unsigned int d = 1; d < args_.row; d++)
                digit = digits[d].first <= g ? d : digit;
            const DigitGroups &of = digits[digit];
            const unsigned int nth = g - of.first;
            memory_.groups[g] =
                Group(of.place + nth * GROUP, digit, of.number(nth));
        }
    }

    /* A thread's share of a tile's groups, a quarter more, and 3. */
    __device__ __forceinline__ static constexpr unsigned int
    few_of(unsigned int threads) {
        return TILE / GROUP / threads * 5 / 4 + 3;
    }

    /* The groups from `done` on, of those digits that have as many. */
    __device__ __forceinline__ void
    fill_many(unsigned int done, const DigitGroups &groups, unsigned int number,
              unsigned int digit, bool ends) const {
        unsigned int many = __ballot_sync(
            ALL_LANES, number > done && rank_.owner_of_digit() == 0);
        for (; many != 0; many &= many - 1) {
            const int leader = __ffs(many) - 1;
            const auto of_leader = [&](auto x) {
                return __shfl_sync(ALL_LANES, x, leader);
            };
            const unsigned int all = of_leader(number);
            const unsigned int whose = of_leader(digit);
            DigitGroups of = {of_leader(groups.first), of_leader(groups.place),
                              of_leader(groups.to), 0, 0};
            if (ends) {
                of.end = of_leader(groups.end);
                of.away = of_leader(groups.away);
            }
            for (unsigned int g = done + lane_id(); g < all; g += WARP)
                memory_.groups[of.first + g] =
                    Group(of.place + g * GROUP, whose,
                          ends ? of.number(g) : of.to + g);
        }
    }

    /* What does not fill a group, of the thread's digit. */
    __device__ __forceinline__ void hold_keys() const {
        for_left_over<Shape>(run_, rank_.digit(),
                             [&](unsigned int place, unsigned int slot) {
                                 memory_.held[slot] = memory_.staged[place];
                             });
    }

    /*
     * What is held goes to spare rows, with its keys in any case, which say
     * where it belongs. By all threads, at the end of a chunk.
     */
    __device__ __forceinline__ void leave_over() const {
        WINNOW__SHARED(first_row, uint32_t);
        __syncthreads(); /* all is held */
        const unsigned int digit = thread_number();
        const unsigned int number =
            digit < DIGITS<BITS> ? reserve().held(digit) : 0;
        unsigned int all;
        const unsigned int before =
            exclusive_sum<Shape::WARPS>(number, sums_, &all);
        winnow__partition_exchange *const exchange = &args_.estimate->exchange;
        if (digit == 0)
            first_row = atomicAdd(&exchange->all_left_over, all);
        __syncthreads();
        if (number == 0)
            return;
        atomicAdd(&exchange->left_over[digit], number);
        const uint64_t row = uint64_t(first_row) + before;
        const unsigned int slot = digit * Shape::SLOTS;
#pragma unroll 1
        for (unsigned int i = 0; i < number; i++) {
            static_cast<Key *>(args_.spare_keys)[row + i] =
                memory_.held[slot + i];
            if constexpr (COLUMNS)
                copy_slot<true>(row + i, slot + i);
        }
    }

    /* The elements that a slot holds: to a row of the output, or to a spare
     * row. */
    template <bool TO_SPARE>
    __device__ __forceinline__ void copy_slot(uint64_t row,
                                              unsigned int slot) const {
        const unsigned char *held = memory_.held_columns;
#pragma unroll 1
        for (unsigned int c = 0; c < args_.moves; c++) {
            const winnow__partition_move &column = args_.move[c];
            void *const to = TO_SPARE ? column.spare : column.out;
            visit_width(column.bytes, [&](auto element) {
                using T = typename decltype(element)::Type;
                static_cast<T *>(to)[row] =
                    reinterpret_cast<const T *>(held)[slot];
            });
            held += Shape::HELD * static_cast<unsigned int>(column.bytes);
        }
    }

    /* What is held goes where the regions have room for it: a thread for each
     * slot. By all threads, at the end of a chunk. */
    __device__ __forceinline__ void place_rest() const {
        __syncthreads(); /* all is held, and no group is reserved any more */
        const unsigned int digit = thread_number();
        uint64_t *const first = memory_.first; /* number of each digit's */
        if (digit < DIGITS<BITS> && reserve().held(digit) != 0)
            first[digit] = reserve().take_rest(digit, reserve().held(digit));
        __syncthreads();
        Key *const out = static_cast<Key *>(args_.keys_out);
#pragma unroll 1
        for (unsigned int slot = thread_number(); slot < Shape::HELD;
             slot += Shape::THREADS) {
            const unsigned int of = slot / Shape::SLOTS;
            const unsigned int nth = slot % Shape::SLOTS;
            if (nth >= reserve().held(of))
                continue;
            const uint64_t to = reserve().places(of).place(first[of] + nth);
            if (out != nullptr)
                out[to] = memory_.held[slot];
            if constexpr (COLUMNS)
                copy_slot<false>(to, slot);
        }
    }

    const winnow__partition_args &args_;
    const TileMemory<Shape> memory_;
    Rank rank_;
    unsigned int *const sums_;
    unsigned int beyond_ = 0; /* keys of the tile behind the chunk's end */
    DigitRun run_;            /* of the thread's digit */
    bool bulk_ = false;       /* does the copy engine write? */
};

} // namespace partition
} // namespace winnow

/* The table of KERNEL<shape>, where blocks reserve places in such regions: by
 * the size of keys, and whether there are columns. */
#define WINNOW__REGION_ENTRY(KERNEL, ...)                                      \
    WINNOW__ENTRY((__VA_ARGS__::THREADS),                                      \
                  (__VA_ARGS__::ITEMS * sizeof(__VA_ARGS__::Key)),             \
                  (sizeof(__VA_ARGS__::Key)),                                  \
                  (winnow::partition::TileMemory<__VA_ARGS__>::BYTES),         \
                  KERNEL<__VA_ARGS__>)
#define WINNOW__REGION_ROW(KERNEL, KEY, REGIONS)                               \
    {                                                                          \
        WINNOW__REGION_ENTRY(                                                  \
            KERNEL,                                                            \
            winnow::partition::TileShape<                                      \
                KEY, 8, false, false, winnow::partition::Regions::REGIONS>),   \
            WINNOW__REGION_ENTRY(                                              \
                KERNEL,                                                        \
                winnow::partition::TileShape<                                  \
                    KEY, 8, true, false, winnow::partition::Regions::REGIONS>) \
    }
#define WINNOW__REGION_TABLE(KERNEL, REGIONS)                                  \
    {                                                                          \
        WINNOW__REGION_ROW(KERNEL, uint32_t, REGIONS),                         \
            WINNOW__REGION_ROW(KERNEL, uint64_t, REGIONS)                      \
    }

#endif
