/*
 * Stores what goes to each peer there, by a number of blocks for each. No block
 * waits. The plan is offer.cu's, which comes before in the stream; what is stored
 * is released to the peers by the round behind it (round.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "bytes.cuh"

namespace winnow::nccl {

__global__ void __launch_bounds__(WINNOW__NCCL_PUSH_THREADS)
    push(const __grid_constant__ winnow__nccl_push_args args) {
    /* A rank begins with its neighbour, so that no two begin with the same. */
    const unsigned int peer =
        (args.rank + 1 + blockIdx.x % args.ranks) % args.ranks;
    const Worker worker = {uint64_t(blockIdx.x / args.ranks) *
                                   WINNOW__NCCL_PUSH_THREADS +
                               threadIdx.x,
                           uint64_t(args.blocks) * WINNOW__NCCL_PUSH_THREADS};
    const winnow__nccl_plan &plan = *args.plan;
    const uint64_t begin = plan.begin[peer], count = plan.count[peer];
    if (count == 0)
        return;
    for (unsigned int c = 0; c < args.columns; c++)
        copy_bytes(plan.to[peer][c], args.in[c] + begin * args.bytes[c],
                   count * args.bytes[c], worker);
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_push) = WINNOW__ENTRY(WINNOW__NCCL_PUSH_THREADS,
                                                    0, 0, 0,
                                                    winnow::nccl::push);
