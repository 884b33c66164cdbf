/*
 * partition_by_key: the shape of a tile, a thread's items in one, and shared
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "digit.cuh"

namespace winnow::partition {

/* The digits of BITS bits. */
template <unsigned int BITS>
constexpr unsigned int DIGITS = 1u << BITS;

/*
 * Tiles of keys, by the bits of a digit. DROPS: keys may have no part. STABLE:
 * in the input's order.
 *
 * SECTOR items of a digit, at a multiple of SECTOR in the output, are written
 * together: a sector of 32 bytes, of keys or of columns of 4 bytes.
 */
template <class Key_, unsigned int BITS_, bool COLUMNS_, bool DROPS_,
          bool STABLE_>
struct TileShape {
    using Key = Key_;
    static constexpr unsigned int BITS = BITS_;
    static constexpr bool COLUMNS = COLUMNS_, DROPS = DROPS_, STABLE = STABLE_;
    static constexpr unsigned int THREADS = WINNOW__PARTITION_TILE_THREADS;
    static constexpr unsigned int WARPS = THREADS / WARP;
    static constexpr unsigned int EACH =
        WINNOW__PARTITION_TILE_BYTES / sizeof(Key);
    static constexpr unsigned int ITEMS = THREADS * EACH;
    static constexpr unsigned int SECTOR =
        WINNOW__PARTITION_SECTOR(sizeof(Key), COLUMNS);
    /* Items of a digit that wait for the rest of their sector, at most; of all
     * digits; and the room for those of a column. */
    static constexpr unsigned int SLOTS = SECTOR - 1;
    static constexpr unsigned int HELD = DIGITS<BITS> * SLOTS;
    static constexpr unsigned int COLUMN_SLOTS =
        WINNOW__PARTITION_SLOTS(DIGITS<BITS>);
    /* A digit is staged from a multiple of UNIT places on: where
     * vectors of keys begin, and those of columns that are staged like keys. */
    static constexpr unsigned int UNIT = COLUMNS ? 4 : 16 / sizeof(Key);
    static constexpr unsigned int STAGED =
        ITEMS + HELD + DIGITS<BITS> * (UNIT - 1);
    static_assert(DIGITS<BITS> <= THREADS, "a thread for each digit");
    static_assert(!COLUMNS || HELD <= COLUMN_SLOTS, "there is room");
    static_assert(STAGED < 1u << 14 && SLOTS < 1u << 4, "see DigitRun");
    static_assert(STAGED % UNIT == 0 && STAGED * sizeof(Key) % 16 == 0 &&
                      DIGITS<BITS> <= 256,
                  "whole units, vectors, and a byte for a digit");
};

/* A thread's number, which the compiler takes for a new one: it would compute
 * all that follows from it once, before the loops, and keep that, which takes
 * more registers than there are. */
__device__ __forceinline__ unsigned int thread_number() {
    unsigned int thread = threadIdx.x;
    pin(thread);
    return thread;
}

/* Which of the tile's items is a thread's first? Others are a warp apart. */
template <class Shape>
__device__ __forceinline__ unsigned int first_of_tile() {
    const unsigned int thread = thread_number();
    return thread / WARP * (WARP * Shape::EACH) + thread % WARP;
}

/* Have all of a warp's items the same digit, and a part? Sorted keys often
 * have. */
template <bool DROPS, class Key, unsigned int EACH_>
__device__ __forceinline__ bool have_one_digit(const Digit<Key> &digit_of,
                                               const Key (&keys)[EACH_]) {
    const Key first = __shfl_sync(ALL_LANES, keys[0], 0);
    const auto is_same = [&](Key different) {
        return DROPS ? digit_of.has_part(first) && digit_of.part(different) == 0
                     : digit_of(different) == 0;
    };
    /* Seldom, so two of the items are looked at before all. */
    Key different = keys[0] ^ first | keys[EACH_ - 1] ^ first;
    if (!__all_sync(ALL_LANES, is_same(different)))
        return false;
#pragma unroll
    for (unsigned int i = 0; i < EACH_; i++)
        different |= keys[i] ^ first;
    return __all_sync(ALL_LANES, is_same(different));
}

/* Where a thread's items are staged, two to a register. */
template <unsigned int EACH_>
class Places16 {
    static_assert(EACH_ % 2 == 0, "pairs");

  public:
    __device__ __forceinline__ unsigned int get(unsigned int i) const {
        return i % 2 == 0 ? pairs_[i / 2] & 0xffff : pairs_[i / 2] >> 16;
    }

