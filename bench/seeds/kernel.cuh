/*
 * What the experiments' kernels share: the device functions of the library,
 * shared variables (WINNOW__SHARED of kernels/core/ptx.cuh), and how they are
 * launched, on a GPU and on the CPU device of the tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_KERNEL_CUH
#define WINNOW_BENCH_SEEDS_KERNEL_CUH

#include "kernels/core/ptx.cuh"
#ifndef __CUDACC__
#include "tests/simt/port.hpp"
#endif
#include <winnow/device.cuh>

#include "kernels.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace seeds {

using namespace winnow::device;

constexpr unsigned int THREADS = 256;

/* The number of this thread in a grid of one dimension. */
__device__ __forceinline__ uint64_t thread_index() {
    return static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/* Blocks that have an item for each of their threads; one where there is
 * none. */
inline unsigned int blocks_for(uint64_t items, unsigned int per_block) {
    const uint64_t blocks = (items + per_block - 1) / per_block;
    return blocks > 0 ? static_cast<unsigned int>(blocks) : 1;
}

/* kernel<<<blocks, threads, 0, stream>>>(arguments...), as a cudaError_t. */
template <class... P>
int launch(void (*kernel)(P...), unsigned int blocks, unsigned int threads,
           winnow_stream stream, winnow::device::Same<P>... arguments) {
    void *addresses[] = {
        const_cast<void *>(static_cast<const void *>(&arguments))...};
#ifndef __CUDACC__
    simt::announce(kernel);
#endif
    return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), blocks,
                            threads, addresses, 0, stream);
}

} // namespace seeds

#endif
