/*
 * The cursor: the offset in the output at which the next survivors begin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernel.cuh"
#include "last_block.cuh"

namespace winnow {

/* The offsets of a block's survivors. */
struct Offsets {
    uint64_t first;
    bool last; /* all other blocks have taken theirs */
};

/*
 * Take offsets for a block's survivors. One thread of each of `blocks` blocks
 * makes the call, which is the block's only atomic. The lower BITS bits of the
 * cursor count survivors, and the upper bits count blocks. So the last block
 * knows that it is the last; it sets the cursor to 0 again.
 *
 * All accesses are relaxed, at the scope of the device, since blocks exchange
 * only this word. So the last block's store comes after all additions, and the
 * end of the kernel comes before the next launch.
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

/* The same for all blocks of the launch. */
template <unsigned int BITS>
__device__ __forceinline__ Offsets take_offsets(winnow__cursor *cursor,
                                                uint64_t survivors) {
    return take_offsets<BITS>(cursor, survivors, gridDim.x);
}

/* The same. A launch of one block has no cursor. */
template <unsigned int BITS>
__device__ __forceinline__ Offsets take_any_offsets(const winnow__args &args,
                                                    uint64_t survivors) {
    if (gridDim.x == 1)
        return {0, true};
    return take_offsets<BITS>(args.cursor, survivors);
}

/* Called by all threads of every block when the block has taken its offsets.
 * The last block writes the count, and sets the cursor to 0 again. */
__device__ __forceinline__ void finish(const winnow__args &args) {
    __syncthreads();
    if (threadIdx.x != 0 || !is_last_to_come(&args.cursor->blocks_done))
        return;
    store_count(args, atomicExch(&args.cursor->survivors, 0ull));
}

} // namespace winnow
