/*
 * The place of a rank's items among those of all ranks, of their counts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ranks.cuh"

namespace winnow::nccl {

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

} // namespace winnow::nccl

WINNOW__FOR_HOST(winnow__nccl_place) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                     0, winnow::nccl::place);
