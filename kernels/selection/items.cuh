/*
 * The number of items of a selection, where the device knows it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/ptx.cuh"
#include "args.h"

namespace winnow::selection {

/* A selection whose items end where *items says, and not behind its own end.
 * NULL: they are all there. */
__device__ __forceinline__ winnow__selection
limit_items(winnow__selection selection, const unsigned long long *items) {
    if (items != nullptr && *items < selection.n)
        selection.n = *items;
    return selection;
}

} // namespace winnow::selection
