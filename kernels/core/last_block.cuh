/*
 * Which block of a grid comes last: the one that finds what all others did.
 *
 * The order of memory, for all kernels that ask: what the threads of a block
 * wrote or added comes before a barrier of the block, and that before thread
 * 0's first fence, which with its addition to the counter is a release at the
 * scope of the device. The addition of the block that comes last reads from
 * those of all others, which make one release sequence, and with the second
 * fence is the acquire. A barrier hands that on to the block's other threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

namespace winnow {

/* The number of this call, from 0 on, of `calls` in all. The last one leaves
 * the counter at zero, as it was found. Relaxed: it orders nothing else. */
__device__ __forceinline__ unsigned int take_number(uint32_t *counter,
                                                    unsigned int calls) {
    const unsigned int number = atomicAdd(counter, 1u);
    if (number == calls - 1)
        store_relaxed(counter, 0);
    return number;
}

/* By thread 0 of each block, behind a barrier: is this the last block? What it
 * does then comes after what all others did before. */
__device__ __forceinline__ bool is_last_to_come(uint32_t *counter) {
    __threadfence();
    const bool last = take_number(counter, gridDim.x) == gridDim.x - 1;
    if (last)
        __threadfence();
    return last;
}

/* The same by all threads of each block, with the barriers. */
__device__ __forceinline__ bool is_last_block(uint32_t *counter) {
    WINNOW__SHARED(last, bool);
    __syncthreads();
    if (threadIdx.x == 0)
        last = is_last_to_come(counter);
    __syncthreads();
    return last;
}

} // namespace winnow
