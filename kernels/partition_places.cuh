/*
 * partition_by_key, digits of 6 to 8 bits: the shape of tiles, a thread's items
 * in one, and shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_PLACES_CUH
#define WINNOW_KERNELS_PARTITION_PLACES_CUH

#include "partition_rank.cuh"

namespace winnow {
namespace partition {

/*
 * Tiles of keys, by the bits of a digit; with columns or without. SMALL: for
 * devices where a block has 64 KiB of shared memory.
 *
 * GROUP items of a digit, at a multiple of GROUP in the output, are written
 * together: a sector of 32 bytes, of keys or of columns of 4 bytes.
 */
template <class Key_, unsigned int BITS_, bool COLUMNS_, bool SMALL_>
struct TileShape {
    using Key = Key_;
    static constexpr unsigned int BITS = BITS_;
    static constexpr bool COLUMNS = COLUMNS_, SMALL = SMALL_;
    static constexpr unsigned int THREADS =
        SMALL     ? WINNOW__PARTITION_SMALL_THREADS
        : COLUMNS ? WINNOW__PARTITION_COLUMN_THREADS
                  : WINNOW__PARTITION_TILE_THREADS;
    static constexpr unsigned int WARPS = THREADS / WARP;
    static constexpr unsigned int EACH =
        WINNOW__PARTITION_TILE_BYTES / sizeof(Key);
    static constexpr unsigned int ITEMS = THREADS * EACH;
    static constexpr unsigned int GROUP =
        COLUMNS && !SMALL ? 8
        : COLUMNS         ? 4 /* there is no room for more */
                          : 32 / sizeof(Key);
    /* Items of a digit that wait for the rest of their group, at most; and of
     * all digits. */
    static constexpr unsigned int SLOTS = GROUP - 1;
    static constexpr unsigned int HELD = DIGITS<BITS> * SLOTS;
    /* A digit is staged from a multiple of so many places on: of 16 bytes. */
    static constexpr unsigned int ALIGNED = 16 / sizeof(Key);
    static constexpr unsigned int SOURCES = ITEMS + HELD;
    static constexpr unsigned int STAGED =
        SOURCES + DIGITS<BITS> * (ALIGNED - 1);
    static constexpr unsigned int GROUPS =
        SOURCES / GROUP > DIGITS<BITS> ? SOURCES / GROUP : DIGITS<BITS>;
    static_assert(DIGITS<BITS> <= THREADS, "a thread for each digit");
    static_assert(STAGED < 1u << 14 && GROUPS < 1u << 12, "see DigitRun");
};

/* Which of the tile's items is a thread's first? Others are a warp apart. */
template <class Shape>
__device__ __forceinline__ unsigned int first_of_tile() {
    const unsigned int thread = thread_number();
    return thread / WARP * (WARP * Shape::EACH) + thread % WARP;
}

/* The place of an item that is dropped. */
constexpr unsigned int NO_PLACE_16 = 0xffff;

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
 * before it; and which groups of it are written. In two registers. */
class DigitRun {
  public:
    __device__ __forceinline__ DigitRun() : low_(0), high_(0) {
    }

    /* Of the items held, the first `empty` slots have none. */
    __device__ __forceinline__ DigitRun(unsigned int place, unsigned int items,
                                        unsigned int first_group,
                                        unsigned int groups, unsigned int held,
                                        unsigned int empty)
        : low_(place | items << 14 | empty << 28),
          high_(first_group | groups << 12 | held << 24) {
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

    __device__ __forceinline__ unsigned int first_group() const {
        return high_ & 0xfff;
    }

    __device__ __forceinline__ unsigned int groups() const {
        return high_ >> 12 & 0xfff;
    }

    __device__ __forceinline__ unsigned int held() const {
        return high_ >> 24;
    }

  private:
    uint32_t low_, high_;
};

/*
 * What a block has in its dynamic shared memory.
 *
 * Of each digit: where its items in the chunk begin in the output, and where
 * those end that have been staged. Of what is staged:
 * place p of digit d goes to p + to[d] - from[d], and group g is written from
 * place g * GROUP + from[d] on, where d is digit[g]. Counts of each warp and
 * digit. Keys that are staged, and those that are held for the next tile. Where
 * there are columns, for each place the item of the tile, or ITEMS and the slot
 * of one that was held; and which item of the chunk a slot holds.
 */
template <class Shape>
class TileMemory {
    using Key = typename Shape::Key;
    static constexpr unsigned int NUMBER = DIGITS<Shape::BITS>;
    static constexpr unsigned int END = NUMBER * 8;
    static constexpr unsigned int TO = END + NUMBER * 8;
    static constexpr unsigned int FROM = TO + NUMBER * 8;
    static constexpr unsigned int COUNTS = FROM + NUMBER * 4;
    static constexpr unsigned int STAGED = COUNTS + Shape::WARPS * NUMBER * 2;
    static constexpr unsigned int HELD = STAGED + Shape::STAGED * sizeof(Key);
    static constexpr unsigned int DIGIT = HELD + Shape::HELD * sizeof(Key);
    static constexpr unsigned int SOURCE =
        (DIGIT + Shape::GROUPS + 15) / 16 * 16;
    static constexpr unsigned int HELD_ITEM = SOURCE + Shape::STAGED * 2;
    static_assert(COUNTS % 16 == 0 && STAGED % 16 == 0, "vectors");

  public:
    static constexpr unsigned int BYTES =
        Shape::COLUMNS ? HELD_ITEM + Shape::HELD * 4 : SOURCE;
    /* And what is not dynamic. */
    static_assert(BYTES + 256 <= (Shape::SMALL ? 64 : 99) * 1024,
                  "there is room for that");

    uint64_t *first, *end;
    int64_t *to;
    int32_t *from;
    uint16_t *counts;
    Key *staged;
    Key *held;
    uint8_t *digit;
    uint16_t *source;
    uint32_t *held_item;

    __device__ __forceinline__ explicit TileMemory(unsigned char *shared)
        : first(reinterpret_cast<uint64_t *>(shared)),
          end(reinterpret_cast<uint64_t *>(shared + END)),
          to(reinterpret_cast<int64_t *>(shared + TO)),
          from(reinterpret_cast<int32_t *>(shared + FROM)),
          counts(reinterpret_cast<uint16_t *>(shared + COUNTS)),
          staged(reinterpret_cast<Key *>(shared + STAGED)),
          held(reinterpret_cast<Key *>(shared + HELD)), digit(shared + DIGIT),
          source(reinterpret_cast<uint16_t *>(shared + SOURCE)),
          held_item(reinterpret_cast<uint32_t *>(shared + HELD_ITEM)) {
    }
};

} // namespace partition
} // namespace winnow

#endif
