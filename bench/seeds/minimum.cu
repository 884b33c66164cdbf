/*
 * The least element of an array: by an atomic for each element, and by a tree
 * in the shared memory of each block, of one tile or of a part of many.
 *
 * After S. Szenasi, "Atomic operations, fast reduction" (Obuda University).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernel.cuh"

namespace seeds {

constexpr unsigned int PER_THREAD = 4;
constexpr unsigned int PER_BLOCK = THREADS * PER_THREAD;

__global__ void __launch_bounds__(THREADS)
    minimum_atomic(const int32_t *in, uint64_t n, int32_t *minimum) {
    const uint64_t i = thread_index();
    if (i < n)
        atomicMin(minimum, in[i]);
}

/* The least of the elements of a block's tiles, in thread 0: each thread takes
 * that of four of each tile, then half of the threads that are left take that
 * of two, and so on. */
__device__ __forceinline__ int32_t block_minimum(const int32_t *in, uint64_t n,
                                                 uint64_t tiles = 1) {
    using Minima = int32_t[THREADS];
    WINNOW__SHARED(minima, Minima);
    const uint64_t first = blockIdx.x * tiles * PER_BLOCK;
    const uint64_t end = min(n, first + tiles * PER_BLOCK);
    int32_t least = in[first]; /* a block has one element at least */
    for (uint64_t tile = first; tile < end; tile += PER_BLOCK)
#pragma unroll
        for (unsigned int k = 0; k < PER_THREAD; k++) {
            const uint64_t i = tile + k * THREADS + threadIdx.x;
            if (i < end)
                least = min(least, in[i]);
        }
    minima[threadIdx.x] = least;
    for (unsigned int half = THREADS / 2; half != 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            minima[threadIdx.x] =
                min(minima[threadIdx.x], minima[threadIdx.x + half]);
    }
    return minima[threadIdx.x];
}

__global__ void __launch_bounds__(THREADS)
    minimum_tree_atomic(const int32_t *in, uint64_t n, int32_t *minimum) {
    const int32_t least = block_minimum(in, n);
    if (threadIdx.x == 0)
        atomicMin(minimum, least);
}

__global__ void __launch_bounds__(THREADS)
    minimum_tree(const int32_t *in, uint64_t n, int32_t *minima) {
    const int32_t least = block_minimum(in, n);
    if (threadIdx.x == 0)
        minima[blockIdx.x] = least;
}

__global__ void __launch_bounds__(THREADS)
    minimum_parts_atomic(const int32_t *in, uint64_t n, uint64_t tiles,
                         int32_t *minimum) {
    const int32_t least = block_minimum(in, n, tiles);
    if (threadIdx.x == 0)
        atomicMin(minimum, least);
}

__global__ void __launch_bounds__(THREADS)
    minimum_parts(const int32_t *in, uint64_t n, uint64_t tiles,
                  int32_t *minima) {
    const int32_t least = block_minimum(in, n, tiles);
    if (threadIdx.x == 0)
        minima[blockIdx.x] = least;
}

/* Tiles of a part: few enough that one block can take the minima of all parts. */
static uint64_t tiles_of_part(uint64_t n) {
    constexpr unsigned int LEAST = 4;
    const unsigned int tiles = blocks_for(n, PER_BLOCK * PER_BLOCK);
    return tiles < LEAST ? LEAST : tiles;
}

static unsigned int parts_for(uint64_t n) {
    return blocks_for(blocks_for(n, PER_BLOCK),
                      static_cast<unsigned int>(tiles_of_part(n)));
}

} // namespace seeds

int seeds_gpu_minimum_atomic(const int32_t *d_in, uint64_t n,
                             int32_t *d_minimum, winnow_stream stream) {
    using namespace seeds;
    return launch(minimum_atomic, blocks_for(n, THREADS), THREADS, stream, d_in,
                  n, d_minimum);
}

int seeds_gpu_minimum_tree_atomic(const int32_t *d_in, uint64_t n,
                                  int32_t *d_minimum, winnow_stream stream) {
    using namespace seeds;
    return launch(minimum_tree_atomic, blocks_for(n, PER_BLOCK), THREADS,
                  stream, d_in, n, d_minimum);
}

int seeds_gpu_minimum_parts_atomic(const int32_t *d_in, uint64_t n,
                                   int32_t *d_minimum, winnow_stream stream) {
    using namespace seeds;
    return launch(minimum_parts_atomic, parts_for(n), THREADS, stream, d_in, n,
                  tiles_of_part(n), d_minimum);
}

int seeds_gpu_minimum_parts(const int32_t *d_in, uint64_t n, int32_t *d_minimum,
                            int32_t *d_scratch, winnow_stream stream) {
    using namespace seeds;
    const unsigned int parts = parts_for(n);
    const int error = launch(minimum_parts, parts, THREADS, stream, d_in, n,
                             tiles_of_part(n), d_scratch);
    return error != cudaSuccess ? error
                                : launch(minimum_tree, 1, THREADS, stream,
                                         d_scratch, parts, d_minimum);
}

/* The minima of the first pass, and those of the second, beside them. */
uint64_t seeds_minimum_scratch(uint64_t n) {
    const uint64_t blocks = seeds::blocks_for(n, seeds::PER_BLOCK);
    return blocks + seeds::blocks_for(blocks, seeds::PER_BLOCK);
}

int seeds_gpu_minimum_passes(const int32_t *d_in, uint64_t n,
                             int32_t *d_minimum, int32_t *d_scratch,
                             winnow_stream stream) {
    using namespace seeds;
    int32_t *d_minima = d_scratch;
    int32_t *d_next = d_scratch + blocks_for(n, PER_BLOCK);
    for (;;) {
        const unsigned int blocks = blocks_for(n, PER_BLOCK);
        int32_t *const d_out = blocks == 1 ? d_minimum : d_minima;
        const int error =
            launch(minimum_tree, blocks, THREADS, stream, d_in, n, d_out);
        if (error != cudaSuccess || blocks == 1)
            return error;
        d_in = d_out;
        n = blocks;
        d_minima = d_next; /* of this pass; the next may have the others */
        d_next = d_out;
    }
}
