/*
 * Another program's long kernel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "occupy.h"

#include <cstdint>

namespace {

__device__ uint64_t nanoseconds_now() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void hold(occupation *o, uint64_t nanoseconds) {
    if (threadIdx.x == 0) {
        const uint64_t start = nanoseconds_now();
        atomicAdd_system(const_cast<unsigned *>(&o->begun), 1u);
        while (o->end == 0 && nanoseconds_now() - start < nanoseconds) {
        }
        atomicAdd_system(const_cast<unsigned *>(&o->ended), 1u);
    }
    __syncthreads();
}

} // namespace

cudaError_t occupy(struct occupation *occupation, unsigned multiprocessors,
                   double seconds, cudaStream_t stream) {
    int device, shared;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(
            &shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(
            hold, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    if (error != cudaSuccess)
        return error;
    hold<<<multiprocessors, 1024, shared, stream>>>(
        occupation, static_cast<uint64_t>(1e9 * seconds));
    return cudaGetLastError();
}
