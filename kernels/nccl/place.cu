/*
 * The place of a rank's items among those of all ranks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"
#include "round.cuh"

#include "kernels/core/share.h"

namespace winnow::nccl {

/* From the counts of all ranks. */
__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    place(const __grid_constant__ winnow__nccl_place_args args) {
    WINNOW__SHARED(sums, Sums);
    sum_ranks(
        args.ranks, sums, [&](unsigned int r) { return args.counts[r]; },
        [&](unsigned int r, uint64_t before) {
            if (r == args.rank && args.first != nullptr)
                *args.first = before;
            if (r == args.ranks && args.total != nullptr)
                *args.total = before;
        });
}

/* The place of this rank's first item, and the number of all items. */
struct Items {
    uint64_t first, total;
};

/* Equal shares of the items of all ranks, in their order. The offsets say which
 * of this rank's items are in each share. */
__global__ void __launch_bounds__(WINNOW__NCCL_THREADS)
    parts(const __grid_constant__ winnow__nccl_parts_args args) {
    WINNOW__SHARED(sums, Sums);
    WINNOW__SHARED(items, Items);
    sum_ranks(
        args.ranks, sums, [&](unsigned int r) { return args.counts[r]; },
        [&](unsigned int r, uint64_t before) {
            if (r == args.rank)
                items.first = before;
            if (r == args.ranks)
                items.total = before;
        }); /* ends with a barrier */
    const uint64_t end = items.first + args.counts[args.rank];
    for (unsigned int r = threadIdx.x; r <= args.ranks; r += blockDim.x)
        args.offsets[r] = winnow__within(
            winnow__share(items.total, args.ranks, r), items.first, end);
}

/* For ranks with peer access: a round with one count. */
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
    /* Thread 0 sums the counts before this rank, thread 1 all counts. */
    uint64_t *const to = thread == 0 ? args.first : args.total;
    const unsigned int end = thread == 0 ? args.round.rank : ranks;
    uint64_t sum = 0;
    for (unsigned int r = 0; r < end; r++)
        sum += round.message_from(r)[WINNOW__NCCL_COUNTS];
    if (to != nullptr)
        *to = sum;
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_place) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::place);
WINNOW__FOR_HOST(winnow__nccl_parts) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::parts);
WINNOW__FOR_HOST(winnow__nccl_peer_place) =
    WINNOW__ENTRY(WINNOW__NCCL_PEERS, 0, 0, 0, winnow::nccl::peer_place);
