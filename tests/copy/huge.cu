/*
 * Data and checks for arrays too large to bring to the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "huge.h"

namespace {

constexpr unsigned threads = 256;
/* Blocks of a kernel whose threads stride over the array. */
constexpr unsigned blocks = 2048;

__device__ uint64_t first_index() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ uint64_t stride() {
    return (uint64_t)gridDim.x * blockDim.x;
}

__device__ void add(uint64_t *to, uint64_t amount) {
    atomicAdd((unsigned long long *)to, (unsigned long long)amount);
}

/* The finaliser of splitmix64. */
__device__ uint64_t hash(uint64_t i) {
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

__global__ void fill(uint8_t *d, uint64_t n) {
    for (uint64_t i = first_index(); i < n; i += stride())
        d[i] = (uint8_t)hash(i);
}

__global__ void histogram(const uint8_t *d, uint64_t n, uint64_t *bins) {
    /* A block sees at most n / blocks elements, rounded up: far from 2^32. */
    __shared__ unsigned own[256];

    own[threadIdx.x] = 0;
    __syncthreads();
    for (uint64_t i = first_index(); i < n; i += stride())
        atomicAdd(&own[d[i]], 1u);
    __syncthreads();
    add(&bins[threadIdx.x], own[threadIdx.x]);
}
static_assert(threads == 256, "one thread per bin");

__global__ void others(const uint8_t *d, uint64_t n, uint8_t value,
                       uint64_t *count) {
    uint64_t mine = 0;

    for (uint64_t i = first_index(); i < n; i += stride())
        mine += d[i] != value;
    if (mine)
        add(count, mine);
}

__global__ void chunk_counts(const uint8_t *in, uint64_t n, const uint8_t *keep,
                             uint64_t *kept) {
    const uint64_t chunk = first_index();
    const uint64_t start = chunk * HUGE_CHUNK;
    uint64_t count = 0;

    if (start >= n)
        return;
    for (uint64_t i = start; i < start + HUGE_CHUNK && i < n; i++)
        count += keep[in[i]] != 0;
    kept[chunk] = count;
}

__global__ void misplaced(const uint8_t *in, uint64_t n, const uint8_t *keep,
                          const uint64_t *offsets, const uint8_t *out,
                          uint64_t *wrong) {
    const uint64_t chunk = first_index();
    const uint64_t start = chunk * HUGE_CHUNK;
    uint64_t offset, mine = 0;

    if (start >= n)
        return;
    offset = offsets[chunk];
    for (uint64_t i = start; i < start + HUGE_CHUNK && i < n; i++)
        if (keep[in[i]])
            mine += out[offset++] != in[i];
    if (mine)
        add(wrong, mine);
}

unsigned chunk_blocks(uint64_t n) {
    return (unsigned)((HUGE_CHUNKS(n) + threads - 1) / threads);
}

} // namespace

cudaError_t huge_fill(uint8_t *d, uint64_t n, cudaStream_t stream) {
    fill<<<blocks, threads, 0, stream>>>(d, n);
    return cudaGetLastError();
}

cudaError_t huge_histogram(const uint8_t *d, uint64_t n, uint64_t *d_histogram,
                           cudaStream_t stream) {
    const cudaError_t error =
        cudaMemsetAsync(d_histogram, 0, 256 * sizeof(*d_histogram), stream);

    if (error != cudaSuccess)
        return error;
    histogram<<<blocks, threads, 0, stream>>>(d, n, d_histogram);
    return cudaGetLastError();
}

cudaError_t huge_others(const uint8_t *d, uint64_t n, uint8_t value,
                        uint64_t *d_others, cudaStream_t stream) {
    const cudaError_t error =
        cudaMemsetAsync(d_others, 0, sizeof(*d_others), stream);

    if (error != cudaSuccess)
        return error;
    others<<<blocks, threads, 0, stream>>>(d, n, value, d_others);
    return cudaGetLastError();
}

cudaError_t huge_chunk_counts(const uint8_t *d_in, uint64_t n,
                              const uint8_t *d_keep, uint64_t *d_kept,
                              cudaStream_t stream) {
    chunk_counts<<<chunk_blocks(n), threads, 0, stream>>>(d_in, n, d_keep,
                                                          d_kept);
    return cudaGetLastError();
}

cudaError_t huge_misplaced(const uint8_t *d_in, uint64_t n,
                           const uint8_t *d_keep, const uint64_t *d_offsets,
                           const uint8_t *d_out, uint64_t *d_wrong,
                           cudaStream_t stream) {
    const cudaError_t error =
        cudaMemsetAsync(d_wrong, 0, sizeof(*d_wrong), stream);

    if (error != cudaSuccess)
        return error;
    misplaced<<<chunk_blocks(n), threads, 0, stream>>>(
        d_in, n, d_keep, d_offsets, d_out, d_wrong);
    return cudaGetLastError();
}
