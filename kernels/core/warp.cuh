/*
 * Small functions for the lanes of a warp and the warps of a block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

#include <winnow/device/scan.cuh>

namespace winnow {

constexpr unsigned int WARP = device::WARP_LANES;
constexpr unsigned int ALL_LANES = device::FULL_WARP;

/* Blocks have one dimension here, so threadIdx.x gives the lane.
 * device::lane_id() reads a special register. */
__device__ __forceinline__ unsigned int lane_id() {
    return threadIdx.x % WARP;
}

__device__ __forceinline__ unsigned int warp_id() {
    return threadIdx.x / WARP;
}

/* The sum of x over this lane and the lanes below it. */
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
 * The named barriers of ptx.cuh, for warps whose lanes may have diverged.
 * Threads that arrive do not wait.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void barrier(unsigned int name) {
    __syncwarp(); /* the lanes may have diverged */
    barrier_sync<THREADS>(name);
}

template <unsigned int THREADS>
__device__ __forceinline__ void arrive(unsigned int name) {
    __syncwarp();
    barrier_arrive<THREADS>(name);
}

/*
 * Transpose a square of bit fields. Each of 32 / BITS adjacent lanes has the
 * same number of fields, of BITS bits each. Lane i gets field i of all lanes,
 * in the order of the lanes.
 */
template <unsigned int BITS>
__device__ __forceinline__ uint32_t transpose(uint32_t fields,
                                              unsigned int lane) {
#pragma unroll
    for (unsigned int step = 16 / BITS; step != 0; step /= 2) {
        /* `lower` has the fields whose number is without the bit `step`. */
        const unsigned int shift = step * BITS;
        const uint32_t lower = ~0u / ((1u << shift) + 1);
        const uint32_t other = __shfl_xor_sync(ALL_LANES, fields, step);
        fields = lane & step ? (fields & ~lower) | (other & ~lower) >> shift
                             : (fields & lower) | (other & lower) << shift;
    }
    return fields;
}

} // namespace winnow
