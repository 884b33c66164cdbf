/*
 * Decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel Prefix
 * Scan with Decoupled Look-back", 2016): each tile publishes its count, its
 * aggregate, then sums those of its predecessors back to one that has published
 * the count up to its end, its inclusive prefix.
 *
 * Blocks take tiles by tickets, in the order in which they come for them, so
 * that no number of blocks need be resident at once: a tile waits only for
 * tiles with lower tickets to be counted, all of which blocks have that run
 * already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "kernels/core/last_block.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* What a tile has published: nothing, its count, or the count up to its end. */
constexpr unsigned int STATE_BITS = 62;
constexpr uint64_t AGGREGATE = uint64_t(1) << STATE_BITS;
constexpr uint64_t PREFIX = uint64_t(2) << STATE_BITS;
constexpr uint64_t STATE_VALUE = AGGREGATE - 1;

/*
 * The survivors before a tile, by one warp. It looks at WINDOWS times 32
 * predecessors at a time, all loads under way together; the first of them
 * begin when it is made, so that other work may come before finish().
 */
template <unsigned int WINDOWS>
class LookBack {
  public:
    __device__ __forceinline__ LookBack(const unsigned long long *states,
                                        unsigned int tile)
        : states_(states), nearest_(static_cast<int64_t>(tile) - 1) {
        observe_all();
    }

    __device__ __forceinline__ uint64_t finish() {
        uint64_t before = 0;
        for (;;) {
#pragma unroll
            for (unsigned int w = 0; w < WINDOWS; w++)
                if (add_window(w, before))
                    return before;
            nearest_ -= WINDOWS * WARP;
            observe_all();
        }
    }

  private:
    __device__ __forceinline__ int64_t index(unsigned int w) const {
        return nearest_ - w * WARP - lane_id();
    }

    /* Relaxed; in place the caller acquires (kernels/copy/tile_scan.cu). */
    __device__ __forceinline__ void observe_all() {
#pragma unroll
        for (unsigned int w = 0; w < WINDOWS; w++)
            seen_[w] =
                index(w) >= 0 ? load_relaxed(states_ + index(w)) : PREFIX;
    }

    /* Waits until all of it is there that is wanted. True: that was all. */
    __device__ __forceinline__ bool add_window(unsigned int w,
                                               uint64_t &before) {
        unsigned int prefix, wanted;
        for (;;) {
            /* Lanes up to the nearest that is prefix are wanted. */
            prefix = __ballot_sync(ALL_LANES, seen_[w] >= PREFIX);
            wanted = prefix != 0 ? prefix ^ (prefix - 1) : ALL_LANES;
            if ((__ballot_sync(ALL_LANES, seen_[w] < AGGREGATE) & wanted) == 0)
                break;
            if (seen_[w] < AGGREGATE)
                seen_[w] = load_relaxed(states_ + index(w));
        }
        const bool counts = wanted >> lane_id() & 1 && seen_[w] < PREFIX;
        before += sum(counts ? static_cast<unsigned int>(seen_[w]) : 0);
        if (prefix == 0)
            return false;
        before +=
            __shfl_sync(ALL_LANES, seen_[w], __ffs(prefix) - 1) & STATE_VALUE;
        return true;
    }

    const unsigned long long *states_;
    int64_t nearest_;
    uint64_t seen_[WINDOWS];
};

/* By each block, for each of its tiles and once more. A ticket says nothing of
 * other memory. */
__device__ __forceinline__ unsigned int take_ticket(const winnow__args &args,
                                                    unsigned int tiles) {
    return take_number(&args.cursor->blocks_done, tiles + gridDim.x);
}

} // namespace winnow::tile
