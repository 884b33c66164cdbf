/*
 * The cursor: where the next survivors of all blocks go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CURSOR_CUH
#define WINNOW_KERNELS_CURSOR_CUH

#include "arguments.cuh"
#include "overlap.cuh"

namespace winnow {

/*
 * By one thread of each block: take places for the block's survivors, of which
 * the first is returned, with the block's only atomic. The cursor counts
 * survivors in its lower BITS bits and blocks above, so that the block that
 * comes last knows it is the last, and the count.
 */
template <unsigned int BITS>
__device__ __forceinline__ uint64_t take_places(const winnow__args &args,
                                                uint64_t survivors) {
    constexpr uint64_t ONE_BLOCK = uint64_t(1) << BITS;
    wait_for_workspace();
    const uint64_t before =
        atomicAdd(&args.cursor->survivors, ONE_BLOCK | survivors);
    const uint64_t position = before & (ONE_BLOCK - 1);
    if (before >> BITS == gridDim.x - 1) {
        *args.count = position + survivors;
        args.cursor->survivors = 0; /* as it was found */
    }
    return position;
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
