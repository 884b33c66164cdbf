/*
 * The first bytes of a text that is looked for, or its rarest word, 4 at most, in
 * all places of a word at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_KEY_CUH
#define WINNOW_KERNELS_STRING_KEY_CUH

#include "bytes.cuh"

namespace winnow::string {

struct Key {
    uint32_t bytes; /* of the text, 1 and more */
    /* Each of the four bytes, repeated in all bytes of a word; a shorter text
     * repeats its last byte. shift: the distance in bits of bytes 1 and 3 from byte
     * 0. */
    uint32_t splat[4], shift[2];

    __device__ __forceinline__ Key(const winnow__pattern *pattern) {
        const uint32_t word =
            words_of(reinterpret_cast<const unsigned char *>(pattern),
                     &pattern->text)[pattern->rare / 4];
        bytes = pattern->text.bytes;
        shift[0] = bytes > 1 ? 8 : 0;
        shift[1] = bytes > 3 ? 24 : 16;
#pragma unroll
        for (unsigned int i = 0; i < 4; i++)
            splat[i] = (word >> 8 * min(i, bytes - 1) & 0xff) * 0x01010101;
    }

    /* The upper bits of the bytes of a word where the key begins; `next` is the word
     * behind it. A byte of `differ` is 0 where no byte of the key does. */
    __device__ __forceinline__ uint32_t begins(uint32_t word,
                                               uint32_t next) const {
        uint32_t differ = (word ^ splat[0]) |
                          (__funnelshift_r(word, next, shift[0]) ^ splat[1]);
        if (bytes > 2)
            differ |= (__funnelshift_r(word, next, 16) ^ splat[2]) |
                      (__funnelshift_r(word, next, shift[1]) ^ splat[3]);
        return ~(((differ & 0x7f7f7f7f) + 0x7f7f7f7f) | differ | 0x7f7f7f7f);
    }
};

/* The upper bits of a word's bytes, side by side. */
__device__ __forceinline__ uint32_t four_bits(uint32_t upper) {
    return (upper >> 7) * 0x01020408 >> 24;
}

} // namespace winnow::string

#endif
