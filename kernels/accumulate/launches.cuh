/*
 * Sums by key: the launches of a call. The first launch adds all that it can.
 * Later launches add what it left: other windows of keys, other components,
 * parts for front.cu, or parts in runs for runs.cu. A later launch ends at once
 * if cursor->left, or cursor->runs_left for runs.cu, says that nothing is left.
 *
 * A call has one of these lists of launches; no other combination of the flags
 * exists. The last launch clears the word that it reads if it is not the first.
 *
 *   launches           kernel     first  last  components  window  front_keys
 *   all                by_key.cu  yes    yes   all         none    0
 *   some components    by_key.cu  yes    no    some        none    0
 *     others           by_key.cu  no     no    some        none    0
 *     the last ones    by_key.cu  no     yes   some        none    0
 *   the first window   by_key.cu  yes    no    all         its     0
 *     others           by_key.cu  no     no    all         its     0
 *     the last one     by_key.cu  no     yes   all         its     0
 *   but the front      by_key.cu  yes    no    all         none    keys
 *     the front        front.cu   no     yes   all         none    keys
 *   all in runs        runs.cu    yes    yes   all         none    0
 *
 * If `runs` is set in all launches of a list, runs.cu follows as one more
 * launch, which clears cursor->runs_left. The last list has no such launch.
 *
 * Order of memory: the first launch stores cursor->left and cursor->runs_left,
 * and ends before later launches begin. In the launch that clears such a word,
 * all threads of a block read it before a barrier of the block, and the block
 * that is last stores 0 after all these reads (last_block.cuh).
 *
 * Each launch counts the keys beyond the bound in the parts that it adds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "items.cuh"
#include "kernels/core/block_sum.cuh"
#include "kernels/core/cursor.cuh"

namespace winnow::accumulate {

__device__ __forceinline__ bool
is_nothing_left(const winnow__accumulate_args &args, const unsigned int *left) {
    return !args.first && load_relaxed(left) == 0;
}

/* The block leaves a part to later launches; *left is cursor->left or
 * cursor->runs_left. Only the first launch stores it, since later launches
 * have the same parts. */
__device__ __forceinline__ void
leave_to_later(const winnow__accumulate_args &args, unsigned int *left) {
    if (args.first && threadIdx.x == 0)
        store_relaxed(left, 1);
}

/* All threads of each block call this. It acts in the last launch alone. */
__device__ __forceinline__ void clear_left(const winnow__accumulate_args &args,
                                           unsigned int *left) {
    if (args.first || !args.last)
        return;
    __syncthreads();
    if (threadIdx.x == 0 && is_last_to_come(&args.cursor->blocks_done))
        store_relaxed(left, 0);
}

/* The bits of the cursor that count keys beyond the bound. */
constexpr unsigned int BEYOND_BITS = 52;

/* `beyond` of the thread's keys were beyond the bound. In the first launch the
 * block that counts last writes *args.beyond. That launch ends before later
 * launches add to *args.beyond. */
__device__ __forceinline__ void
count_beyond(const winnow__accumulate_args &args, unsigned int beyond) {
    if (args.beyond == nullptr)
        return;
    const uint64_t of_block = block_sum<MOST_THREADS>(beyond, blockDim.x);
    if (threadIdx.x != 0)
        return;
    if (!args.first) {
        if (of_block != 0)
            atomicAdd(args.beyond, static_cast<unsigned long long>(of_block));
        return;
    }
    const Offsets offsets = take_offsets<BEYOND_BITS>(args.cursor, of_block);
    if (offsets.last)
        *args.beyond = offsets.first + of_block;
}

/* All threads of each block that did not end at once call this, after all parts
 * of the block were added to `sums`. */
template <class Sums>
__device__ __forceinline__ void end_launch(const winnow__accumulate_args &args,
                                           unsigned int *left, Sums &sums,
                                           unsigned int beyond) {
    trigger_dependents();
    sums.flush();
    clear_left(args, left);
    count_beyond(args, beyond);
}

} // namespace winnow::accumulate

/* A kernel's table, for args.h. */
#define WINNOW__SUM_ROW(THREADS, KERNEL, V)                                    \
    {                                                                          \
        WINNOW__ENTRY(THREADS, 0, 0, 0, KERNEL<V, uint32_t>),                  \
            WINNOW__ENTRY(THREADS, 0, 0, 0, KERNEL<V, unsigned long long>)     \
    }
#define WINNOW__SUM_TABLE(THREADS, KERNEL)                                     \
    {                                                                          \
        WINNOW__SUM_ROW(THREADS, KERNEL, uint32_t),                            \
            WINNOW__SUM_ROW(THREADS, KERNEL, unsigned long long),              \
            WINNOW__SUM_ROW(THREADS, KERNEL, float),                           \
            WINNOW__SUM_ROW(THREADS, KERNEL, double)                           \
    }
