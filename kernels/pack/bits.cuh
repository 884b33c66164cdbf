/*
 * Extracts the bits that a mask selects, and deposits them again; writes
 * outputs of bits, whose end words may have bytes outside the output.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/bit_words.cuh"
#include "kernels/core/put_bits.cuh"
#include "kernels/selection/make.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

/*
 * Bits are extracted within each byte, then the bytes are joined. In a byte
 * every bit moves towards bit 0 by the number of mask bits below it that are 0:
 * first by 1, if that number is odd, then by 2, then by 4 (H. S. Warren,
 * Hacker's Delight, 2nd edition, 7-4, does so for all 32 bits: 87 instructions
 * for a word on compute capability 9.0, instead of about 55). Depositing
 * reverses these steps. The moves depend on the mask alone: columns share them.
 */
class BitMoves {
    static constexpr unsigned int STEPS = 3;

  public:
    __device__ __forceinline__ explicit BitMoves(uint32_t mask) : mask_(mask) {
        before_[0] = __popc(mask & 0xff);
        before_[1] = __popc(mask & 0xffff);
        before_[2] = __popc(mask & 0xffffff);
        /* Is the bit below, in the same byte, not in the mask? */
        uint32_t lacking = ~mask << 1 & 0xfefefefe;
#pragma unroll
        for (unsigned int step = 0; step < STEPS; step++) {
            uint32_t odd = lacking;
            odd ^= odd << 1 & 0xfefefefe;
            odd ^= odd << 2 & 0xfcfcfcfc;
            odd ^= odd << 4 & 0xf0f0f0f0;
            moves_[step] = odd & mask;
            mask = (mask ^ moves_[step]) | moves_[step] >> (1u << step);
            lacking &= ~odd;
        }
    }

    __device__ __forceinline__ unsigned int count() const {
        return __popc(mask_);
    }

    /* The bits of x that the mask selects, packed from bit 0 on. */
    __device__ __forceinline__ uint32_t extract(uint32_t x) const {
        x &= mask_;
#pragma unroll
        for (unsigned int step = 0; step < STEPS; step++) {
            const uint32_t moved = x & moves_[step];
            x = (x ^ moved) | moved >> (1u << step);
        }
        return (x & 0xff) | (x >> 8 & 0xff) << before_[0] |
               (x >> 16 & 0xff) << before_[1] | (x >> 24) << before_[2];
    }

    /* The low bits of x, deposited where the mask has bits. */
    __device__ __forceinline__ uint32_t deposit(uint32_t x) const {
        x = (x & 0xff) | (x >> before_[0] & 0xff) << 8 |
            (x >> before_[1] & 0xff) << 16 | x >> before_[2] << 24;
#pragma unroll
        for (unsigned int step = STEPS; step-- != 0;)
            x = (x & ~moves_[step]) | (x << (1u << step) & moves_[step]);
        return x & mask_;
    }

  private:
    uint32_t mask_;
    unsigned int before_[3]; /* bits of the mask below bytes 1 to 3 */
    uint32_t moves_[STEPS];
};

/* A word's bits from `begin` to `end` - 1, which count from word 0. */
__device__ __forceinline__ uint32_t word_mask(uint64_t word, uint64_t begin,
                                              uint64_t end) {
    const uint64_t first = word * 32;
    if (end <= first || begin >= first + 32)
        return 0;
    uint32_t mask = ~0u;
    if (begin > first)
        mask <<= begin - first;
    if (end < first + 32)
        mask &= ~0u >> (first + 32 - end);
    return mask;
}

/* An output of bits in aligned words. */
struct BitOutput {
    uint32_t *words;
    uint64_t begin, end; /* its bits, counted from words */

    /* `number` bits, behind the first `start` bits of the array. */
    __device__ __forceinline__ BitOutput(const winnow__bit_array &array,
                                         uint64_t start, uint64_t number) {
        const uintptr_t address = reinterpret_cast<uintptr_t>(array.start);
        words = reinterpret_cast<uint32_t *>(address & ~uintptr_t(3));
        begin = address % 4 * 8 + array.skip + start;
        end = begin + number;
    }

    /* Do all bits of a word belong to the output? */
    __device__ __forceinline__ bool has_all_of(uint64_t word) const {
        return begin <= 32 * word && 32 * word + 32 <= end;
    }

    /* Sets the bits of a mask. The word's bytes have this one thread. */
    __device__ __forceinline__ void put(uint64_t word, uint32_t bits,
                                        uint32_t mask) const {
        if (mask == ~0u) {
            words[word] = bits;
            return;
        }
        if (has_all_of(word)) {
            words[word] = (words[word] & ~mask) | (bits & mask);
            return;
        }
        put_bits(reinterpret_cast<uint8_t *>(words + word), bits, mask);
    }
};

} // namespace winnow::pack
