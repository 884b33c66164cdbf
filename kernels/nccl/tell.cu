/*
 * The host hears what comes and goes: in memory of its own, which it looks at
 * when the stream has come so far. The caller gets his offsets where no rank has
 * a fault.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"

#include "kernels/core/ptx.cuh"

namespace winnow::nccl {

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

WINNOW__FOR_HOST(winnow__nccl_tell) = WINNOW__ENTRY(WINNOW__NCCL_THREADS, 0, 0,
                                                    0, winnow::nccl::tell);
