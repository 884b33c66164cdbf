/*
 * Small things that the lanes of a warp do together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_WARP_CUH
#define WINNOW_KERNELS_WARP_CUH

#include "ptx.cuh"

#include <cstdint>

namespace winnow {

constexpr unsigned int WARP = 32;
constexpr unsigned int ALL_LANES = 0xffffffffu;

__device__ __forceinline__ unsigned int lane_id() {
    return threadIdx.x % WARP;
}

__device__ __forceinline__ unsigned int warp_id() {
    return threadIdx.x / WARP;
}

/* The sum of x over this lane and those below it (Hillis and Steele, 1986). */
template <class T>
__device__ __forceinline__ T inclusive_sum(T x) {
#pragma unroll
    for (unsigned int step = 1; step < WARP; step *= 2) {
        const T other = __shfl_up_sync(ALL_LANES, x, step);
        if (lane_id() >= step)
            x += other;
    }
    return x;
}

/* The sum of x over the warp, in every lane. */
__device__ __forceinline__ unsigned int sum(unsigned int x) {
    return reduce_add(x);
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

} // namespace winnow

#endif
