/*
 * The place of a rank's items among those of all, of ranks that reach each
 * other's memory: a round, of one count.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "round.cuh"

namespace winnow::nccl {

__global__ void __launch_bounds__(WINNOW__NCCL_PEERS)
    peer_place(const __grid_constant__ winnow__nccl_peer_place_args args) {
    const unsigned int thread = threadIdx.x, ranks = args.round.ranks;
    const Round round(args.round);
    if (thread < ranks)
        round.message_to(thread)[WINNOW__NCCL_COUNTS] =
            args.count != nullptr ? *args.count : 0;
    round.meet();
    if (thread > 1)
        return;
    /* Thread 0 has those before this rank, thread 1 all. */
    uint64_t *const to = thread == 0 ? args.first : args.total;
    const unsigned int end = thread == 0 ? args.round.rank : ranks;
    uint64_t sum = 0;
    for (unsigned int r = 0; r < end; r++)
        sum += round.message_from(r)[WINNOW__NCCL_COUNTS];
    if (to != nullptr)
        *to = sum;
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_peer_place) =
    WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0, 0, winnow::nccl::peer_place);