    __device__ __forceinline__ void set(unsigned int i, unsigned int place) {
        uint32_t &pair = pairs_[i / 2];
        pair = i % 2 == 0 ? (pair & 0xffff0000) | place
                          : (pair & 0x0000ffff) | place << 16;
        pin(pair); /* or the compiler keeps both by themselves */
    }

  private:
    uint32_t pairs_[EACH_ / 2] = {};
};

/* A digit in a tile: where it is staged and how much of it, with what was held
 * before it. In two registers. */
class DigitRun {
  public:
    __device__ __forceinline__ DigitRun() : low_(0), held_(0) {
    }

    /* Of the items held, the first `empty` slots have none. */
    __device__ __forceinline__ DigitRun(unsigned int place, unsigned int items,
                                        unsigned int held, unsigned int empty)
        : low_(place | items << 14 | empty << 28), held_(held) {
    }

    __device__ __forceinline__ unsigned int place() const {
        return low_ & 0x3fff;
    }

    __device__ __forceinline__ unsigned int items() const {
        return low_ >> 14 & 0x3fff;
    }

    __device__ __forceinline__ unsigned int empty() const {
        return low_ >> 28;
    }

    __device__ __forceinline__ unsigned int held() const {
        return held_;
    }

  private:
    uint32_t low_, held_;
};

/* Call hold(place, slot) for each item of the run that does not fill a sector:
 * a slot of the run's digit holds it. */
template <class Shape, class Hold>
__device__ __forceinline__ void for_left_over(const DigitRun &run,
                                              unsigned int digit, Hold hold) {
    const unsigned int number = run.items() % Shape::SECTOR;
    const unsigned int place = run.place() + run.items() - number;
#pragma unroll
    for (unsigned int i = 0; i < Shape::SLOTS; i++)
        if (i < number)
            hold(place + i, digit * Shape::SLOTS + i);
}

/* What a tile has of a digit, as the thread that has the digit finds it:
 * `held` items are held, of which the first `empty` are others' places;
 * `written` are written, from `to` of the output on, and for `fit` there is
 * room. */
struct Taken {
    unsigned int held = 0, empty = 0, written = 0, fit = 0;
    uint64_t to = 0;
};

/* The places of a digit that are written, in shared memory: `place` goes to
 * `to`, and what is written begins at `begin`. There is no room for those from
 * `end` to `over_end` - 1. */
struct alignas(16) Run {
    uint16_t place, begin, end, over_end;
    uint64_t to;
};

/*
 * What a block has in its dynamic shared memory.
 *
 * Of each digit: a state that tiles leave to the next ones, of 16 bytes, and
 * the run of the tile. The digit of each unit of places. Counts of digits. Keys
 * that are staged, and those that are held for the next tile. The elements that
 * are held, column by column, beside what BYTES says.
 */
template <class Shape>
class TileMemory {
    using Key = typename Shape::Key;
    static constexpr unsigned int NUMBER = DIGITS<Shape::BITS>;
    static constexpr unsigned int RUNS = NUMBER * 16;
    static constexpr unsigned int UNITS = RUNS + NUMBER * 16;
    static constexpr unsigned int COUNTS =
        (UNITS + Shape::STAGED / Shape::UNIT + 15) / 16 * 16;
    /* Of each warp and digit; or, in any order, two tables of the bins, and of
     * one bin more: a vector. */
    static constexpr unsigned int COUNT_BYTES =
        Shape::STABLE ? Shape::WARPS * NUMBER * 2
                      : 2 * (WINNOW__PARTITION_BINS * 4 + 16);
    static constexpr unsigned int STAGED = COUNTS + COUNT_BYTES;
    static constexpr unsigned int HELD = STAGED + Shape::STAGED * sizeof(Key);
    static_assert(STAGED % 16 == 0, "vectors");

  public:
    static constexpr unsigned int BYTES =
        (HELD + Shape::HELD * sizeof(Key) + 15) / 16 * 16;
    /* And what is not dynamic. */
    static_assert(BYTES + 256 <= (Shape::BITS > 5 ? 99 : 64) * 1024,
                  "there is room for that");

    unsigned char *states;
    Run *runs;
    uint8_t *units;
    unsigned char *counts;
    Key *staged;
    Key *held;
    unsigned char *held_columns;

    __device__ __forceinline__ explicit TileMemory(unsigned char *shared)
        : states(shared), runs(reinterpret_cast<Run *>(shared + RUNS)),
          units(shared + UNITS), counts(shared + COUNTS),
          staged(reinterpret_cast<Key *>(shared + STAGED)),
          held(reinterpret_cast<Key *>(shared + HELD)),
          held_columns(shared + BYTES) {
    }
};

} // namespace winnow::partition
