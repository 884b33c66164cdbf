/*
 * An array of bits as aligned words. If only some bytes of a word belong to the
 * array, these are read byte by byte. No other bytes are read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ptx.cuh"

namespace winnow {

struct BitWords {
    const uint32_t *words;
    uint64_t first;      /* the number of item 0's bit, counted from words */
    uint64_t begin, end; /* the array's bytes, counted from words */

    /* Item 0 has bit `skip` of the byte at `start`. */
    __device__ __forceinline__ BitWords(const void *start, unsigned int skip,
                                        uint64_t items) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(start);
        words = reinterpret_cast<const uint32_t *>(address & ~uintptr_t(3));
        begin = address % 4;
        first = begin * 8 + skip;
        end = (first + items + 7) / 8;
    }

    /* Do all bytes of these words belong to the array? */
    __device__ __forceinline__ bool are_whole(uint64_t i,
                                              unsigned int number) const {
        return begin <= 4 * i && 4 * (i + number) <= end;
    }

    /* Word i; bytes outside of the array are 0. */
    __device__ __forceinline__ uint32_t word(uint64_t i) const {
        if (are_whole(i, 1))
            return __ldcs(words + i);
        uint32_t word = 0;
        const uint8_t *const bytes = reinterpret_cast<const uint8_t *>(words);
#pragma unroll
        for (unsigned int j = 0; j < 4; j++)
            if (begin <= 4 * i + j && 4 * i + j < end)
                word |= static_cast<uint32_t>(bytes[4 * i + j]) << 8 * j;
        return word;
    }

    /* 32 items from `item` on; bytes behind the array are 0. */
    __device__ __forceinline__ uint32_t bits(uint64_t item) const {
        const uint64_t bit = first + item;
        const unsigned int shift = bit % 32;
        const uint32_t high = shift != 0 ? word(bit / 32 + 1) : 0;
        return __funnelshift_r(word(bit / 32), high, shift);
    }
};

} // namespace winnow
