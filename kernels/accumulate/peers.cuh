/*
 * Lanes of a warp with the same key, and the sum of their values.
 *
 * Peers are found once and serve any number of sums. A sum goes up a tree,
 * those of all keys of the warp at once: in each round every second peer that
 * is left hands its value to the peer before it. The algorithm is that of E.
 * Westphal, "Voting and Shuffling to Optimize Atomic Operations" (2015). Here
 * the tree is kept: a sum costs one shuffle in a round.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ACCUMULATE_PEERS_CUH
#define WINNOW_KERNELS_ACCUMULATE_PEERS_CUH

#include "kernels/core/warp.cuh"

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

/* From whom a lane takes a value in each round. */
class PeerTree {
  public:
    /* Nobody from anybody. */
    __device__ __forceinline__ PeerTree() : sources(0), rounds(0) {
    }

    /* All lanes of the warp; `peers` of each include itself. */
    __device__ __forceinline__ explicit PeerTree(unsigned int peers)
        : sources(0), rounds(0) {
        unsigned int rank = __popc(peers & lanes_below());
        unsigned int later = peers & ~lanes_below() & ~(1u << lane_id());
        while (__ballot_sync(ALL_LANES, later != 0) != 0) {
            /* Who has left may go on: nobody takes from it any more. */
            const bool stays = (rank & 1) == 0;
            const unsigned int next = __ffs(later) - 1;
            if (later != 0 && stays)
                sources |= (TAKES | next) << BITS * rounds;
            later &= __ballot_sync(ALL_LANES, stays);
            rank /= 2;
            rounds++;
        }
    }

    /* All lanes of the warp: the sum over its peers, in the lowest of them.
     * What others get means nothing. */
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

  protected:
    static constexpr unsigned int TAKES = 32; /* beside a lane's number */
    static constexpr unsigned int BITS = 6;

    /* Five rounds of BITS each. Of a run: how many lanes follow. */
    unsigned int sources;
    unsigned int rounds; /* the same in all lanes */
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

#endif
