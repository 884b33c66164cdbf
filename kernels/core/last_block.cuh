/*
 * Finds the last block of a grid, which sees the results of all others.
 *
 * Memory order: the writes and atomics of a block's threads come before a
 * barrier of the block, and the barrier comes before thread 0's first fence.
 * This fence and the addition to the counter are a release at the scope of the
 * device. All additions form one release sequence. The addition of the last
 * block reads from it, and is an acquire together with the second fence. A
 * barrier extends this order to the block's other threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

namespace winnow {

/* The number of this call among `calls` calls, from 0 on. The last call sets
 * the counter to 0 again. The atomic is relaxed: it orders nothing else. */
__device__ __forceinline__ unsigned int take_number(uint32_t *counter,
                                                    unsigned int calls) {
    const unsigned int number = atomicAdd(counter, 1u);
    if (number == calls - 1)
        store_relaxed(counter, 0);
    return number;
}

/* Is this the last block? Thread 0 of each block calls it, after a barrier.
 * What the last block does next comes after all that the others did before. */
__device__ __forceinline__ bool is_last_to_come(uint32_t *counter) {
    __threadfence();
    const bool last = take_number(counter, gridDim.x) == gridDim.x - 1;
    if (last)
        __threadfence();
    return last;
}

/* The same, called by all threads of each block; it has the barriers. */
__device__ __forceinline__ bool is_last_block(uint32_t *counter) {
    WINNOW__SHARED(last, bool);
    __syncthreads();
    if (threadIdx.x == 0)
        last = is_last_to_come(counter);
    __syncthreads();
    return last;
}

} // namespace winnow
