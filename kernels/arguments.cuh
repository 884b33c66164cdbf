/*
 * What a kernel does with its arguments beside the work.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ARGUMENTS_CUH
#define WINNOW_KERNELS_ARGUMENTS_CUH

#include "args.h"
#include "ptx.cuh"

namespace winnow {

/*
 * Have those of the arguments fetched that the loads did not need. That takes a
 * while, and the compiler puts it off until their first use, which is when all
 * else is done: here, between a tile's loads and their use, nobody waits for
 * it. It takes a use, then: neither of these is ever so in a copy_if.
 */
__device__ __forceinline__ void fetch_arguments(const winnow__args &args) {
    if (args.count == nullptr || args.strategy < 0)
        __trap();
}

/* Tell which strategy runs, if that was asked for. */
__device__ __forceinline__ void tell_strategy(const winnow__args &args) {
    if (args.chosen != nullptr && blockIdx.x == 0 && threadIdx.x == 0)
        *args.chosen = args.strategy;
}

} // namespace winnow

#endif
