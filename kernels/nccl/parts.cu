/*
 * Equal shares of the items of all ranks, in their order: what this rank has of
 * each share, as offsets of its items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

#include "kernels/core/share.h"

namespace winnow::nccl {

/* This rank's items, among those of all. */
struct Items {
    uint64_t first, total;
};

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
        }); /* and a barrier */
    const uint64_t end = items.first + args.counts[args.rank];
    for (unsigned int r = threadIdx.x; r <= args.ranks; r += blockDim.x)
        args.offsets[r] = winnow__within(
            winnow__share(items.total, args.ranks, r), items.first, end);
}

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_parts) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::parts);
