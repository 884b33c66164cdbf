/*
 * partition_by_key by tiles: their shape, a thread's items in one, and shared
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PLACES_CUH
#define WINNOW_KERNELS_PARTITION_PLACES_CUH

#include "rank.cuh"

namespace winnow {
namespace partition {

/* Where the items of a chunk go: to places of its own, by the counts of all
 * chunks; or blocks reserve groups in each digit's region as they go, which is
 * an estimate (reserve.cuh), or what the part's count says
 * (exact.cuh). */
enum class Regions {
    NONE,
    ESTIMATED,
    EXACT
};

/*
 * Tiles of keys, by the bits of a digit. STABLE: in the input's order.
 *
 * GROUP items of a digit, at a multiple of GROUP in the output, are written
 * together: a sector of 32 bytes, of keys or of columns of 4 bytes.
 */
template <class Key_, unsigned int BITS_, bool COLUMNS_, bool STABLE_,
          Regions REGIONS = Regions::NONE>
struct TileShape {
    using Key = Key_;
    static constexpr unsigned int BITS = BITS_;
    static constexpr bool COLUMNS = COLUMNS_;
    static constexpr bool STABLE = STABLE_, RESERVES = REGIONS != Regions::NONE,
                          ESTIMATED = REGIONS == Regions::ESTIMATED,
                          EXACT = REGIONS == Regions::EXACT;
    static constexpr unsigned int THREADS = WINNOW__PARTITION_TILE_THREADS;
    static constexpr unsigned int WARPS = THREADS / WARP;
    static constexpr unsigned int EACH =
        WINNOW__PARTITION_TILE_BYTES / sizeof(Key);
    static constexpr unsigned int ITEMS = THREADS * EACH;
    static constexpr unsigned int GROUP =
        WINNOW__PARTITION_GROUP(sizeof(Key), COLUMNS);
    /* Items of a digit that wait for the rest of their group, at most; and of
     * all digits. */
    static constexpr unsigned int SLOTS = GROUP - 1;
    static constexpr unsigned int HELD = DIGITS<BITS> * SLOTS;
    /* A digit is staged from a multiple of so many places on: where vectors of
     * keys begin, and those of columns that are staged like keys. */
    static constexpr unsigned int ALIGNED = COLUMNS ? 4 : 16 / sizeof(Key);
    static constexpr unsigned int SOURCES = ITEMS + HELD;
    static constexpr unsigned int STAGED =
        SOURCES + DIGITS<BITS> * (ALIGNED - 1);
    static constexpr unsigned int GROUPS =
        SOURCES / GROUP > DIGITS<BITS> ? SOURCES / GROUP : DIGITS<BITS>;
    static_assert(DIGITS<BITS> <= THREADS, "a thread for each digit");
    static_assert(!COLUMNS || HELD <= WINNOW__PARTITION_COLUMN_SLOTS,
                  "the host makes room for that");
    static_assert(STAGED < 1u << 14 && DIGITS<BITS> <= 1u << 8,
                  "see DigitRun and Group");
};

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

/* Call hold(place, slot) for each item of the run that does not fill a group: a
 * slot of the run's digit holds it. */
template <class Shape, class Hold>
__device__ __forceinline__ void for_left_over(const DigitRun &run,
                                              unsigned int digit, Hold hold) {
    const unsigned int number = run.items() % Shape::GROUP;
    const unsigned int place = run.place() + run.items() - number;
#pragma unroll
    for (unsigned int i = 0; i < Shape::SLOTS; i++)
        if (i < number)
            hold(place + i, digit * Shape::SLOTS + i);
}

/* A group of items: where it is staged, its digit, and which group of the
 * output it is, of 2^41; or of the spare rows. */
class Group {
  public:
    Group() = default; /* in shared memory */

    __device__ __forceinline__ Group(unsigned int place, unsigned int digit,
                                     uint64_t number)
        : bits_(place | digit << 14 | number << 22) {
    }

    __device__ __forceinline__ unsigned int place() const {
        return static_cast<unsigned int>(bits_) & 0x3fff;
    }

