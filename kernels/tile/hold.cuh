/*
 * To have a value ready before it is waited for. The compiler makes it where it
 * is used, and makes it again rather than keep a register: that saves work, but
 * where all warps wait for one of them, work done earlier costs nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* Ask ptxas for the value here, as pin() asks nvcc (kernels/core/ptx.cuh): it
 * does not move a shuffle, and this one changes nothing. By all lanes of a
 * warp. */
__device__ __forceinline__ void hold(uint32_t &x) {
    x = __shfl_sync(ALL_LANES, x, lane_id());
}

template <class T>
__device__ __forceinline__ void hold(T *&x) {
    x = reinterpret_cast<T *>(__shfl_sync(
        ALL_LANES, reinterpret_cast<unsigned long long>(x), lane_id()));
}

/* The same of a value that all lanes share, of which ptxas would know that the
 * shuffle changes nothing: each has another here, and the first one's is taken.
 */
__device__ __forceinline__ void hold_same(uint32_t &x) {
    x = __shfl_sync(ALL_LANES, x + lane_id(), 0);
}

/*
 * A block's variables in shared memory, their address in a register: ptxas asks
 * a special register (S2UR) for it wherever they are used. By all lanes.
 */
template <class T>
__device__ __forceinline__ T &at_hand(T &variables) {
    uint32_t address = shared_address(&variables);
    hold_same(address);
    return *static_cast<T *>(shared_pointer(address));
}

} // namespace winnow::tile
