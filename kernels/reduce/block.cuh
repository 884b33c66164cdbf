/*
 * What the threads of a block found becomes what the block found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_REDUCE_BLOCK_CUH
#define WINNOW_KERNELS_REDUCE_BLOCK_CUH

#include "part.cuh"

namespace winnow {

using ReduceTotals = winnow__reduce_totals;

constexpr unsigned int REDUCE_WARPS = REDUCE_THREADS / WARP;

__device__ __forceinline__ ReduceTotals nothing() {
    return {0,
            0,
            0,
            {UINT64_MAX, UINT64_MAX},
            {WINNOW__REDUCE_NO_TILE, WINNOW__REDUCE_NO_TILE}};
}

/* Of integers: (high, low) += (more_high, more). */
__device__ __forceinline__ void add_wide(uint64_t &low, uint64_t &high,
                                         uint64_t more, uint64_t more_high) {
    low += more;
    high += more_high + (low < more);
}

/* The lower rank, and of equal ones the earlier tile. */
__device__ __forceinline__ void lower(uint64_t &rank, uint64_t &tile,
                                      uint64_t other, uint64_t other_tile) {
    if (other < rank || (other == rank && other_tile < tile)) {
        rank = other;
        tile = other_tile;
    }
}

/* All but a sum of floats. */
template <bool SUM, int ENDS>
__device__ __forceinline__ void merge(ReduceTotals &into,
                                      const ReduceTotals &other) {
    into.count += other.count;
    if constexpr (SUM)
        add_wide(into.sum, into.sum_high, other.sum, other.sum_high);
#pragma unroll
    for (int e = 0; e < ENDS; e++)
        lower(into.rank[e], into.tile[e], other.rank[e], other.tile[e]);
}

__device__ __forceinline__ uint64_t from_lane(uint64_t x, unsigned int step) {
    return __shfl_xor_sync(ALL_LANES, x, static_cast<int>(step));
}

/* All but a sum of floats, of the block, in its thread 0. */
template <bool SUM, int ENDS>
__device__ __forceinline__ void merge_block(ReduceTotals &totals) {
    using Warps = ReduceTotals[REDUCE_WARPS];
    WINNOW__SHARED(warps, Warps);
#pragma unroll 1 /* once in a block: the library's size counts */
    for (unsigned int step = WARP / 2; step != 0; step /= 2) {
        ReduceTotals other = nothing();
        other.count = from_lane(totals.count, step);
        if constexpr (SUM) {
            other.sum = from_lane(totals.sum, step);
            other.sum_high = from_lane(totals.sum_high, step);
        }
#pragma unroll
        for (int e = 0; e < ENDS; e++) {
            other.rank[e] = from_lane(totals.rank[e], step);
            other.tile[e] = from_lane(totals.tile[e], step);
        }
        merge<SUM, ENDS>(totals, other);
    }
    if (lane_id() == 0)
        warps[warp_id()] = totals;
    __syncthreads();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (unsigned int i = 1; i < REDUCE_WARPS; i++)
            merge<SUM, ENDS>(totals, warps[i]);
}

/* ------------------------------------------------------- sums of floats */

/* The tree: number l and number l + half, until one is left. */
template <unsigned int NUMBER>
__device__ __forceinline__ double fold(double (&sums)[NUMBER]) {
#pragma unroll
    for (unsigned int half = NUMBER / 2; half != 0; half /= 2)
#pragma unroll
        for (unsigned int l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

/* The same over a sum of each thread, through memory for as many; in thread 0.
 */
__device__ __forceinline__ double fold_block(double sum, double *memory) {
    __syncthreads();
    memory[threadIdx.x] = sum;
    __syncthreads();
    if (warp_id() != 0)
        return 0;
    double sums[REDUCE_WARPS];
#pragma unroll
    for (unsigned int i = 0; i < REDUCE_WARPS; i++)
        sums[i] = memory[i * WARP + lane_id()];
    sum = fold(sums);
#pragma unroll
    for (unsigned int half = WARP / 2; half != 0; half /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, static_cast<int>(half));
    return sum;
}

/*
 * The same over all sums of a part. Where the array is not aligned, a part
 * begins within its first vector, and the thread's sums are that much further
 * on in a row. The tree does not see it: it adds sums that are half of their
 * number apart, wherever one begins to count them.
 */
template <class E>
__device__ __forceinline__ double fold_part(const ThreadSum<E> &sum) {
    constexpr unsigned int EACH = ThreadSum<E>::EACH;
    constexpr unsigned int NUMBER = EACH * REDUCE_THREADS;
    using Sums = double[NUMBER];
    WINNOW__SHARED(memory, Sums);
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++)
        memory[threadIdx.x * EACH + i] = sum.of_item[i];
    __syncthreads();
    double sums[EACH];
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++)
        sums[i] = memory[i * REDUCE_THREADS + threadIdx.x];
    return fold_block(fold(sums), memory);
}

/* What the block found in its part, in thread 0. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ ReduceTotals
totals_of(const ThreadPart<E, SUM, ENDS> &part) {
    ReduceTotals totals = nothing();
    totals.count = part.count;
    if constexpr (SUM && !E::IS_FLOAT) {
        totals.sum = part.sum.low;
        totals.sum_high = part.sum.high;
    }
#pragma unroll
    for (int e = 0; e < ENDS; e++) {
        totals.rank[e] = part.rank[e];
        totals.tile[e] = part.tile[e];
    }
    merge_block<SUM && !E::IS_FLOAT, ENDS>(totals);
    if constexpr (SUM && E::IS_FLOAT)
        totals.sum = winnow__reduce_as_bits(fold_part(part.sum));
    return totals;
}

} // namespace winnow

#endif
