/*
 * partition_by_key: a block's counts of digits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "digit.cuh"

namespace winnow::partition {

constexpr unsigned int COUNT_THREADS = WINNOW__PARTITION_COUNT_THREADS;

/*
 * A block counts in shared memory. Each lane of a warp has its own copy of the
 * counters, in its own bank: so equal digits do not slow it down.
 */
struct Counters {
    uint32_t at[WINNOW__PARTITION_DIGITS * WARP];

    __device__ __forceinline__ void clear(unsigned int digits) {
        for (unsigned int i = threadIdx.x; i < digits * WARP;
             i += COUNT_THREADS)
            at[i] = 0;
    }

    __device__ __forceinline__ void count(unsigned int digit) {
        atomicAdd(&at[digit * WARP + lane_id()], 1u);
    }

    __device__ __forceinline__ uint32_t sum(unsigned int digit) const {
        uint32_t total = 0;
        /* Each thread begins at another bank. */
#pragma unroll 8
        for (unsigned int i = 0; i < WARP; i++)
            total += at[digit * WARP + (i + threadIdx.x) % WARP];
        return total;
    }

    /* Only counts of each warp's lower lanes (half 0), or upper lanes (1). */
    __device__ __forceinline__ uint32_t sum_of_half(unsigned int digit,
                                                    unsigned int half) const {
        constexpr unsigned int LANES = WARP / 2;
        uint32_t total = 0;
#pragma unroll 8
        for (unsigned int i = 0; i < LANES; i++)
            total +=
                at[digit * WARP + half * LANES + (i + threadIdx.x) % LANES];
        return total;
    }
};

} // namespace winnow::partition
