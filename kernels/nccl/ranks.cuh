/*
 * Sums and faults of all ranks, by one block. There may be more ranks than
 * threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

#include "kernels/core/block_sum.cuh"

namespace winnow::nccl {

using Sums = WarpSums<unsigned long long, WINNOW__NCCL_THREADS / WARP>;

/* Calls visit(r, before) for each rank and for r = ranks; `before` is the sum
 * of value(i) over i < r. All threads of a block call this. */
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

/* This rank's fault, from the arguments of agree.cu or offer.cu. All threads of
 * a block call this. */
template <class Args>
__device__ __forceinline__ uint64_t find_fault(const Args &args,
                                               unsigned int ranks) {
    int descending = 0;
    if (args.fault != WINNOW__NCCL_FINE)
        return args.fault;
    for (unsigned int r = threadIdx.x; r < ranks; r += blockDim.x)
        descending |= args.offsets[r] > args.offsets[r + 1];
    if (__syncthreads_or(descending))
        return WINNOW__NCCL_DESCENDING;
    return args.offsets[ranks] > args.most ? WINNOW__NCCL_BEYOND
                                           : WINNOW__NCCL_FINE;
}

constexpr unsigned int NO_RANK = ~0u;

/* The faults of all ranks. */
struct Faults {
    unsigned int rank;  /* the lowest rank with a fault, or NO_RANK */
    unsigned int other; /* the lowest whose arguments are not those of rank 0 */

    __device__ __forceinline__ bool are_none() const {
        return rank == NO_RANK && other == NO_RANK;
    }
};

/* fault(r) and same(r) are those of rank r. All threads of a block call this;
 * it has barriers. *lowest_p is in shared memory. */
template <class Fault, class Same>
__device__ __forceinline__ Faults find_faults(unsigned int ranks,
                                              Faults *lowest_p, Fault fault,
                                              Same same) {
    unsigned int lowest = NO_RANK, other = NO_RANK;
    if (threadIdx.x == 0)
        *lowest_p = {NO_RANK, NO_RANK};
    for (unsigned int r = threadIdx.x; r < ranks; r += blockDim.x) {
        if (fault(r) != WINNOW__NCCL_FINE)
            lowest = min(lowest, r);
        if (same(r) != same(0))
            other = min(other, r);
    }
    __syncthreads();
    if (lowest != NO_RANK)
        atomicMin(&lowest_p->rank, lowest);
    if (other != NO_RANK)
        atomicMin(&lowest_p->other, other);
    __syncthreads();
    return *lowest_p;
}

/* Writes faults to a verdict, or to a report that the host reads later;
 * fault(r) and same(r) as above. One thread calls this. */
template <class To, class Fault, class Same>
__device__ __forceinline__ void tell_faults(To &to, const Faults &faults,
                                            Fault fault, Same same) {
    const unsigned int other = faults.other == NO_RANK ? 0 : faults.other;
    to.fault_rank = faults.rank;
    to.fault = faults.rank == NO_RANK ? WINNOW__NCCL_FINE : fault(faults.rank);
    to.other = other;
    to.same[0] = same(0);
    to.same[1] = same(other);
    to.is_short = 0;
}

} // namespace winnow::nccl
