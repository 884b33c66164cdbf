/*
 * Sums over the warps of a block, through shared memory.
 *
 * The scans of winnow/device/block.cuh take any operator, and their first warp
 * scans between two barriers. Here each warp adds up all sums after one
 * barrier, which may be the caller's. Both use winnow/device/scan.cuh in a
 * warp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "warp.cuh"

namespace winnow {

/* A sum for each warp, in shared memory. Warps write before a barrier and read
 * after it. They write again only after another barrier. */
template <class T, unsigned int WARPS>
class WarpSums {
  public:
    /* Called by all lanes of the warp. Lane `lane` has the warp's sum. */
    __device__ __forceinline__ void write(T of_warp, unsigned int lane = 0) {
        if (lane_id() == lane)
            of_[warp_id()] = of_warp;
    }

    /* The sum over the first `warps` warps. Called by all lanes of a warp. */
    __device__ __forceinline__ T total(unsigned int warps = WARPS) const {
        return sum(of_lane(warps));
    }

    /* The same, faster if all warps wait for it: each lane adds up all sums,
     * which takes less time than a sum over the lanes. */
    __device__ __forceinline__ T total_soon() const {
        static_assert(WARPS == 8 && sizeof(T) == 4, "two vectors");
        const uint4 *const fours = reinterpret_cast<const uint4 *>(of_);
        const uint4 low = fours[0], high = fours[1];
        return (low.x + low.y + low.z) + (low.w + high.x + high.y) +
               (high.z + high.w);
    }

    /* The sum over the warps before this one. */
    __device__ __forceinline__ T before() const {
        return sum(of_lane(warp_id()));
    }

    /* The same; *total_p is the total. */
    __device__ __forceinline__ T before(T *total_p) const {
        if constexpr (sizeof(T) == 4) { /* a sum is one instruction */
            *total_p = total();
            return before();
        } else {
            const T upto = inclusive_sum(of_lane(WARPS));
            *total_p = __shfl_sync(ALL_LANES, upto, WARPS - 1);
            const T below =
                __shfl_sync(ALL_LANES, upto, (warp_id() + WARP - 1) % WARP);
            return warp_id() == 0 ? 0 : below;
        }
    }

    /* In lane w: the sum over the warps before warp w. */
    __device__ __forceinline__ T before_lane() const {
        const T own = of_lane(WARPS);
        return inclusive_sum(own) - own;
    }

  private:
    static_assert(WARPS <= WARP, "a lane for each");

    alignas(16) T of_[WARPS];

    __device__ __forceinline__ T of_lane(unsigned int end) const {
        return lane_id() < end ? of_[lane_id()] : 0;
    }
};

/* The sum of x over the threads before this one. *total_p is the sum over all
 * threads. Called by all threads of a block; it has a barrier. */
template <class T, unsigned int WARPS>
__device__ __forceinline__ T exclusive_sum(T x, WarpSums<T, WARPS> &sums,
                                           T *total_p) {
    const T inclusive = inclusive_sum(x);
    sums.write(inclusive, WARP - 1);
    __syncthreads();
    return sums.before(total_p) + inclusive - x;
}

/* The sum of x over a block of `threads` threads, at most MOST. A kernel may
 * call it only once, because no barrier comes after the reads. */
template <unsigned int MOST>
__device__ __forceinline__ uint64_t block_sum(uint64_t x,
                                              unsigned int threads) {
    using Sums = WarpSums<unsigned long long, MOST / WARP>;
    WINNOW__SHARED(sums, Sums);
    sums.write(sum(static_cast<unsigned long long>(x)));
    __syncthreads();
    return sums.total(threads / WARP);
}

} // namespace winnow
