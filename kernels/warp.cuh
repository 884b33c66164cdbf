/*
 * Small things that the lanes of a warp do together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_WARP_CUH
#define WINNOW_KERNELS_WARP_CUH

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

/* The lanes below this one, as bits. */
__device__ __forceinline__ unsigned int lanes_below() {
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
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
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(ALL_LANES, x);
#else
#pragma unroll
    for (unsigned int step = WARP / 2; step != 0; step /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, step);
    return x;
#endif
}

/*
 * Barriers with a name, 1 to 15, for THREADS threads of a block, which need
 * not be in the same place of the program; those that arrive do not wait.
 */
template <unsigned int THREADS>
__device__ __forceinline__ void barrier(unsigned int name) {
    __syncwarp(); /* the lanes may come from different ways */
    asm volatile("barrier.sync %0, %1;" : : "r"(name), "n"(THREADS) : "memory");
}

template <unsigned int THREADS>
__device__ __forceinline__ void arrive(unsigned int name) {
    __syncwarp();
    asm volatile("barrier.arrive %0, %1;"
                 :
                 : "r"(name), "n"(THREADS)
                 : "memory");
}

} // namespace winnow

#endif
