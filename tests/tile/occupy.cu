/*
 * Another program's long kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/ptx.cuh"

#include "occupy.h"

namespace {

#ifdef __CUDACC__
__device__ uint64_t nanoseconds_now() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#else
/* Turns of threads, which a seed repeats. */
uint64_t nanoseconds_now() {
    return simt::cycles();
}
#endif

__global__ void hold(occupation *o, uint64_t nanoseconds) {
    if (threadIdx.x == 0) {
        const uint64_t start = nanoseconds_now();
        atomicAdd_system(&o->begun, 1u);
        while (winnow::load_relaxed(&o->end) == 0 &&
               nanoseconds_now() - start < nanoseconds) {
        }
        atomicAdd_system(&o->ended, 1u);
    }
    __syncthreads();
}

} // namespace

cudaError_t occupy(struct occupation *occupation, unsigned multiprocessors,
                   double seconds, cudaStream_t stream) {
    const void *const kernel = WINNOW__KERNEL(hold);
    uint64_t nanoseconds = static_cast<uint64_t>(1e9 * seconds);
    void *arguments[] = {&occupation, &nanoseconds};
    int device, shared;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(
            &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error != cudaSuccess)
        return error;
    return cudaLaunchKernel(kernel, multiprocessors, 1024, arguments,
                            static_cast<size_t>(shared), stream);
}
