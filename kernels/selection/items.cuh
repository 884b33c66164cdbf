/*
 * The number of items of a selection, if it is in device memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/ptx.cuh"
#include "args.h"

namespace winnow::selection {

/* The selection with at most *items items. If `items` is NULL, it has all its
 * items. */
__device__ __forceinline__ winnow__selection
limit_items(winnow__selection selection, const unsigned long long *items) {
    if (items != nullptr && *items < selection.n)
        selection.n = *items;
    return selection;
}

} // namespace winnow::selection
