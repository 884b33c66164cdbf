/*
 * Functions that CUDA C++ lacks: the position of a lane, and loads and stores
 * with memory order. All PTX of the device headers is here.
 *
 * Other compilers than CUDA's can compile these headers if the program supplies
 * CUDA's functions, defines WINNOW_DEVICE_PORT and declares the functions below
 * in winnow::device::port. The library's tests do that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_DEVICE_PLATFORM_CUH
#define WINNOW_DEVICE_PLATFORM_CUH

#if !defined(__CUDACC__) && !defined(WINNOW_DEVICE_PORT)
#error "winnow/device.cuh is for a CUDA compiler: nvcc -x cu, or NVRTC"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "winnow/device.cuh needs compute capability 7.0 or more"
#endif

#ifdef __CUDACC__
namespace winnow::device::port {

__device__ __forceinline__ unsigned int lane_id() {
    unsigned int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* The lanes below this one, as bits. */
__device__ __forceinline__ unsigned int lanes_below() {
    unsigned int mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* At the scope of the device, for any memory: a relaxed load; a load with
 * acquire; a store with release. */
__device__ __forceinline__ unsigned short
load_relaxed(const unsigned short *word) {
    unsigned short value;
    asm volatile("ld.relaxed.gpu.u16 %0, [%1];"
                 : "=h"(value)
                 : "l"(word)
                 : "memory");
    return value;
}

__device__ __forceinline__ unsigned int load_relaxed(const unsigned int *word) {
    unsigned int value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(word)
                 : "memory");
    return value;
}

__device__ __forceinline__ unsigned long long
load_relaxed(const unsigned long long *word) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(word)
                 : "memory");
    return value;
}

__device__ __forceinline__ unsigned int load_acquire(const unsigned int *word) {
    unsigned int value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(word)
                 : "memory");
    return value;
}

__device__ __forceinline__ void store_release(unsigned int *word,
                                              unsigned int value) {
    asm volatile("st.release.gpu.u32 [%0], %1;"
                 :
                 : "l"(word), "r"(value)
                 : "memory");
}

} // namespace winnow::device::port
#endif

namespace winnow::device {

constexpr unsigned int WARP_LANES = 32;
constexpr unsigned int FULL_WARP = 0xffffffffu;

using port::lane_id;
using port::lanes_below;

/* The number of this thread in its block, for any dimensions of the block. Lane
 * i of warp w is thread 32 w + i. */
__device__ __forceinline__ unsigned int block_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* The lowest and the highest lane of a mask that is not 0. */
__device__ __forceinline__ unsigned int lowest_lane(unsigned int mask) {
    return static_cast<unsigned int>(__ffs(static_cast<int>(mask))) - 1;
}

__device__ __forceinline__ unsigned int highest_lane(unsigned int mask) {
    return 31u - static_cast<unsigned int>(__clz(static_cast<int>(mask)));
}

/* The number of lanes of a mask below this one. */
__device__ __forceinline__ unsigned int rank_in(unsigned int mask) {
    return static_cast<unsigned int>(__popc(mask & lanes_below()));
}

} // namespace winnow::device

#endif
