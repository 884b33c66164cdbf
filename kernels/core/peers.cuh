/*
 * Lanes of a warp with the same key, and the sum of their values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "warp.cuh"

#include <winnow/device/peers.cuh>

namespace winnow {

/* How many lanes of this one's run come after it; `heads` are the first lanes
 * of all runs of equal keys. */
__device__ __forceinline__ unsigned int left_of_run(unsigned int heads) {
    const unsigned int later = heads & ~lanes_below() & ~(1u << lane_id());
    return (later != 0 ? __ffs(later) - 1 : WARP) - 1 - lane_id();
}

/* The first lanes of runs of equal keys. */
template <class Key>
__device__ __forceinline__ unsigned int heads_of(Key key) {
    const Key before = __shfl_up_sync(ALL_LANES, key, 1);
    return __ballot_sync(ALL_LANES, lane_id() == 0 || before != key);
}

/* The tree of winnow/device/peers.cuh, for all lanes of a warp. Its reduce(),
 * for any type and operator, costs the kernels 8% more instructions than this
 * sum. */
class PeerTree : public device::PeerTree {
  public:
    PeerTree() = default;

    /* `peers` of each lane include itself. */
    __device__ __forceinline__ explicit PeerTree(unsigned int peers)
        : device::PeerTree(ALL_LANES, peers) {
    }

    /* The sum over the lane's peers, in the lowest of them. What others get
     * means nothing. */
    template <class T>
    __device__ __forceinline__ T sum(T value) const {
        unsigned int left = sources;
        for (unsigned int i = 0; i < rounds; i++) {
            const T other = __shfl_sync(ALL_LANES, value, left % TAKES);
            if (left & TAKES)
                value += other;
            left >>= BITS;
        }
        return value;
    }
};

/* Peers of any kind, or the lanes of a run, which need no tree. It is derived
 * from PeerTree only so that the rows of a cache of sums, which have a PeerTree
 * (shared.cuh), keep their registers: a flag for runs in it cost 3
 * to 4% on an H100. */
class RowPeers : public PeerTree {
  public:
    RowPeers() = default;

    /* All lanes of the warp; `peers` of each include itself. */
    __device__ __forceinline__ explicit RowPeers(unsigned int peers)
        : PeerTree(peers) {
    }

    /* All lanes of the warp; `left` lanes of the run follow this one. */
    __device__ __forceinline__ static RowPeers of_run(unsigned int left) {
        RowPeers peers;
        peers.sources = left;
        peers.rounds = OF_RUN;
        return peers;
    }

    /* As PeerTree::sum(). */
    template <class T>
    __device__ __forceinline__ T sum(T value) const {
        if (rounds == 0)
            return value;
        if (rounds != OF_RUN)
            return PeerTree::sum(value);
#pragma unroll
        for (unsigned int step = 1; step < WARP; step *= 2) {
            const T other = __shfl_down_sync(ALL_LANES, value, step);
            if (step <= sources)
                value += other;
        }
        return value;
    }

  private:
    static constexpr unsigned int OF_RUN = ~0u;
};

} // namespace winnow
