/*
 * Sums by key: the launches of a call. The first one adds all it can. Later
 * ones add what it left: other windows of keys, other components, or parts for
 * accumulate_front.cu. If it left nothing, they end at once.
 *
 * Order of memory: cursor->left is stored by the first launch, which ends
 * before the others begin. In the last launch all threads of a block have read
 * it before the block counts itself, by the barrier and the first fence: a
 * release. The last block's addition reads from those of all others, so that
 * with the second fence, the acquire, its store of 0 comes after all these
 * reads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ACCUMULATE_LAUNCHES_CUH
#define WINNOW_KERNELS_ACCUMULATE_LAUNCHES_CUH

#include "accumulate.h"
#include "kernel.cuh"

namespace winnow {

__device__ __forceinline__ bool
is_nothing_left(const winnow__accumulate_args &args) {
    return !args.first && load_relaxed(&args.cursor->left) == 0;
}

/* The block has met a part for later launches. Acts in the first one alone:
 * later ones meet the same parts. */
__device__ __forceinline__ void
leave_to_later(const winnow__accumulate_args &args) {
    if (args.first && !args.last && threadIdx.x == 0)
        store_relaxed(&args.cursor->left, 1);
}

/* By all threads of each block that did not end at once. */
__device__ __forceinline__ void
end_launch(const winnow__accumulate_args &args) {
    if (args.first || !args.last)
        return;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    __threadfence();
    if (atomicAdd(&args.cursor->blocks_done, 1u) != gridDim.x - 1)
        return;
    __threadfence();
    store_relaxed(&args.cursor->blocks_done, 0);
    store_relaxed(&args.cursor->left, 0);
}

} // namespace winnow

#endif
