/*
 * Small things that the lanes of a warp do together, and the warps of a block.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_CORE_WARP_CUH
#define WINNOW_KERNELS_CORE_WARP_CUH

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

/* The sum of x over the block, which has so many threads, at most MOST; in its
 * thread 0. Once in a kernel: no barrier comes after the reads. */
template <unsigned int MOST>
__device__ __forceinline__ uint64_t block_sum(uint64_t x,
                                              unsigned int threads) {
    using Warps = uint64_t[MOST / WARP];
    WINNOW__SHARED(warps, Warps);
#pragma unroll
    for (unsigned int step = WARP / 2; step != 0; step /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, step);
    if (lane_id() == 0)
        warps[warp_id()] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned int i = 1; i < threads / WARP; i++)
            x += warps[i];
    return x;
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
