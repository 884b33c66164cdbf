/*
 * The yardstick: a copy with 16-byte accesses; and two kernels for timing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

namespace {

constexpr int threads = 256;

/*
 * Items 16-byte loads per thread, all in flight before the first store. One
 * load per thread is the plain form; four give more bytes in flight. Which is
 * faster depends on the size and the device, so the benchmark tries both.
 */
template <int Items>
__global__ void __launch_bounds__(threads)
    copy(const uint4 *__restrict__ d_from, uint4 *__restrict__ d_to,
         uint64_t vectors) {
    const uint64_t first =
        (uint64_t)blockIdx.x * (threads * Items) + threadIdx.x;
    uint4 items[Items];
#pragma unroll
    for (int k = 0; k < Items; k++)
        if (first + k * threads < vectors)
            items[k] = __ldcs(d_from + first + k * threads);
#pragma unroll
    for (int k = 0; k < Items; k++)
        if (first + k * threads < vectors)
            __stcs(d_to + first + k * threads, items[k]);
}

/* The plain form caches as usual, which can win where all fits in the L2. */
template <>
__global__ void
__launch_bounds__(threads) copy<1>(const uint4 *__restrict__ d_from,
                                   uint4 *__restrict__ d_to, uint64_t vectors) {
    const uint64_t i = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (i < vectors)
        d_to[i] = d_from[i];
}

template <int Items>
int launch_copy(const void *d_from, void *d_to, uint64_t vectors,
                winnow_stream stream) {
    constexpr uint64_t per_block = (uint64_t)threads * Items;
    const uint64_t blocks = vectors / per_block + (vectors % per_block != 0);
    copy<Items><<<(unsigned)blocks, threads, 0, stream>>>(
        (const uint4 *)d_from, (uint4 *)d_to, vectors);
    return cudaGetLastError();
}

__device__ uint64_t nanoseconds_now() {
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void delay(uint64_t nanoseconds, long long cycles) {
    const uint64_t start = nanoseconds_now();
    while (nanoseconds_now() - start < nanoseconds) {
    }
    const long long then = clock64();
    while (clock64() - then < cycles) {
    }
}

__global__ void empty() {
}

} // namespace

int bench_gpu_copy(unsigned shape, const void *d_from, void *d_to,
                   uint64_t vectors, winnow_stream stream) {
    return shape == 0 ? launch_copy<1>(d_from, d_to, vectors, stream)
                      : launch_copy<4>(d_from, d_to, vectors, stream);
}

int bench_gpu_delay(uint64_t nanoseconds, uint32_t cycles,
                    winnow_stream stream) {
    delay<<<1, 1, 0, stream>>>(nanoseconds, cycles);
    return cudaGetLastError();
}

int bench_gpu_empty(winnow_stream stream) {
    empty<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
