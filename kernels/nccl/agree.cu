/*
 * How ranks agree on an exchange: each tells the others what it sends, judges
 * what it hears, and tells its host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

#include "kernels/core/ptx.cuh"

namespace winnow::nccl {

/* What a rank tells each rank: how much it sends there, or what is wrong. One
 * block: the whole of the offsets is looked at before any word is written. NCCL
 * takes the words from here, in stream order. */
__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    make_words(const __grid_constant__ winnow__nccl_words_args args) {
    const uint64_t fault = find_fault(args, args.ranks);
    for (unsigned int r = threadIdx.x; r <= args.ranks; r += blockDim.x) {
        const uint64_t begin = fault == WINNOW__NCCL_FINE ? args.offsets[r] : 0;
        args.send[r] = begin;
        if (r == args.ranks)
            continue;
        winnow__nccl_word &word = args.words[r];
        word.count =
            fault == WINNOW__NCCL_FINE ? args.offsets[r + 1] - begin : 0;
        word.same = args.same;
        word.fault = fault;
    }
}

/* What a rank makes of the words that came to it: where what comes will lie,
 * whether there is room, and whether all is well with all ranks. But for the
 * room, all ranks come to the same: each has heard every other. */
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

/* The host hears what comes and goes: in memory of its own, which it looks at
 * when the stream has come so far. The caller gets his offsets where no rank has
 * a fault. */
__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    tell(const __grid_constant__ winnow__nccl_tell_args args) {
    const winnow__nccl_verdict verdict = *args.verdict;
    const bool is_fine =
        verdict.fault == WINNOW__NCCL_FINE && verdict.other == 0;
    if (threadIdx.x == 0)
        *args.host_verdict = verdict;
    if (threadIdx.x == 0 && is_fine && args.share != nullptr)
        *args.share = verdict.needed;
    for (unsigned int r = threadIdx.x; r <= args.ranks; r += blockDim.x) {
        args.host_send[r] = args.send[r];
        args.host_receive[r] = args.receive[r];
        if (is_fine && args.from_offsets != nullptr)
            args.from_offsets[r] = args.receive[r];
    }
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_make_words) =
    WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0, 0, winnow::nccl::make_words);
WINNOW__FOR_HOST(winnow__nccl_judge) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::judge);
WINNOW__FOR_HOST(winnow__nccl_tell) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                    0, winnow::nccl::tell);
