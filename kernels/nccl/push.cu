/*
 * Stores each peer's part to its memory, with a number of blocks for each peer.
 * No block waits. offer.cu, which is earlier in the stream, wrote the plan. The
 * round after this kernel releases the stores to the peers (round.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "bytes.cuh"

namespace winnow::nccl {

__global__ void __launch_bounds__(WINNOW__NCCL_PUSH_THREADS)
    push(const __grid_constant__ winnow__nccl_push_args args) {
    /* Each rank begins with the next one, so that all begin with another. */
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
