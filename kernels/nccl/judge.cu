/*
 * What a rank makes of the words that came to it: where what comes will lie,
 * whether there is room, and whether all is well with all ranks. But for the
 * room, all ranks come to the same: each has heard every other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

namespace winnow::nccl {

constexpr unsigned int NO_RANK = ~0u;

/* The lowest of the ranks that the threads have found. */
__device__ __forceinline__ unsigned int lowest(unsigned int rank,
                                               unsigned int *lowest_p) {
    if (threadIdx.x == 0)
        *lowest_p = NO_RANK;
    __syncthreads();
    atomicMin(lowest_p, rank);
    __syncthreads();
    return *lowest_p;
}

__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    judge(const __grid_constant__ winnow__nccl_judge_args args) {
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(shared, unsigned int);
    unsigned int faulty = NO_RANK;
    int differs = 0;
    for (unsigned int r = threadIdx.x; r < args.ranks; r += blockDim.x) {
        if (args.words[r].fault != WINNOW__NCCL_FINE)
            faulty = min(faulty, r);
        differs |= args.words[r].same != args.words[0].same;
    }
    faulty = lowest(faulty, &shared);
    differs = __syncthreads_or(differs);
    sum_ranks(
        args.ranks, sums, [&](unsigned int r) { return args.words[r].count; },
        [&](unsigned int r, uint64_t before) {
            args.receive[r] = before;
            if (r != args.ranks)
                return;
            winnow__nccl_verdict &verdict = *args.verdict;
            verdict.needed = before;
            verdict.fault_rank = faulty;
            verdict.fault = faulty == NO_RANK ? 0 : args.words[faulty].fault;
            verdict.differs = static_cast<uint64_t>(differs != 0);
            verdict.is_short = before > args.capacity ? 1 : 0;
        });
}

} // namespace winnow::nccl

extern "C" const winnow__kernel winnow__nccl_judge;
const winnow__kernel winnow__nccl_judge = {WINNOW__KERNEL(winnow::nccl::judge),
                                           WINNOW__NCCL_THREADS, 0, 0, 0};
