/*
 * Tests the strings that are not decided by their first bytes or by a hit. All
 * threads of a block share these strings, even if few lanes have one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_LOOK_CUH
#define WINNOW_KERNELS_STRING_LOOK_CUH

#include "match.cuh"

#include "kernels/core/kernel.cuh"

namespace winnow::string {

constexpr unsigned int THREADS = WINNOW__STRING_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;

__device__ __forceinline__ const winnow__pattern *
pattern_of(const winnow__test_strings_args &args) {
    return args.pattern != nullptr
               ? args.pattern
               : reinterpret_cast<const winnow__pattern *>(args.own);
}

/* A block has ROWS rows of strings, with one string for each thread in a row.
 * Bit r of a thread's mask is for its string of row r. */
template <unsigned int ROWS>
struct Block {
    uint32_t words[ROWS * WARPS]; /* which strings pass */
    uint32_t count;               /* of the strings that are left */
    uint16_t numbers[ROWS * THREADS];
};

/* List the strings in the threads' masks, with a warp's strings contiguous. A
 * barrier is needed before the list is read. */
template <unsigned int ROWS>
__device__ __forceinline__ void list(Block<ROWS> &block, uint32_t mask) {
    uint32_t row[ROWS], number = 0, at = 0;
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        row[r] = __ballot_sync(ALL_LANES, mask >> r & 1);
        number += __popc(row[r]);
    }
    if (lane_id() == 0)
        at = atomicAdd(&block.count, number);
    at = __shfl_sync(ALL_LANES, at, 0);
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        if ((mask >> r & 1) != 0)
            block.numbers[at + __popc(row[r] & lanes_below())] =
                static_cast<uint16_t>(r * THREADS + threadIdx.x);
        at += __popc(row[r]);
    }
}

/* Test the strings of the list, each by one lane or, TOGETHER, by a warp. */
template <winnow__string_kernel KERNEL, bool TOGETHER, unsigned int ROWS>
__device__ __forceinline__ void test_list(const winnow__test_strings_args &args,
                                          const winnow__pattern *pattern,
                                          uint64_t first, Block<ROWS> &block) {
    constexpr unsigned int EACH = TOGETHER ? WARPS : THREADS;
#pragma unroll 1
    for (unsigned int i = TOGETHER ? warp_id() : threadIdx.x; i < block.count;
         i += EACH) {
        const unsigned int number = block.numbers[i];
        const bool passes = matches<KERNEL, TOGETHER>(
            load_string(args.column, first + number), pattern);
        if (passes && (!TOGETHER || lane_id() == 0))
            atomicOr(&block.words[number / WARP], 1u << number % WARP);
    }
}

/* Are most of the listed views' strings long? All threads of a block call it. */
template <unsigned int ROWS>
__device__ __forceinline__ bool
views_are_long(const winnow__test_strings_args &args, uint64_t first,
               const Block<ROWS> &block) {
    const auto *const views =
        static_cast<const winnow__view *>(args.column.strings) + first;
    unsigned int mine = 0, is_long = 0;
#pragma unroll 1
    for (unsigned int i = threadIdx.x; i < block.count; i += THREADS) {
        mine++;
        is_long += views[block.numbers[i]].bytes >= WINNOW__LONG_STRING;
    }
    return 2 * __syncthreads_count(mine != 0 && 2 * is_long >= mine) >=
           static_cast<int>(min(block.count, THREADS));
}

/* Write the words of a block's `count` strings: the bits of `passes` and, if
 * any is left, of the strings in `left` that match. VIEWS: the column may have
 * views. All threads call it last. */
template <winnow__string_kernel KERNEL, unsigned int ROWS, bool VIEWS>
__device__ __forceinline__ void
finish(const winnow__test_strings_args &args, const winnow__pattern *pattern,
       uint64_t first, unsigned int count, uint32_t passes, bool some_left,
       uint32_t left) {
    WINNOW__SHARED(block, Block<ROWS>);
    constexpr bool CAN =
        KERNEL == WINNOW__STRING_LIKE || KERNEL == WINNOW__STRING_CONTAIN;
    uint32_t mine = 0;
    /* Keep the rows that have a string. */
    left &= (1u << (count + THREADS - 1 - threadIdx.x) / THREADS) - 1;
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const uint32_t word = __ballot_sync(ALL_LANES, passes >> r & 1);
        if (lane_id() == r)
            mine = word;
    }
    const unsigned int w = lane_id() * WARPS + warp_id();
    if (some_left) {
        if (lane_id() < ROWS)
            block.words[w] = mine;
        if (threadIdx.x == 0)
            block.count = 0;
        some_left = __syncthreads_or(left != 0);
    }
    if (some_left) {
        list(block, left);
        __syncthreads();
        bool together = args.together;
        /* A lane tests the begin and the end of a pattern fast. */
        const bool searched = KERNEL == WINNOW__STRING_CONTAIN ||
                              (pattern->open_front && pattern->open_back);
        if (CAN && VIEWS && searched &&
            args.column.layout == WINNOW__STRING_VIEWS)
            together = views_are_long(args, first, block);
        if (CAN && together)
            test_list<KERNEL, CAN>(args, pattern, first, block);
        else
            test_list<KERNEL, false>(args, pattern, first, block);
        __syncthreads();
        if (lane_id() < ROWS)
            mine = block.words[w];
    }
    const unsigned int item = w * WARP;
    if (lane_id() >= ROWS || item >= count)
        return;
    mine = args.inverted ? ~mine : mine;
    args.words[(first + item) / WARP] =
        count - item < WARP ? mine & ((1u << (count - item)) - 1) : mine;
}

} // namespace winnow::string

#endif
