/*
 * The blocks of a cluster, which a device runs together (9.0 and later), tell
 * each other a number. Code for older devices has nothing of this.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CLUSTER_CUH
#define WINNOW_KERNELS_CLUSTER_CUH

#include "args.h"
#include "hold.cuh"
#include "ptx.cuh"
#include "warp.cuh"

#include <cstdint>

namespace winnow {

/*
 * What the blocks before this one in its cluster tell it. In shared memory,
 * where they write it themselves (st.async), and count the bytes that have come
 * at a barrier in memory (mbarrier), so that nobody waits for who has nothing
 * to tell him. For one use in a kernel.
 */
class Told {
  public:
    /*
     * By all threads: get ready to be told. Others may write when all blocks
     * have come here, which is when their wait_for_others() returns.
     */
    __device__ __forceinline__ void expect() {
        if (threadIdx.x == WARP) { /* the first warp has enough to do */
            mbarrier_init(&arrived_);
            mbarrier_expect(&arrived_, blockIdx.x * sizeof(told_[0]));
            /* Keeps the branch: with predicates in its place, racecheck takes
             * what this thread writes for a write of all lanes. */
            __syncwarp(1);
        }
        __syncwarp();
        cluster_arrive_relaxed();
    }

    /* By all threads, after expect(). */
    __device__ __forceinline__ void wait_for_others() {
        cluster_wait();
    }

    /* By all lanes of a warp: this object in a later block, or 0; a lane for
     * each. Better before the number is known, when there is time. */
    __device__ __forceinline__ uint32_t find(const winnow__args &args) {
        uint32_t ear = 0;
        if (blockIdx.x < lane_id() && lane_id() < args.blocks)
            ear = cluster_address(this, lane_id());
        hold(ear);
        return ear;
    }

    /* By the same lanes, after wait_for_others(): tell them a number. */
    __device__ __forceinline__ void tell(uint32_t ear,
                                         unsigned int number) const {
        if (ear != 0)
            store_async(ear + offset(&told_[blockIdx.x]), number,
                        ear + offset(&arrived_));
    }

    /*
     * By all threads, after expect(): the sum of what all earlier blocks tell.
     * It is waited for, so that none writes to a block that is gone.
     *
     * The wait is an acquire at the scope of the cluster. It pairs with the
     * count of bytes that every st.async releases at that scope: with it come
     * the numbers, and in place the loads of the tiles that they tell of, which
     * came before a barrier of the sender's block.
     */
    __device__ __forceinline__ unsigned int hear() {
        while (!mbarrier_try_wait(&arrived_)) {
        }
        return sum(lane_id() < blockIdx.x ? told_[lane_id()] : 0);
    }

  private:
    uint64_t arrived_; /* an mbarrier: as many bytes as are expected? */
    unsigned int told_[WINNOW__MOST_CLUSTER]; /* by each block */

    /* Of a member, which is the same in all blocks. */
    __device__ __forceinline__ uint32_t offset(const void *member) const {
        return shared_address(member) - shared_address(this);
    }
};

} // namespace winnow

#endif
