/*
 * Decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel Prefix
 * Scan with Decoupled Look-back", 2016): each tile publishes its count (the
 * aggregate). Then it sums the counts of its predecessors, back to a tile that
 * has published the count up to its own end (the inclusive prefix).
 *
 * Blocks take tiles by tickets, from an atomic counter. So blocks need not be
 * resident together: a tile waits only for the counts of tiles with lower
 * tickets, and the blocks that took these are running already.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "kernels/core/last_block.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* A tile's state: 0 (nothing published), the aggregate, or the prefix. */
constexpr unsigned int STATE_BITS = 62;
constexpr uint64_t AGGREGATE = uint64_t(1) << STATE_BITS;
constexpr uint64_t PREFIX = uint64_t(2) << STATE_BITS;
constexpr uint64_t STATE_VALUE = AGGREGATE - 1;

/*
 * One warp finds the number of survivors before a tile. It loads the states of
 * WINDOWS times 32 predecessors at a time. The constructor begins the first of
 * these loads, so that other work can come before finish().
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

    /* Relaxed; in place, the caller acquires (kernels/copy/tile_scan.cu). */
    __device__ __forceinline__ void observe_all() {
#pragma unroll
        for (unsigned int w = 0; w < WINDOWS; w++)
            seen_[w] =
                index(w) >= 0 ? load_relaxed(states_ + index(w)) : PREFIX;
    }

    /* Waits until all wanted states of window w are published, and adds them.
     * Returns true if a prefix is among them: then the sum is complete. */
    __device__ __forceinline__ bool add_window(unsigned int w,
                                               uint64_t &before) {
        unsigned int prefix, wanted;
        for (;;) {
            /* The states up to the nearest prefix are wanted. */
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

/* Each block takes a ticket for each of its tiles, and one more. A ticket is
 * relaxed: it orders no other memory. */
__device__ __forceinline__ unsigned int take_ticket(const winnow__args &args,
                                                    unsigned int tiles) {
    return take_number(&args.cursor->blocks_done, tiles + gridDim.x);
}

} // namespace winnow::tile
