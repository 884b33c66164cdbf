/*
 * Fences around the words in which blocks publish the counts of their tiles.
 * One thread writes a word, or several add to it, and others read it until all
 * is there. These accesses are relaxed, at the scope of the device
 * (kernels/core/ptx.cuh).
 *
 * That is enough where nothing but the words is exchanged. In place more is: a
 * tile's survivors are written where earlier tiles were. So every load of a
 * tile has to come before every store of the tiles that know of its count:
 * release_loads() comes before a count is published, and acquire_loads() after
 * it was observed.
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

/* By the thread that publishes. All threads' loads of the tile came before a
 * barrier of the block, and that before this fence. */
__device__ __forceinline__ void release_loads(bool in_place) {
    if (in_place)
        __threadfence();
}

/* By the thread that has observed. A barrier of the block hands on what this
 * fence orders to the threads that store. */
__device__ __forceinline__ void acquire_loads(bool in_place) {
    if (in_place)
        __threadfence();
}

} // namespace winnow::tile
