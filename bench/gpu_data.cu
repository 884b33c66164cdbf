/*
 * The test data on the GPU: made, summed and checked there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

namespace {

constexpr int threads = 256;
/* Enough blocks to fill any GPU; the loops below stride over the rest. */
constexpr uint64_t most_blocks = 4096;

unsigned blocks_for(uint64_t items) {
    const uint64_t blocks = items / threads + (items % threads != 0);
    return (unsigned)(blocks < most_blocks ? blocks : most_blocks);
}

__device__ uint64_t first_item() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ uint64_t item_stride() {
    return (uint64_t)gridDim.x * blockDim.x;
}

/* Every lane of the warp calls this. */
__device__ void add_over_warp(uint64_t *d_total, uint64_t value) {
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0 && value != 0)
        atomicAdd((unsigned long long *)d_total, (unsigned long long)value);
}

__global__ void generate(bench_data data, void *d_array) {
    for (uint64_t i = first_item(); i < data.n; i += item_stride())
        bench_store(d_array, data.size, i,
                    bench_element(&data, i, bench_keeps(&data, i)));
}

__device__ uint64_t chunk_end(const bench_data &data, uint64_t chunk) {
    const uint64_t end = (chunk + 1) * BENCH_CHUNK;
    return end < data.n ? end : data.n;
}

__global__ void expect(bench_data data, uint64_t *d_counts, uint64_t *d_sum) {
    const uint64_t chunks = bench_chunk_count(data.n);
    uint64_t sum = 0;
    for (uint64_t chunk = first_item(); chunk < chunks;
         chunk += item_stride()) {
        uint64_t kept = 0;
        for (uint64_t i = chunk * BENCH_CHUNK; i < chunk_end(data, chunk); i++)
            if (bench_keeps(&data, i)) {
                kept++;
                sum += bench_scramble(bench_element(&data, i, true));
            }
        d_counts[chunk] = kept;
    }
    add_over_warp(d_sum, sum);
}

__global__ void sum_elements(const void *d_array, uint32_t size, uint64_t count,
                             uint64_t *d_sum) {
    uint64_t sum = 0;
    for (uint64_t i = first_item(); i < count; i += item_stride())
        sum += bench_scramble(bench_load(d_array, size, i));
    add_over_warp(d_sum, sum);
}

__global__ void misplaced(bench_data data, const uint64_t *d_bases,
                          const void *d_array, uint64_t *d_wrong) {
    const uint64_t chunks = bench_chunk_count(data.n);
    uint64_t wrong = 0;
    for (uint64_t chunk = first_item(); chunk < chunks;
         chunk += item_stride()) {
        uint64_t offset = d_bases[chunk];
        for (uint64_t i = chunk * BENCH_CHUNK; i < chunk_end(data, chunk); i++)
            if (bench_keeps(&data, i))
                wrong += bench_load(d_array, data.size, offset++) !=
                         bench_element(&data, i, true);
    }
    add_over_warp(d_wrong, wrong);
}

__global__ void multiply(int64_t *d_a, const int32_t *d_b, uint64_t n) {
    for (uint64_t i = first_item(); i < n; i += item_stride())
        d_a[i] *= d_b[i];
}

} // namespace

int bench_gpu_multiply(int64_t *d_a, const int32_t *d_b, uint64_t n,
                       winnow_stream stream) {
    if (n == 0)
        return cudaSuccess;
    multiply<<<blocks_for(n), threads, 0, stream>>>(d_a, d_b, n);
    return cudaGetLastError();
}

int bench_gpu_generate(const bench_data *data, void *d_array,
                       winnow_stream stream) {
    generate<<<blocks_for(data->n), threads, 0, stream>>>(*data, d_array);
    return cudaGetLastError();
}

int bench_gpu_expect(const bench_data *data, uint64_t *d_counts,
                     uint64_t *d_sum, winnow_stream stream) {
    const uint64_t chunks = bench_chunk_count(data->n);
    expect<<<blocks_for(chunks), threads, 0, stream>>>(*data, d_counts, d_sum);
    return cudaGetLastError();
}

int bench_gpu_sum(const void *d_array, uint32_t size, uint64_t count,
                  uint64_t *d_sum, winnow_stream stream) {
    if (count == 0)
        return cudaSuccess;
    sum_elements<<<blocks_for(count), threads, 0, stream>>>(d_array, size,
                                                            count, d_sum);
    return cudaGetLastError();
}

int bench_gpu_misplaced(const bench_data *data, const uint64_t *d_bases,
                        const void *d_array, uint64_t *d_wrong,
                        winnow_stream stream) {
    misplaced<<<blocks_for(bench_chunk_count(data->n)), threads, 0, stream>>>(
        *data, d_bases, d_array, d_wrong);
    return cudaGetLastError();
}
