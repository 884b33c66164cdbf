/*
 * Lanes of a warp with the same key, and the sum of their values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "warp.cuh"

#include <winnow/device/peers.cuh>

namespace winnow {

/* The number of lanes of this lane's run that come after it; `heads` are the
 * first lanes of all runs of equal keys. */
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

/* The tree of winnow/device/peers.cuh, for all lanes of a warp. Kernels with
 * its reduce(), for any type and operator, have 8% more instructions than with
 * sum(). */
class PeerTree : public device::PeerTree {
  public:
    PeerTree() = default;

    /* `peers` includes the lane itself. */
    __device__ __forceinline__ explicit PeerTree(unsigned int peers)
        : device::PeerTree(ALL_LANES, peers) {
    }

    /* The sum over the lane's peers. Only the lowest peer gets the sum; the
     * results of other lanes have no meaning. */
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

/* Peers of any kind, or the lanes of a run, which need no tree. A flag for runs
 * in PeerTree itself made the cache of sums (kernels/accumulate/shared.cuh) use
 * more registers, and take 3 to 4% longer on an H100. */
class RowPeers : public PeerTree {
  public:
    RowPeers() = default;

    /* Called by all lanes of the warp; `peers` includes the lane itself. */
    __device__ __forceinline__ explicit RowPeers(unsigned int peers)
        : PeerTree(peers) {
    }

    /* Called by all lanes of the warp; `left` lanes of the run follow this
     * one. */
    __device__ __forceinline__ static RowPeers of_run(unsigned int left) {
        RowPeers peers;
        peers.sources = left;
        peers.rounds = OF_RUN;
        return peers;
    }

    /* The same as PeerTree::sum(). */
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
