/*
 * How ranks agree on an exchange: each rank sends the others a word about what
 * it sends, judges the words that it receives, and reports to its host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

#include "kernels/core/ptx.cuh"

namespace winnow::nccl {

/* Writes a word for each rank: the count that goes there, or this rank's fault.
 * The kernel has one block, which checks all offsets before it writes a word.
 * NCCL sends the words, in stream order. */
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

/* Judges the received words: the offsets of the elements that come, whether
 * there is room, and the faults of all ranks. All ranks have the words of all
 * ranks, so that their verdicts differ only in `needed` and the room. */
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

/* Reports the offsets and the verdict to the host, in host memory that it reads
 * after this kernel. The caller gets the offsets if no rank has a fault. */
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
