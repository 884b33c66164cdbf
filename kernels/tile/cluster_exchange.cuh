/*
 * Count exchange among the blocks of a cluster, through distributed shared
 * memory. It needs compute capability 9.0; code for older devices leaves it
 * out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "hold.cuh"

namespace winnow::tile {

/*
 * A block's part of the exchange, in its shared memory. Earlier blocks write
 * their counts there by st.async, which also counts the bytes at an mbarrier.
 * So a block waits only for earlier blocks. A kernel uses it once.
 */
class ClusterExchange {
  public:
    /*
     * All threads call this. When all blocks have done so, wait_until_ready()
     * returns and other blocks may write here: fence.mbarrier_init before the
     * arrival releases the mbarrier's initialisation, and wait_until_ready()
     * acquires it, at the scope of the cluster.
     */
    __device__ __forceinline__ void prepare() {
        if (threadIdx.x == WARP) { /* the first warp has enough to do */
            mbarrier_init(&arrived_);
            mbarrier_expect(&arrived_, blockIdx.x * sizeof(counts_[0]));
            /* This keeps the branch. If the compiler made predicates of it,
             * racecheck would take this thread's write for one of all lanes. */
            __syncwarp(1);
        }
        __syncwarp();
        cluster_arrive_relaxed();
    }

    /* All threads call this, after prepare(). */
    __device__ __forceinline__ void wait_until_ready() {
        cluster_wait();
    }

    /* All lanes of a warp call this, before the count is known: then there is
     * time. Lane i gets the address of this object in block i, or 0 if that
     * block is not a later one. */
    __device__ __forceinline__ uint32_t find_target(const winnow__args &args) {
        uint32_t target = 0;
        if (blockIdx.x < lane_id() && lane_id() < args.blocks)
            target = cluster_address(this, lane_id());
        hold(target);
        return target;
    }

    /* The same lanes signal a count, after wait_until_ready(). */
    __device__ __forceinline__ void signal(uint32_t target,
                                           unsigned int count) const {
        if (target != 0)
            store_async(target + offset_of(&counts_[blockIdx.x]), count,
                        target + offset_of(&arrived_));
    }

    /*
     * All threads call this, after prepare(). It waits for the counts of all
     * earlier blocks and returns their sum. Each block waits, so that no block
     * writes to one that has ended.
     *
     * The wait is an acquire at the scope of the cluster. It pairs with the
     * count of bytes that each st.async releases at that scope. It acquires the
     * counts, and in place the loads of the senders' tiles: a barrier of the
     * sender's block orders these before its st.async.
     */
    __device__ __forceinline__ unsigned int wait() {
        while (!mbarrier_try_wait(&arrived_)) {
        }
        return sum(lane_id() < blockIdx.x ? counts_[lane_id()] : 0);
    }

  private:
    uint64_t arrived_; /* an mbarrier that expects the bytes of the counts */
    unsigned int counts_[WINNOW__MOST_CLUSTER]; /* of each block */

    /* The offset of a member, the same in all blocks. */
    __device__ __forceinline__ uint32_t offset_of(const void *member) const {
        return shared_address(member) - shared_address(this);
    }
};

} // namespace winnow::tile
