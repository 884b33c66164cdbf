/*
 * What a rank tells each rank: how much it sends there, or what is wrong.
 *
 * One block: the whole of the offsets is looked at before any word is written.
 * NCCL takes the words from here, in stream order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

namespace winnow::nccl {

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

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_make_words) =
    WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0, 0, winnow::nccl::make_words);
