/*
 * What a rank makes of the words that came to it: where what comes will lie,
 * whether there is room, and whether all is well with all ranks. But for the
 * room, all ranks come to the same: each has heard every other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

namespace winnow::nccl {

__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    judge(const __grid_constant__ winnow__nccl_judge_args args) {
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(lowest, Faults);
    const auto fault = [&](unsigned int r) { return args.words[r].fault; };
    const auto same = [&](unsigned int r) { return args.words[r].same; };
    const Faults faults = find_faults(args.ranks, &lowest, fault, same);
    sum_ranks(
        args.ranks, sums, [&](unsigned int r) { return args.words[r].count; },
        [&](unsigned int r, uint64_t before) {
            args.receive[r] = before;
            if (r != args.ranks)
                return;
            winnow__nccl_verdict &verdict = *args.verdict;
            tell_faults(verdict, faults, fault, same);
            verdict.needed = before;
            verdict.capacity = args.capacity;
            if (before > args.capacity)
                verdict.is_short = ~uint64_t(args.rank);
        });
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_judge) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::judge);
