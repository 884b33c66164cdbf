/*
 * Many blocks copy bytes; input and output may have any alignment.
 *
 * Stores are aligned vectors of 16 bytes, which are fastest on a link between
 * GPUs. If the input is aligned differently, a vector is made of two aligned
 * vectors, both within the bytes that are copied. Ends are copied by bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/ptx.cuh"

namespace winnow::nccl {

constexpr unsigned int VECTOR = 16; /* bytes */
constexpr unsigned int AT_ONCE = 4; /* vectors that a thread loads at once */

/* 16 bytes of low and high, from byte `first` of low on. */
__device__ __forceinline__ uint4 join(const uint4 &low, const uint4 &high,
                                      unsigned int first) {
    const unsigned int bits = first % 4 * 8;
    uint32_t w[8] = {low.x,  low.y,  low.z,  low.w,
                     high.x, high.y, high.z, high.w};
    if (first & 8)
#pragma unroll
        for (unsigned int i = 0; i < 6; i++)
            w[i] = w[i + 2];
    if (first & 4)
#pragma unroll
        for (unsigned int i = 0; i < 5; i++)
            w[i] = w[i + 1];
    return make_uint4(
        __funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
        __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/* The number of a thread, and of all threads that copy. */
struct Worker {
    uint64_t number, all;
};

/* Copies vectors first to end - 1 to `to`. `from` is `shift` bytes behind an
 * aligned vector. */
template <bool SHIFTED>
__device__ __forceinline__ void
copy_vectors(uint4 *to, const uint4 *from, unsigned int shift, uint64_t first,
             uint64_t end, const Worker &worker) {
    for (uint64_t v = first + worker.number; v < end;
         v += worker.all * AT_ONCE) {
        uint4 low[AT_ONCE], high[AT_ONCE];
#pragma unroll
        for (unsigned int k = 0; k < AT_ONCE; k++) {
            const uint64_t at = v + k * worker.all;
            if (at >= end)
                continue;
            low[k] = SHIFTED ? from[at] : __ldcs(from + at);
            if (SHIFTED)
                high[k] = from[at + 1];
        }
#pragma unroll
        for (unsigned int k = 0; k < AT_ONCE; k++) {
            const uint64_t at = v + k * worker.all;
            if (at < end)
                to[at] = SHIFTED ? join(low[k], high[k], shift) : low[k];
        }
    }
}

/* All workers call this. */
__device__ __forceinline__ void copy_bytes(unsigned char *to,
                                           const unsigned char *from,
                                           uint64_t bytes,
                                           const Worker &worker) {
    const uint64_t before = min(
        bytes, (VECTOR - reinterpret_cast<uintptr_t>(to) % VECTOR) % VECTOR);
    const uint64_t vectors = (bytes - before) / VECTOR;
    const unsigned int shift =
        reinterpret_cast<uintptr_t>(from + before) % VECTOR;
    uint64_t first = 0, end = vectors;
    if (shift != 0) {
        first = min(uint64_t(1), vectors);
        end = max(first, vectors - first);
    }
    uint4 *const out = reinterpret_cast<uint4 *>(to + before);
    const uint4 *const in =
        reinterpret_cast<const uint4 *>(from + before - shift);
    if (shift != 0)
        copy_vectors<true>(out, in, shift, first, end, worker);
    else
        copy_vectors<false>(out, in, shift, first, end, worker);
    /* The bytes at both ends, which are in no vector. */
    const uint64_t low = before + first * VECTOR;
    const uint64_t high = before + end * VECTOR;
    for (uint64_t i = worker.number; i < low + (bytes - high);
         i += worker.all) {
        const uint64_t at = i < low ? i : high + (i - low);
        to[at] = from[at];
    }
}

} // namespace winnow::nccl
