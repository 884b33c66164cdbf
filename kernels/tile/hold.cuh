/*
 * Compute a value early. By default the compiler computes a value where it is
 * used, and computes it again rather than keep a register. That saves work. But
 * before a point where all warps wait, work costs nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* Make ptxas compute the value here, as pin() does for nvcc
 * (kernels/core/ptx.cuh): ptxas does not move a shuffle, and this one does not
 * change the value. All lanes of a warp call it. */
__device__ __forceinline__ void hold(uint32_t &x) {
    x = __shfl_sync(ALL_LANES, x, lane_id());
}

template <class T>
__device__ __forceinline__ void hold(T *&x) {
    x = reinterpret_cast<T *>(__shfl_sync(
        ALL_LANES, reinterpret_cast<unsigned long long>(x), lane_id()));
}

/* The same for a value that is equal in all lanes. ptxas would remove a shuffle
 * of equal values, so each lane adds its number, and all take lane 0's value.
 */
__device__ __forceinline__ void hold_same(uint32_t &x) {
    x = __shfl_sync(ALL_LANES, x + lane_id(), 0);
}

/*
 * A block's variables in shared memory, with their address in a register. ptxas
 * would read it from a special register (S2UR) at each use. For all lanes.
 */
template <class T>
__device__ __forceinline__ T &at_hand(T &variables) {
    uint32_t address = shared_address(&variables);
    hold_same(address);
    return *static_cast<T *>(shared_pointer(address));
}

} // namespace winnow::tile
