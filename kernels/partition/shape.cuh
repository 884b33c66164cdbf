/*
 * partition_by_key: a tile's shape, a thread's data, shared memory's layout.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "digit.cuh"

namespace winnow::partition {

/* The number of digits of BITS bits. */
template <unsigned int BITS>
constexpr unsigned int DIGITS = 1u << BITS;

/*
 * A tile of keys. DROPS: keys may have no part. STABLE: the output has the
 * input's order. SECTOR items of a digit, at a multiple of SECTOR in the
 * output, are written together: 32 bytes of keys, or of columns with 4 bytes.
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
    /* The most items of a digit that wait for the rest of their sector; of all
     * digits; and the room for the waiting elements of a column. */
    static constexpr unsigned int SLOTS = SECTOR - 1;
    static constexpr unsigned int HELD = DIGITS<BITS> * SLOTS;
    static constexpr unsigned int COLUMN_SLOTS =
        WINNOW__PARTITION_SLOTS(DIGITS<BITS>);
    /* A digit is staged at a multiple of UNIT places, where vectors begin: of
     * keys, and of columns that are staged like keys. */
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

/* The thread's number, hidden from the compiler: otherwise it computes all that
 * depends on the number before the loops, and runs out of registers. */
__device__ __forceinline__ unsigned int thread_number() {
    unsigned int thread = threadIdx.x;
    pin(thread);
    return thread;
}

/* The thread's first item of a tile. Its other items are a warp apart. */
template <class Shape>
__device__ __forceinline__ unsigned int first_of_tile() {
    const unsigned int thread = thread_number();
    return thread / WARP * (WARP * Shape::EACH) + thread % WARP;
}

/* Do all of the warp's items have one digit, as in sorted keys, and a part? */
template <bool DROPS, class Key, unsigned int EACH_>
__device__ __forceinline__ bool have_one_digit(const Digit<Key> &digit_of,
                                               const Key (&keys)[EACH_]) {
    const Key first = __shfl_sync(ALL_LANES, keys[0], 0);
    const auto is_same = [&](Key different) {
        return DROPS ? digit_of.has_part(first) && digit_of.part(different) == 0
                     : digit_of(different) == 0;
    };
    /* Usually not, so two items are compared before all. */
    Key different = keys[0] ^ first | keys[EACH_ - 1] ^ first;
    if (!__all_sync(ALL_LANES, is_same(different)))
        return false;
#pragma unroll
    for (unsigned int i = 0; i < EACH_; i++)
        different |= keys[i] ^ first;
    return __all_sync(ALL_LANES, is_same(different));
}

/* The places where a thread's items are staged, two in a register. */
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
        pin(pair); /* or the compiler keeps both halves separately */
    }

  private:
    uint32_t pairs_[EACH_ / 2] = {};
};

/* A digit in a tile, in two registers: where it is staged, its number of items,
 * and how many of them were held before. */
class DigitRun {
  public:
    __device__ __forceinline__ DigitRun() : low_(0), held_(0) {
    }

    /* The first `empty` of the held slots have no item. */
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

/* Call hold(place, slot) for each item of the run that does not fill a sector.
 * `slot` is one of the run's digit. */
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

/* A digit's items in a tile, as computed by the thread with the digit. `held`
 * items are held; the places of the first `empty` belong to others. `written`
 * items are written, from `to` of the output on; `fit` of them have room. */
struct Taken {
    unsigned int held = 0, empty = 0, written = 0, fit = 0;
    uint64_t to = 0;
};

/* A digit's run, in shared memory: `place` goes to `to` of the output. Places
 * from `begin` to `end` - 1 are written; places from there to `over_end` - 1
 * have no room. */
struct alignas(16) Run {
    uint16_t place, begin, end, over_end;
    uint64_t to;
};

/*
 * A block's dynamic shared memory. For each digit: a state of 16 bytes that
 * persists between tiles, and the tile's run. Then the digit of each unit of
 * places, counts of digits, staged keys, keys held for the next tile, and, not
 * in BYTES, the held elements of each column.
 */
template <class Shape>
class TileMemory {
    using Key = typename Shape::Key;
    static constexpr unsigned int NUMBER = DIGITS<Shape::BITS>;
    static constexpr unsigned int RUNS = NUMBER * 16;
    static constexpr unsigned int UNITS = RUNS + NUMBER * 16;
    static constexpr unsigned int COUNTS =
        (UNITS + Shape::STAGED / Shape::UNIT + 15) / 16 * 16;
    /* By warp and digit; or two tables of bins, each with one more vector. */
    static constexpr unsigned int COUNT_BYTES =
        Shape::STABLE ? Shape::WARPS * NUMBER * 2
                      : 2 * (WINNOW__PARTITION_BINS * 4 + 16);
    static constexpr unsigned int STAGED = COUNTS + COUNT_BYTES;
    static constexpr unsigned int HELD = STAGED + Shape::STAGED * sizeof(Key);
    static_assert(STAGED % 16 == 0, "vectors");

  public:
    static constexpr unsigned int BYTES =
        (HELD + Shape::HELD * sizeof(Key) + 15) / 16 * 16;
    /* 256 bytes for static shared memory. */
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
