/*
 * Sums over the ranks, of whom there may be more than threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_NCCL_RANKS_CUH
#define WINNOW_KERNELS_NCCL_RANKS_CUH

#include "args.h"

#include "kernels/core/block_sum.cuh"

namespace winnow::nccl {

using Sums = WarpSums<unsigned long long, WINNOW__NCCL_THREADS / WARP>;

/* visit(r, before): of each rank, by a thread, the sum of value(i) over the
 * ranks i < r; and of `ranks` that of all. By all threads of a block. */
template <class Value, class Visit>
__device__ __forceinline__ void sum_ranks(unsigned int ranks, Sums &sums,
                                          Value value, Visit visit) {
    unsigned long long before = 0;
    for (unsigned int first = 0; first <= ranks;
         first += WINNOW__NCCL_THREADS) {
        const unsigned int r = first + threadIdx.x;
        const unsigned long long own = r < ranks ? value(r) : 0;
        unsigned long long total;
        const unsigned long long here = exclusive_sum(own, sums, &total);
        if (r <= ranks)
            visit(r, before + here);
        before += total;
        __syncthreads(); /* `sums` is written again */
    }
}

} // namespace winnow::nccl

#endif
