/*
 * Fences around the words in which blocks publish the counts of their tiles.
 * One thread writes a word, or several threads add to it, and others poll it
 * until it is complete. These accesses are relaxed, at the scope of the device
 * (kernels/core/ptx.cuh).
 *
 * That is enough if blocks exchange only the words. In place, survivors of a
 * tile overwrite items of earlier tiles. So the loads of a tile have to come
 * before the stores of every tile that observed its count: release_loads() is
 * called before a count is published, acquire_loads() after it was observed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "kernels/core/ptx.cuh"

namespace winnow::tile {

__device__ __forceinline__ bool is_in_place(const winnow__args &args) {
    return args.in == args.sink.out;
}

/* The thread that publishes calls this. A barrier of the block orders all
 * threads' loads of the tile before this fence. */
__device__ __forceinline__ void release_loads(bool in_place) {
    if (in_place)
        __threadfence();
}

/* The thread that has observed calls this. A barrier of the block orders this
 * fence before the stores of all threads. */
__device__ __forceinline__ void acquire_loads(bool in_place) {
    if (in_place)
        __threadfence();
}

} // namespace winnow::tile
