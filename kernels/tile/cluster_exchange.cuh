/*
 * Count exchange among the blocks of a cluster, which a device runs together
 * (9.0 and later), through their shared memory. Code for older devices has
 * nothing of this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "hold.cuh"

namespace winnow::tile {

/*
 * A block's part of the exchange. In shared memory: the blocks before it write
 * their counts there (st.async), and count the bytes that have come at a
 * barrier in memory (mbarrier), so that a block waits for no one who has
 * nothing to signal to it. For one use in a kernel.
 */
class ClusterExchange {
  public:
    /*
     * By all threads. Others may write when all blocks have come here, which is
     * when their wait_until_ready() returns: a release of the barrier's
     * initialisation (fence.mbarrier_init) before an arrival, and its acquire,
     * at the scope of the cluster.
     */
    __device__ __forceinline__ void prepare() {
        if (threadIdx.x == WARP) { /* the first warp has enough to do */
            mbarrier_init(&arrived_);
            mbarrier_expect(&arrived_, blockIdx.x * sizeof(counts_[0]));
            /* Keeps the branch: with predicates in its place, racecheck takes
             * what this thread writes for a write of all lanes. */
            __syncwarp(1);
        }
        __syncwarp();
        cluster_arrive_relaxed();
    }

    /* By all threads, after prepare(). */
    __device__ __forceinline__ void wait_until_ready() {
        cluster_wait();
    }

    /* By all lanes of a warp: this object in a later block, or 0; a lane for
     * each. Better before the count is known, when there is time. */
    __device__ __forceinline__ uint32_t find_target(const winnow__args &args) {
        uint32_t target = 0;
        if (blockIdx.x < lane_id() && lane_id() < args.blocks)
            target = cluster_address(this, lane_id());
        hold(target);
        return target;
    }

    /* By the same lanes, after wait_until_ready(): signal a count. */
    __device__ __forceinline__ void signal(uint32_t target,
                                           unsigned int count) const {
        if (target != 0)
            store_async(target + offset_of(&counts_[blockIdx.x]), count,
                        target + offset_of(&arrived_));
    }

    /*
     * By all threads, after prepare(): the sum of all earlier blocks' counts.
     * They are waited for, so that none writes to a block that is gone.
     *
     * The wait is an acquire at the scope of the cluster. It pairs with the
     * count of bytes that every st.async releases at that scope: with it come
     * the counts, and in place the loads of the tiles that they are of, which
     * came before a barrier of the sender's block.
     */
    __device__ __forceinline__ unsigned int wait() {
        while (!mbarrier_try_wait(&arrived_)) {
        }
        return sum(lane_id() < blockIdx.x ? counts_[lane_id()] : 0);
    }

  private:
    uint64_t arrived_; /* an mbarrier: as many bytes as are expected? */
    unsigned int counts_[WINNOW__MOST_CLUSTER]; /* of each block */

    /* Of a member, which is the same in all blocks. */
    __device__ __forceinline__ uint32_t offset_of(const void *member) const {
        return shared_address(member) - shared_address(this);
    }
};

} // namespace winnow::tile
