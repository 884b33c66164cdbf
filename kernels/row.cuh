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
#include "predicate.cuh"
#include "warp.cuh"

namespace winnow {

/* Each warp has so many rows of a tile, one after the other. */
constexpr unsigned int ROWS = 4;

/* A tile in registers. */
template <class U, unsigned int THREADS>
class RowTile {
  public:
    static constexpr unsigned int ITEMS = THREADS * ROWS;

    /* Begin to load tile number `tile`; nothing waits for it before test(). */
    __device__ __forceinline__ void fetch(const winnow__args &args,
                                          unsigned int tile) {
        const uint64_t first = uint64_t(tile) * ITEMS;
        const uint64_t left = args.n - first;
        const U *const items =
            static_cast<const U *>(args.in) + first + place();
        end_ = left < ITEMS ? static_cast<unsigned int>(left) : ITEMS;
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

    template <class Test>
    __device__ __forceinline__ void test(const Test &passes) {
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            keep_[k] =
                __ballot_sync(ALL_LANES, is_inside(k) && passes(item_[k]));
    }

    /* How many the warp keeps. */
    __device__ __forceinline__ unsigned int kept() const {
        unsigned int count = 0;
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++)
            count += __popc(keep_[k]);
        return count;
    }

    /*
     * Write the tile's survivors to the output, from `position` on, never at
     * or past its capacity; `rank` of them belong to warps before this one.
     */
    __device__ __forceinline__ void
    put(const winnow__args &args, uint64_t position, unsigned int rank) const {
        if (position >= args.capacity)
            return;
        const uint64_t left = args.capacity - position;
        const unsigned int room =
            left < ITEMS ? static_cast<unsigned int>(left) : ITEMS;
        U *const out = static_cast<U *>(args.out) + position;
#pragma unroll
        for (unsigned int k = 0; k < ROWS; k++) {
            const unsigned int at = rank + __popc(keep_[k] & lanes_below());
            if ((keep_[k] >> lane_id() & 1) != 0 && at < room)
                __stcs(out + at, item_[k]);
            rank += __popc(keep_[k]);
        }
    }

  private:
    U item_[ROWS];
    uint32_t keep_[ROWS]; /* bit i: lane i's item passes */
    unsigned int end_;    /* of the array, in the tile */

    /* A lane's item of the first row. */
    __device__ __forceinline__ static unsigned int place() {
        return warp_id() * (WARP * ROWS) + lane_id();
    }

    __device__ __forceinline__ bool is_inside(unsigned int row) const {
        return place() + row * WARP < end_;
    }
};

} // namespace winnow

/* WINNOW__TABLE's row of a kernel that has row tiles: ... is its name. */
#define WINNOW__ROW_TILES(U, THREADS, ...)                                     \
    {                                                                          \
        reinterpret_cast<const void *>(&__VA_ARGS__), THREADS,                 \
            THREADS *winnow::ROWS * sizeof(U), sizeof(U), 0                    \
    }

#endif
