/*
 * Small things that the lanes of a warp do together, and the warps of a block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

#include <winnow/device/scan.cuh>

namespace winnow {

constexpr unsigned int WARP = device::WARP_LANES;
constexpr unsigned int ALL_LANES = device::FULL_WARP;

/* Blocks have one dimension here: a lane's number costs no read of a special
 * register, as device::lane_id() does. */
__device__ __forceinline__ unsigned int lane_id() {
    return threadIdx.x % WARP;
}

__device__ __forceinline__ unsigned int warp_id() {
    return threadIdx.x / WARP;
}

/* The sum of x over this lane and those below it. */
template <class T>
__device__ __forceinline__ T inclusive_sum(T x) {
    return device::scan_full_warp(x, lane_id(), device::Plus());
}

/* The sum of x over the warp, in every lane. */
template <class T>
__device__ __forceinline__ T sum(T x) {
    if constexpr (sizeof(T) == 4) {
        return reduce_add(x);
    } else {
#pragma unroll
        for (unsigned int step = WARP / 2; step != 0; step /= 2)
            x += __shfl_xor_sync(ALL_LANES, x, step);
        return x;
    }
}

/*
 * Barriers with a name, 1 to 15, for THREADS threads of a block, which need
 * not be in the same place of the program; those that arrive do not wait.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void barrier(unsigned int name) {
    __syncwarp(); /* the lanes may come from different ways */
    barrier_sync<THREADS>(name);
}

template <unsigned int THREADS>
__device__ __forceinline__ void arrive(unsigned int name) {
    __syncwarp();
    barrier_arrive<THREADS>(name);
}

/*
 * A square of bit fields: 32 / BITS lanes, side by side, have as many fields of
 * BITS bits each. Transpose it: lane i gets the i-th fields of all, in the
 * order of the lanes.
 */
template <unsigned int BITS>
__device__ __forceinline__ uint32_t transpose(uint32_t fields,
                                              unsigned int lane) {
#pragma unroll
    for (unsigned int step = 16 / BITS; step != 0; step /= 2) {
        /* The fields whose number has this bit; then its halves are swapped. */
        const unsigned int shift = step * BITS;
        const uint32_t lower = ~0u / ((1u << shift) + 1);
        const uint32_t other = __shfl_xor_sync(ALL_LANES, fields, step);
        fields = lane & step ? (fields & ~lower) | (other & ~lower) >> shift
                             : (fields & lower) | (other & lower) << shift;
    }
    return fields;
}

} // namespace winnow
