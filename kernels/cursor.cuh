/*
 * The cursor: where the next survivors of all blocks go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CURSOR_CUH
#define WINNOW_KERNELS_CURSOR_CUH

#include "args.h"

namespace winnow {

/* Tell which strategy runs, if that was asked for. */
__device__ __forceinline__ void tell_strategy(const winnow__args &args) {
    if (args.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *args.chosen = args.strategy;
}

/*
 * Called by all threads of every block when the block has taken its places.
 * The last block to come knows the count; it writes it, and leaves the cursor
 * as it was found.
 */
__device__ __forceinline__ void finish(const winnow__args &args) {
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    winnow__cursor *const cursor = args.cursor;
    __threadfence();
    if (atomicAdd(&cursor->blocks_done, 1u) != gridDim.x - 1)
        return;
    *args.count = atomicExch(&cursor->survivors, 0ull);
    cursor->blocks_done = 0;
}

} // namespace winnow

#endif
