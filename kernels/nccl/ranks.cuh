/*
 * What a block finds out about the ranks, of whom there may be more than
 * threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

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

/* Of the arguments of agree.cu and offer.cu: is something wrong with what this
 * rank sends? By all threads of a block. */
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

/* What is wrong with the ranks. */
struct Faults {
    unsigned int rank;  /* the lowest that has a fault, or NO_RANK */
    unsigned int other; /* the lowest whose arguments are not those of rank 0 */

    __device__ __forceinline__ bool are_none() const {
        return rank == NO_RANK && other == NO_RANK;
    }
};

/* fault(r), same(r): of a rank. By all threads of a block; *lowest_p is a shared
 * variable, and there are barriers. */
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

/* To a verdict, or to what the host hears when it asks later; fault(r) and
 * same(r) as above. By one thread. */
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
