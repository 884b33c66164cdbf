/*
 * Row tiles: every load and store of a warp is a row of 32 elements side by
 * side, one to a lane. They are for inputs that are soon read. What takes the
 * time of these is the way through the program, not the data: so it is short,
 * survivors go straight to the output, and alignment is nobody's business.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ROW_CUH
#define WINNOW_KERNELS_ROW_CUH

#include "args.h"
#include "hold.cuh"
#include "predicate.cuh"
#include "warp.cuh"

namespace winnow {

/*
 * Threads of a block. Few begin soon and meet soon, and more elements make more
 * rows; so it is wherever blocks wait for each other. Many have fewer rows each
 * to go through one after the other, which is better where none waits but for
 * an atomic, if at all, and there are few blocks to make room for.
 */
constexpr unsigned int ROW_THREADS = 256;
constexpr unsigned int MANY_ROW_THREADS = 512;

/* A tile in registers: each warp has so many rows of it, one after the other.
 * Of arrays of fewer than 2^31 elements. */
template <class U, unsigned int ROWS, unsigned int THREADS = ROW_THREADS>
class RowTile {
  public:
    static constexpr unsigned int ITEMS = THREADS * ROWS;
    /* Population counts of all rows take longer than sums over lanes, from so
     * many on: a multiprocessor makes half a warp's at a time. */
    static constexpr bool MANY = ROWS >= 16;

    /* The elements before tile number `tile`. */
    __device__ __forceinline__ static uint64_t before(const winnow__args &,
                                                      unsigned int tile) {
        return uint64_t(tile) * ITEMS;
    }

    /* Begin to load tile number `tile`; nothing waits for it before test(). */
    __device__ __forceinline__ void fetch(const winnow__args &args,
                                          unsigned int tile) {
        const unsigned int first = tile * ITEMS;
        const unsigned int left = static_cast<unsigned int>(args.n) - first;
        const U *const items =
            static_cast<const U *>(args.in) + first + place();
        end_ = min(left, ITEMS);
        /* All tiles but the last. */
        if (end_ == ITEMS) {
#pragma unroll
            for (unsigned int k = 0; k < ROWS; k++)
                item_[k] = __ldcs(items + k * WARP);
            return;
        }
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            item_[k] = is_inside(k) ? __ldcs(items + k * WARP) : 0;
    }

    /* Have the output's capacity, which is at most n, at hand for put(); by all
     * lanes. */
    __device__ __forceinline__ void fetch_capacity(const winnow__args &args) {
        capacity_ = static_cast<uint32_t>(args.capacity);
        hold_same(capacity_);
    }

    template <class Test>
    __device__ __forceinline__ void test(const Test &passes) {
        if (end_ == ITEMS)
            keep([&](unsigned int k) { return passes(item_[k]); });
        else
            keep([&](unsigned int k) {
                return is_inside(k) && passes(item_[k]);
            });
    }

    /* How many the warp keeps. */
    __device__ __forceinline__ unsigned int kept() const {
        unsigned int count = 0;
        if constexpr (MANY) {
#pragma unroll
            for (const uint32_t sums : sums_)
                count = __dp4a(sums, 0x01010101u, count);
        } else {
#pragma unroll
            for (unsigned int k = 0; k < ROWS; k++)
                count += kept(k);
        }
        return count;
    }

    /*
     * Rank the survivors, `rank` of which belong to warps before this one: all
     * that can be done before the tile's place is known.
     */
    __device__ __forceinline__ void rank(unsigned int rank) {
        const unsigned int own = 1u << lane_id();
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++) {
            const unsigned int before = __popc(keep_[k] & (own - 1));
            rank_[k] = (keep_[k] & own) != 0 ? rank + before : NONE;
            rank += kept(k);
            pin(rank_[k]);
        }
    }

    /* Write the survivors to the output, from `position` on, but never at or
     * past its capacity. */
    __device__ __forceinline__ void put(const winnow__args &args,
                                        unsigned int position) const {
        const unsigned int room = max(capacity_, position) - position;
        U *out = static_cast<U *>(args.out) + position;
        pin(out);
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            if (rank_[k] < room)
                __stcs(out + rank_[k], item_[k]);
    }

  private:
    static constexpr unsigned int FIELDS = 4; /* bytes, of a word */
    static constexpr unsigned int WORDS = (ROWS + FIELDS - 1) / FIELDS;
    static constexpr unsigned int NONE = ~0u;

    U item_[ROWS];
    uint32_t keep_[ROWS];     /* bit i: lane i's item passes */
    uint32_t sums_[WORDS];    /* kept of each row, if they are many */
    unsigned int rank_[ROWS]; /* of a lane's item, or NONE */
    unsigned int end_;        /* of the array, in the tile */
    uint32_t capacity_;       /* of the output */

    /* A lane's item of the first row. */
    __device__ __forceinline__ static unsigned int place() {
        return warp_id() * (WARP * ROWS) + lane_id();
    }

    __device__ __forceinline__ bool is_inside(unsigned int row) const {
        return place() + row * WARP < end_;
    }

    /* Does the lane keep its item of a row? */
    template <class Keeps>
    __device__ __forceinline__ void keep(const Keeps &keeps) {
        uint32_t own[WORDS] = {};
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++) {
            const bool kept = keeps(k);
            keep_[k] = __ballot_sync(ALL_LANES, kept);
            if (kept)
                own[k / FIELDS] |= 1u << 8 * (k % FIELDS);
        }
        if constexpr (MANY)
#pragma unroll
            for (unsigned int i = 0; i < WORDS; i++)
                sums_[i] = sum(own[i]);
    }

    /* How many the warp keeps of a row. */
    __device__ __forceinline__ unsigned int kept(unsigned int row) const {
        if constexpr (MANY)
            return sums_[row / FIELDS] >> 8 * (row % FIELDS) & 0xff;
        else
            return __popc(keep_[row]);
    }
};

} // namespace winnow

/* WINNOW__TABLE's row of a kernel that has row tiles. */
#define WINNOW__ROW_TILES(U, ROWS, THREADS, ...)                               \
    WINNOW__ROW(winnow::THREADS, winnow::THREADS *ROWS * sizeof(U), sizeof(U), \
                0, __VA_ARGS__)

#endif
