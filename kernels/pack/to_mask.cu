/*
 * Writes a selection as the caller's mask: a byte of 1 or 0 for each item, or a
 * bit.
 *
 * A thread makes vectors of 16 bytes of the mask, aligned in memory, so the
 * items' keep bits are shifted. A vector that extends beyond the mask is
 * written byte by byte. A byte that also has bits outside the mask has one
 * thread, which preserves them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/put_bits.cuh"

namespace winnow::pack {

constexpr unsigned int MASK_THREADS = WINNOW__SELECTION_THREADS;
constexpr unsigned int VECTOR_WORDS = 4;

/* The keep bits of 32 items. `item`, the first of them, may be negative. */
__device__ __forceinline__ uint32_t bits_from(const winnow__selection &from,
                                              int64_t item) {
    const int64_t words = from.tiles * WINNOW__SELECTION_WORDS;
    const int64_t w = item >> 5; /* rounded down */
    const uint32_t low = w >= 0 && w < words ? from.keep[w] : 0;
    const uint32_t high = w + 1 >= 0 && w + 1 < words ? from.keep[w + 1] : 0;
    return __funnelshift_r(low, high, static_cast<unsigned int>(item & 31));
}

/* Each of the lower four bits as a byte of 1 or 0. */
__device__ __forceinline__ uint32_t spread_bits(uint32_t bits) {
    return (bits & 15) * 0x00204081u & 0x01010101u;
}

/* A bit for each of a word's ITEMS items, from `item` on, that exists. */
template <unsigned int ITEMS>
__device__ __forceinline__ uint32_t items_of_word(const winnow__selection &from,
                                                  int64_t item) {
    uint32_t inside = ITEMS == 32 ? ~0u : (1u << ITEMS % 32) - 1;
    const int64_t left = static_cast<int64_t>(from.n) - item;
    if (left < ITEMS)
        inside &= left <= 0 ? 0 : (1u << left) - 1;
    if (item < 0)
        inside = item <= -static_cast<int64_t>(ITEMS)
                     ? 0
                     : inside & ~0u << static_cast<unsigned int>(-item);
    return inside;
}

__device__ __forceinline__ void put_bytes(uint8_t *to, uint32_t word,
                                          uint32_t inside) {
#pragma unroll
    for (unsigned int j = 0; j < 4; j++)
        if (inside >> j & 1)
            to[j] = static_cast<uint8_t>(word >> 8 * j);
}

/* The words of a vector, from an item on, which may be negative. ITEMS of a
 * word: 4 in a mask of bytes, 32 in one of bits. */
template <unsigned int ITEMS>
__device__ __forceinline__ void make_words(const winnow__selection &from,
                                           int64_t item,
                                           uint32_t (&words)[VECTOR_WORDS]) {
    const uint32_t bits = bits_from(from, item);
#pragma unroll
    for (unsigned int k = 0; k < VECTOR_WORDS; k++)
        words[k] = ITEMS == 4 ? spread_bits(bits >> ITEMS * k % 32)
                   : k == 0   ? bits
                              : bits_from(from, item + k * ITEMS);
}

template <unsigned int ITEMS>
__global__ void __launch_bounds__(MASK_THREADS)
    selection_mask(const __grid_constant__ winnow__mask_args args) {
    constexpr int64_t VECTOR_ITEMS = VECTOR_WORDS * ITEMS;
    uint4 *const out = static_cast<uint4 *>(args.out);
    for (uint64_t i =
             static_cast<uint64_t>(blockIdx.x) * MASK_THREADS + threadIdx.x;
         i < args.vectors;
         i += static_cast<uint64_t>(gridDim.x) * MASK_THREADS) {
        const int64_t item = static_cast<int64_t>(i) * VECTOR_ITEMS - args.skip;
        uint32_t words[VECTOR_WORDS];
        make_words<ITEMS>(args.from, item, words);
        if (item >= 0 &&
            item + VECTOR_ITEMS <= static_cast<int64_t>(args.from.n)) {
            out[i] = make_uint4(words[0], words[1], words[2], words[3]);
            continue;
        }
        uint8_t *const to = reinterpret_cast<uint8_t *>(out + i);
#pragma unroll
        for (unsigned int k = 0; k < VECTOR_WORDS; k++) {
            const uint32_t inside =
                items_of_word<ITEMS>(args.from, item + k * ITEMS);
            if (ITEMS == 32)
                put_bits(to + 4 * k, words[k], inside);
            else
                put_bytes(to + 4 * k, words[k], inside);
        }
    }
}

} // namespace winnow::pack

/* Masks of bytes and of bits. */
WINNOW__FOR_HOST(winnow__selection_mask[2]) = {
    WINNOW__ENTRY(winnow::pack::MASK_THREADS, 0, 0, 0,
                  winnow::pack::selection_mask<4>),
    WINNOW__ENTRY(winnow::pack::MASK_THREADS, 0, 0, 0,
                  winnow::pack::selection_mask<32>)};
