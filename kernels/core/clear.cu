/*
 * Clears a workspace of unknown contents.
 *
 * A kernel instead of a memset, so that on devices that can (9.0 and later)
 * the launch of the next kernel, and its loads, overlap with it: programmatic
 * dependent launch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "clear.h"
#include "kernel.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256;
constexpr unsigned int MOST_BLOCKS = 64;

__global__ void __launch_bounds__(THREADS)
    clear(uint4 *memory, unsigned long long vectors) {
    trigger_dependents();
    for (unsigned long long i = blockIdx.x * THREADS + threadIdx.x; i < vectors;
         i += gridDim.x * THREADS)
        memory[i] = make_uint4(0, 0, 0, 0);
}

} // namespace winnow

cudaError_t winnow__clear(void *memory, size_t bytes, cudaStream_t stream) {
    using namespace winnow;
    const size_t vectors = bytes / sizeof(uint4);
    const size_t wanted = (vectors + THREADS - 1) / THREADS;
    const unsigned int blocks =
        wanted < MOST_BLOCKS ? static_cast<unsigned int>(wanted) : MOST_BLOCKS;
    uint4 *to = static_cast<uint4 *>(memory);
    unsigned long long number = vectors;
    void *arguments[] = {&to, &number};
    return cudaLaunchKernel(WINNOW__KERNEL(clear), blocks, THREADS, arguments,
                            0, stream);
}
