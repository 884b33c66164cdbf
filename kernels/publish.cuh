/*
 * What comes before a block tells others of its tile. It tells in words that
 * one thread writes, or several add to, and others read until all is there: all
 * of them relaxed (ptx.cuh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PUBLISH_CUH
#define WINNOW_KERNELS_PUBLISH_CUH

#include "args.h"
#include "ptx.cuh"

namespace winnow {

/*
 * Before telling that a tile has been counted. In place, that allows others to
 * write where it was; its loads came before the barrier that came before this.
 */
__device__ __forceinline__ void finish_loads(const winnow__args &args) {
    if (args.in == args.out)
        __threadfence();
}

} // namespace winnow

#endif
