/*
 * Scatter: write staged survivors to the output, in whole lines of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/kernel.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::tile {

/* The number of the `count` survivors at `offset` that fit in the output. */
__device__ __forceinline__ unsigned int
clip(const winnow__args &args, uint64_t offset, unsigned int count) {
    const uint64_t room = room_of(args);
    if (offset >= room)
        return 0;
    const uint64_t left = room - offset;
    return count > left ? static_cast<unsigned int>(left) : count;
}

/*
 * All threads of a block write value(i) to out[i]. Each warp's stores fill one
 * aligned line of memory, one element per thread.
 */
template <class U, unsigned int THREADS, class Value>
__device__ __forceinline__ void scatter_each(U *out, unsigned int count,
                                             Value value) {
    constexpr unsigned int LINE = 128 / sizeof(U);
    const int first =
        static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(U) % LINE);
    for (int i = static_cast<int>(threadIdx.x) - first;
         i < static_cast<int>(count); i += THREADS)
        if (i >= 0)
            __stcs(out + i, value(i));
}

/* The same for values that have to be loaded: a thread loads several at a time.
 */
template <class U, unsigned int THREADS, class Value>
__device__ __forceinline__ void gather_each(U *out, unsigned int count,
                                            Value value) {
    constexpr unsigned int BATCH = 4;
    constexpr unsigned int LINE = 128 / sizeof(U);
    const int first =
        static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(U) % LINE);
#pragma unroll 1
    for (int begin = static_cast<int>(threadIdx.x) - first;
         begin < static_cast<int>(count); begin += BATCH * THREADS) {
        U values[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const int i = begin + static_cast<int>(k * THREADS);
            if (i >= 0 && i < static_cast<int>(count))
                values[k] = value(i);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const int i = begin + static_cast<int>(k * THREADS);
            if (i >= 0 && i < static_cast<int>(count))
                __stcs(out + i, values[k]);
        }
    }
}

/* Write what a block has staged, one element per thread. */
template <class U, unsigned int THREADS>
__device__ __forceinline__ void scatter_elements(U *out, const U *staged,
                                                 unsigned int count) {
    scatter_each<U, THREADS>(out, count, [&](int i) { return staged[i]; });
}

/*
 * The vector that ends `ahead` bytes before the end of `high`; `low` is the
 * vector before `high`. `ahead` is the same for all threads.
 */
__device__ __forceinline__ uint2 straddle(const uint2 &low, const uint2 &high,
                                          unsigned int ahead) {
    const unsigned int bits = 8 * (ahead % 4);
    const uint32_t middle = __funnelshift_l(low.y, high.x, bits);
    return ahead < 4 ? make_uint2(middle, __funnelshift_l(high.x, high.y, bits))
                     : make_uint2(__funnelshift_l(low.x, low.y, bits), middle);
}

__device__ __forceinline__ uint4 straddle(const uint4 &low, const uint4 &high,
                                          unsigned int ahead) {
    const unsigned int bits = 8 * (ahead % 4);
    const auto word = [bits](uint32_t before, uint32_t after) {
        return __funnelshift_l(before, after, bits);
    };
    switch (ahead / 4) {
    case 0:
        return make_uint4(word(low.w, high.x), word(high.x, high.y),
                          word(high.y, high.z), word(high.z, high.w));
    case 1:
        return make_uint4(word(low.z, low.w), word(low.w, high.x),
                          word(high.x, high.y), word(high.y, high.z));
    case 2:
        return make_uint4(word(low.y, low.z), word(low.z, low.w),
                          word(low.w, high.x), word(high.x, high.y));
    default:
        return make_uint4(word(low.x, low.y), word(low.y, low.z),
                          word(low.z, low.w), word(low.w, high.x));
    }
}

/*
 * Write staged small elements, one vector per thread. A vector is made of two
 * staged ones, since output and stage may be aligned differently. The last warp
 * writes the elements at both ends, one per lane: it has fewer vectors than the
 * first warps if their number is no multiple of the threads.
 */
template <class Vector, class U, unsigned int THREADS>
__device__ __forceinline__ void scatter_vectors(U *out, const U *staged,
                                                unsigned int count) {
    constexpr unsigned int EACH = sizeof(Vector) / sizeof(U);
    constexpr unsigned int LINE = 128 / sizeof(Vector);
    static_assert(2 * EACH <= WARP, "a lane for each element of both ends");
    const uintptr_t address = reinterpret_cast<uintptr_t>(out);
    /* Items in the first vector of the output before this block's first. */
    const unsigned int ahead = address % sizeof(Vector) / sizeof(U);
    /* No other block writes to the vectors from `begin` to `end`. */
    const int begin = ahead != 0 ? 1 : 0;
    const int end = static_cast<int>((ahead + count) / EACH);
    Vector *const vectors = reinterpret_cast<Vector *>(out - ahead);
    const Vector *const from = reinterpret_cast<const Vector *>(staged);
    /* Each warp's stores begin with a line of memory. */
    const int first = static_cast<int>(address / sizeof(Vector) % LINE);
#pragma unroll 1 /* for want of registers */
    for (int i = static_cast<int>(threadIdx.x) - first; i < end; i += THREADS)
        if (i >= begin)
            __stcs(vectors + i,
                   straddle(from[i - begin], from[i], ahead * sizeof(U)));
    if (warp_id() != THREADS / WARP - 1)
        return;
    const unsigned int head = begin != 0 ? min(count, EACH - ahead) : 0;
    const unsigned int tail =
        end > begin ? static_cast<unsigned int>(end) * EACH - ahead : head;
    const bool in_head = lane_id() < EACH;
    const unsigned int i = in_head ? lane_id() : tail + lane_id() - EACH;
    if (i < (in_head ? head : count))
        out[i] = staged[i];
}

} // namespace winnow::tile
