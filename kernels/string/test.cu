/*
 * Tests of strings, as words of bits, which are complete when the launch ends:
 * kernels that read them are launched behind it in the stream, which is release
 * and acquire.
 *
 * Short strings: a warp has 1024 of them, a word for each lane, and a lane tests
 * one of 32 neighbours, so that the lanes read offsets and bytes that lie
 * together. Long strings: a warp tests one after the other, of 32.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "match.cuh"

#include "kernels/core/kernel.cuh"

namespace winnow::string {

constexpr unsigned int THREADS = WINNOW__STRING_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;

__device__ __forceinline__ uint64_t
items_of(const winnow__test_strings_args &args) {
    return args.items != nullptr && *args.items < args.n ? *args.items : args.n;
}

__device__ __forceinline__ const winnow__pattern *
pattern_of(const winnow__test_strings_args &args) {
    return args.pattern != nullptr
               ? args.pattern
               : reinterpret_cast<const winnow__pattern *>(args.own);
}

template <winnow__string_kernel KERNEL>
__global__ void __launch_bounds__(THREADS)
    test_strings(const __grid_constant__ winnow__test_strings_args args) {
    const uint64_t n = items_of(args);
    const uint64_t first =
        (static_cast<uint64_t>(blockIdx.x) * WARPS + warp_id()) *
        WINNOW__STRING_ITEMS;
    const winnow__pattern *const pattern = pattern_of(args);
    uint32_t mine = 0;
    if (first >= n)
        return;
#pragma unroll 1
    for (unsigned int w = 0; w < WARP && first + w * WARP < n; w++) {
        const uint64_t i = first + w * WARP + lane_id();
        bool passes = false;
        if (i < n)
            passes = matches<KERNEL, false>(load_string(args.column, i),
                                            pattern) != args.inverted;
        const uint32_t word = __ballot_sync(ALL_LANES, passes);
        if (lane_id() == w)
            mine = word;
    }
    if (first + lane_id() * WARP < n)
        args.words[first / WARP + lane_id()] = mine;
}

template <winnow__string_kernel KERNEL>
__global__ void __launch_bounds__(THREADS)
    test_long_strings(const __grid_constant__ winnow__test_strings_args args) {
    static_assert(WINNOW__STRING_ITEMS_WIDE == WARP, "a word for each warp");
    const uint64_t n = items_of(args);
    const uint64_t first =
        (static_cast<uint64_t>(blockIdx.x) * WARPS + warp_id()) * WARP;
    const winnow__pattern *const pattern = pattern_of(args);
    uint32_t word = 0;
    if (first >= n)
        return;
#pragma unroll 1
    for (unsigned int k = 0; k < WARP && first + k < n; k++) {
        const bool passes =
            matches<KERNEL, true>(load_string(args.column, first + k),
                                  pattern) != args.inverted;
        word |= static_cast<uint32_t>(passes) << k;
    }
    if (lane_id() == 0)
        args.words[first / WARP] = word;
}

} // namespace winnow::string

#define WINNOW__STRING_ENTRY(...)                                              \
    WINNOW__ENTRY(WINNOW__STRING_THREADS, 0, 0, 0, winnow::string::__VA_ARGS__)

extern "C" const winnow__kernel
    winnow__test_strings_kernels[WINNOW__STRING_KERNELS];
const winnow__kernel winnow__test_strings_kernels[WINNOW__STRING_KERNELS] = {
    WINNOW__STRING_ENTRY(test_strings<WINNOW__STRING_COMPARE>),
    WINNOW__STRING_ENTRY(test_strings<WINNOW__STRING_CONTAIN>),
    WINNOW__STRING_ENTRY(test_strings<WINNOW__STRING_LIKE>),
    WINNOW__STRING_ENTRY(test_strings<WINNOW__STRING_LIST>)};

/* Of CONTAIN and LIKE. */
extern "C" const winnow__kernel winnow__test_long_strings_kernels[2];
const winnow__kernel winnow__test_long_strings_kernels[2] = {
    WINNOW__STRING_ENTRY(test_long_strings<WINNOW__STRING_CONTAIN>),
    WINNOW__STRING_ENTRY(test_long_strings<WINNOW__STRING_LIKE>)};
