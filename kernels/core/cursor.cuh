/*
 * The cursor: where the next survivors of all blocks go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernel.cuh"
#include "last_block.cuh"

namespace winnow {

/* What take_offsets() gave to a block. */
struct Offsets {
    uint64_t first;
    bool last; /* all other blocks had theirs before */
};

/*
 * By one thread of each of `blocks` blocks: take offsets for the block's
 * survivors, with the block's only atomic. The cursor counts survivors in its lower
 * BITS bits and blocks above, so that the block that comes last knows it is the
 * last; it leaves the cursor as it was found.
 *
 * All accesses are relaxed, at the scope of the device: blocks exchange nothing
 * but this word. That puts the last block's store after all additions; the end
 * of the kernel puts it before the next launch.
 */
template <unsigned int BITS>
__device__ __forceinline__ Offsets take_offsets(winnow__cursor *cursor,
                                                uint64_t survivors,
                                                uint64_t blocks) {
    constexpr uint64_t ONE_BLOCK = uint64_t(1) << BITS;
    wait_for_stream();
    const uint64_t before =
        atomicAdd(&cursor->survivors, ONE_BLOCK | survivors);
    const bool last = before >> BITS == blocks - 1;
    if (last)
        store_relaxed(&cursor->survivors, 0);
    return {before & (ONE_BLOCK - 1), last};
}

/* By all blocks of the launch. */
template <unsigned int BITS>
__device__ __forceinline__ Offsets take_offsets(winnow__cursor *cursor,
                                                uint64_t survivors) {
    return take_offsets<BITS>(cursor, survivors, gridDim.x);
}

/* The same where a block may be the only one, which has no cursor. */
template <unsigned int BITS>
__device__ __forceinline__ Offsets take_any_offsets(const winnow__args &args,
                                                    uint64_t survivors) {
    if (gridDim.x == 1)
        return {0, true};
    return take_offsets<BITS>(args.cursor, survivors);
}

/* By all threads of every block when the block has taken its offsets. The last
 * block to come knows the count; it writes it, and leaves the cursor as it was
 * found. */
__device__ __forceinline__ void finish(const winnow__args &args) {
    __syncthreads();
    if (threadIdx.x != 0 || !is_last_to_come(&args.cursor->blocks_done))
        return;
    store_count(args, atomicExch(&args.cursor->survivors, 0ull));
}

} // namespace winnow
