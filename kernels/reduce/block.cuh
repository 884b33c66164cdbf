/*
 * The totals of a block, from those of its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "part.cuh"
#include "result.h"

namespace winnow::reduce {

using Totals = winnow__reduce_totals;

constexpr unsigned int WARPS = THREADS / WARP;

/* Call visit(number, member) for used members. WIDE: a sum has 128 bits. */
template <bool SUM, bool WIDE, int ENDS, class Visit>
__device__ __forceinline__ void visit_members(Totals &totals,
                                              const Visit &visit) {
    visit(0, totals.count);
    if constexpr (SUM)
        visit(1, totals.sum);
    if constexpr (WIDE)
        visit(2, totals.sum_high);
#pragma unroll
    for (int e = 0; e < ENDS; e++) {
        visit(3 + e, totals.rank[e]);
        visit(5 + e, totals.tile[e]);
    }
}

/* Merges all but a sum of floats over the block, in thread 0. */
template <bool SUM, int ENDS>
__device__ __forceinline__ void merge_block(Totals &totals) {
    using Warps = Totals[WARPS];
    WINNOW__SHARED(warps, Warps);
#pragma unroll 1 /* runs once in a block, so small code matters more */
    for (int step = WARP / 2; step != 0; step /= 2) {
        Totals other = totals;
        visit_members<SUM, SUM, ENDS>(other, [&](int, uint64_t &member) {
            member = __shfl_xor_sync(ALL_LANES, member, step);
        });
        winnow__reduce_merge(&totals, &other, SUM, ENDS);
    }
    if (lane_id() == 0)
        warps[warp_id()] = totals;
    __syncthreads();
    if (threadIdx.x == 0)
#pragma unroll 1
        for (unsigned int i = 1; i < WARPS; i++)
            winnow__reduce_merge(&totals, &warps[i], SUM, ENDS);
}

/* ------------------------------------------------------- sums of floats */

/* The tree: adds sum l + half to sum l, until one sum is left. */
template <unsigned int NUMBER>
__device__ __forceinline__ double fold(double (&sums)[NUMBER]) {
#pragma unroll
    for (unsigned int half = NUMBER / 2; half != 0; half /= 2)
#pragma unroll
        for (unsigned int l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

/* The same over one sum of each thread, in `memory`; thread 0 has the result.
 */
__device__ __forceinline__ double fold_block(double sum, double *memory) {
    __syncthreads();
    memory[threadIdx.x] = sum;
    __syncthreads();
    if (warp_id() != 0)
        return 0;
    double sums[WARPS];
#pragma unroll
    for (unsigned int i = 0; i < WARPS; i++)
        sums[i] = memory[i * WARP + lane_id()];
    sum = fold(sums);
#pragma unroll
    for (unsigned int half = WARP / 2; half != 0; half /= 2)
        sum += __shfl_xor_sync(ALL_LANES, sum, static_cast<int>(half));
    return sum;
}

/*
 * The same over all sums of a part. If the array is not aligned, a part begins
 * within its first vector, and all sums are rotated by that offset. The result
 * is the same: the tree adds sums that are half of their number apart, wherever
 * the first one is.
 */
template <class E>
__device__ __forceinline__ double fold_part(const ThreadSum<E> &sum) {
    constexpr unsigned int EACH = ThreadSum<E>::EACH;
    constexpr unsigned int NUMBER = EACH * THREADS;
    using Sums = double[NUMBER];
    WINNOW__SHARED(memory, Sums);
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++)
        memory[threadIdx.x * EACH + i] = sum.of_item[i];
    __syncthreads();
    double sums[EACH];
#pragma unroll
    for (unsigned int i = 0; i < EACH; i++)
        sums[i] = memory[i * THREADS + threadIdx.x];
    return fold_block(fold(sums), memory);
}

/* The totals of the block's part, in thread 0. */
template <class E, bool SUM, int ENDS>
__device__ __forceinline__ Totals
totals_of(const ThreadPart<E, SUM, ENDS> &part) {
    Totals totals = winnow__reduce_nothing();
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
        totals.sum = winnow__as_bits(fold_part(part.sum));
    return totals;
}

} // namespace winnow::reduce
