/*
 * The bits of items from those of a dictionary's values: 0 if an index names no
 * value or a null. Each lane looks up one of 32 neighbours, as in test.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "index.h"

#include "kernels/core/kernel.cuh"
#include "kernels/core/warp.cuh"

namespace winnow::string {

constexpr unsigned int THREADS = WINNOW__STRING_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;

__device__ __forceinline__ bool look_up(const winnow__look_up_bits_args &args,
                                        uint64_t index) {
    if (index >= args.values_n)
        return false;
    if (args.valid != nullptr) {
        const uint64_t bit = args.valid_offset + index;
        if ((args.valid[bit / 8] >> bit % 8 & 1) == 0)
            return false;
    }
    return args.values == nullptr ||
           (args.values[index / 32] >> index % 32 & 1) != 0;
}

__global__ void __launch_bounds__(THREADS)
    look_up_bits(const __grid_constant__ winnow__look_up_bits_args args) {
    const uint64_t n = items_of(args);
    const uint64_t first =
        (static_cast<uint64_t>(blockIdx.x) * WARPS + warp_id()) *
        WINNOW__STRING_ITEMS;
    uint32_t mine = 0;
    if (first >= n)
        return;
#pragma unroll 4
    for (unsigned int w = 0; w < WARP; w++) {
        const uint64_t i = first + w * WARP + lane_id();
        const bool passes =
            i < n &&
            look_up(args, winnow__load_index(args.first + i * args.stride,
                                             args.log2_size, args.is_signed));
        const uint32_t word = __ballot_sync(ALL_LANES, passes);
        if (lane_id() == w)
            mine = word;
    }
    if (first + lane_id() * WARP < n)
        args.words[first / WARP + lane_id()] = mine;
}

} // namespace winnow::string

extern "C" const winnow__kernel winnow__look_up_bits;
const winnow__kernel winnow__look_up_bits = WINNOW__ENTRY(
    WINNOW__STRING_THREADS, 0, 0, 0, winnow::string::look_up_bits);
