/*
 * Compares the strings of two columns; the results are words of bits. Kernels
 * that read the words are launched after this one in the stream, which is the
 * release and the acquire. Each lane compares one of 32 neighbours, as in
 * test.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bytes.cuh"

#include "kernels/core/bit_words.cuh"
#include "kernels/core/kernel.cuh"

namespace winnow::string {

constexpr unsigned int THREADS = WINNOW__STRING_THREADS;
constexpr unsigned int WARPS = THREADS / WARP;

/* ------------------------------------------------------------------ strings */

/* Load the string of an item; false if it is null. */
__device__ __forceinline__ bool load(const winnow__compared_strings &column,
                                     uint64_t item, Bytes *to) {
    if (!winnow__find_compared(&column, &item))
        return false;
    *to = load_string(column.strings, item);
    return true;
}

template <bool ORDERED>
__device__ __forceinline__ bool passes(const winnow__compare_strings_args &args,
                                       const Bytes &a, const Bytes &b) {
    if constexpr (!ORDERED)
        return (a.bytes == b.bytes && order(a, b) == 0) == args.equal;
    const int is = order(a, b);
    return is < 0 ? args.less : is == 0 ? args.equal : args.greater;
}

/* -------------------------------------------------------------------- words */

/* The items' own validity, for 32 items from the given one on. */
__device__ __forceinline__ uint32_t
valid_bits(const winnow__compared_strings &column, uint64_t first, uint64_t n) {
    if (column.valid == nullptr)
        return ~0u;
    return BitWords(column.valid + column.valid_offset / 8,
                    column.valid_offset % 8, n)
        .bits(first);
}

template <bool ORDERED>
__global__ void __launch_bounds__(THREADS)
    compare(const __grid_constant__ winnow__compare_strings_args args) {
    const uint64_t n = items_of(args);
    const uint64_t first =
        (static_cast<uint64_t>(blockIdx.x) * WARPS + warp_id()) *
        WINNOW__STRING_ITEMS;
    uint32_t mine = 0, valid = 0;
    if (first >= n)
        return;
#pragma unroll 1
    for (unsigned int w = 0; w < WARP && first + w * WARP < n; w++) {
        const uint64_t i = first + w * WARP + lane_id();
        Bytes a{}, b{};
        const bool is_valid =
            i < n && load(args.a, i, &a) && load(args.b, i, &b);
        const bool is_true =
            is_valid && args.words != nullptr && passes<ORDERED>(args, a, b);
        const uint32_t word = __ballot_sync(ALL_LANES, is_true);
        const uint32_t valid_word = __ballot_sync(ALL_LANES, is_valid);
        if (lane_id() == w) {
            mine = word;
            valid = valid_word;
        }
    }
    const uint64_t item = first + lane_id() * WARP;
    if (item >= n)
        return;
    if (args.words != nullptr)
        args.words[item / WARP] = mine;
    if (args.valid != nullptr)
        args.valid[item / WARP] =
            valid & valid_bits(args.a, item, n) & valid_bits(args.b, item, n);
}

} // namespace winnow::string

/* The second kernel compares the order, the first one equality alone. */
extern "C" const winnow__kernel winnow__compare_strings_kernels[2];
const winnow__kernel winnow__compare_strings_kernels[2] = {
    WINNOW__ENTRY(WINNOW__STRING_THREADS, 0, 0, 0,
                  winnow::string::compare<false>),
    WINNOW__ENTRY(WINNOW__STRING_THREADS, 0, 0, 0,
                  winnow::string::compare<true>)};