    __device__ __forceinline__ unsigned int digit() const {
        return static_cast<unsigned int>(bits_) >> 14 & 0xff;
    }

    __device__ __forceinline__ uint64_t number() const {
        return bits_ >> 22;
    }

    /* Such a number, or more, of a group for which its region has no room. */
    static constexpr uint64_t SPARE = uint64_t(1) << 41;

  private:
    uint64_t bits_;
};

/* The groups of a digit in a tile: which is the first one of the tile's, where
 * it is staged, and the number of it. Those from `end` on have greater numbers,
 * by `away`. */
struct DigitGroups {
    uint32_t first, place;
    uint64_t to, end, away;

    /* The nth. */
    __device__ __forceinline__ uint64_t number(unsigned int nth) const {
        return to + nth + (to + nth < end ? 0 : away);
    }
};

/* So few digits that all threads list the groups of each. */
constexpr unsigned int FEW_DIGITS = 4;

/*
 * What a block has in its dynamic shared memory.
 *
 * Of each digit: where its items in the chunk begin in the output, and where
 * those end that have been staged. The groups that are written. Counts of
 * digits. Keys that are staged, and those that are held for the next tile.
 *
 * EXACT: the segment.
 * Columns that are staged: the elements that slots hold, column by column,
 * beside what BYTES says.
 */
template <class Shape>
class TileMemory {
    using Key = typename Shape::Key;
    static constexpr unsigned int NUMBER = DIGITS<Shape::BITS>;
    static constexpr unsigned int END = NUMBER * 8;
    static constexpr unsigned int GROUPS = END + NUMBER * 8;
    static constexpr unsigned int COUNTS =
        (GROUPS + Shape::GROUPS * 8 + 15) / 16 * 16;
    /* Of each warp and digit; or, in any order, two tables of the bins, and of
     * one bin more: a vector. */
    static constexpr unsigned int COUNT_BYTES =
        Shape::STABLE ? Shape::WARPS * NUMBER * 2
                      : 2 * (WINNOW__PARTITION_BINS * 4 + 16);
    static constexpr unsigned int STAGED = COUNTS + COUNT_BYTES;
    static constexpr unsigned int HELD = STAGED + Shape::STAGED * sizeof(Key);
    static constexpr unsigned int SEGMENT = HELD + Shape::HELD * sizeof(Key);
    static constexpr unsigned int HELD_COLUMNS =
        (SEGMENT + (Shape::EXACT ? 4 : 0) + 15) / 16 * 16;
    static_assert(COUNTS % 16 == 0 && STAGED % 16 == 0, "vectors");

  public:
    static constexpr unsigned int BYTES = HELD_COLUMNS;
    /* And what is not dynamic. */
    static_assert(BYTES + 256 <= 99 * 1024, "there is room for that");

    uint64_t *first, *end;
    Group *groups;
    unsigned char *counts;
    Key *staged;
    Key *held;
    uint32_t *segment;
    unsigned char *held_columns;

    __device__ __forceinline__ explicit TileMemory(unsigned char *shared)
        : first(reinterpret_cast<uint64_t *>(shared)),
          end(reinterpret_cast<uint64_t *>(shared + END)),
          groups(reinterpret_cast<Group *>(shared + GROUPS)),
          counts(shared + COUNTS),
          staged(reinterpret_cast<Key *>(shared + STAGED)),
          held(reinterpret_cast<Key *>(shared + HELD)),
          segment(reinterpret_cast<uint32_t *>(shared + SEGMENT)),
          held_columns(shared + HELD_COLUMNS) {
    }

    /* With few digits most of `first` is unused: it holds their groups. */
    __device__ __forceinline__ DigitGroups *few_digits() const {
        static_assert((NUMBER - FEW_DIGITS) * 8 >=
                          FEW_DIGITS * sizeof(DigitGroups),
                      "behind their regions");
        return reinterpret_cast<DigitGroups *>(first + FEW_DIGITS);
    }

    /* Where all of it begins. */
    __device__ __forceinline__ unsigned char *shared() const {
        return reinterpret_cast<unsigned char *>(first);
    }
};

} // namespace partition
} // namespace winnow

#endif
