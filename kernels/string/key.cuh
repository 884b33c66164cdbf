/*
 * Searches for the first bytes of a text, or its rarest word, 4 bytes at most,
 * at all four places of a word at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_KEY_CUH
#define WINNOW_KERNELS_STRING_KEY_CUH

#include "bytes.cuh"

namespace winnow::string {

struct Key {
    uint32_t bytes; /* of the text, at least 1 */
    /* splat: each of the four bytes, copied to all bytes of a word; a shorter
     * text repeats its last byte. shift: the distance in bits of bytes 1 and 3
     * from byte 0. */
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

    /* The high bit of each byte of a word at which the key begins; `next` is
     * the next word. A byte of `differ` is 0 where the key is. */
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

/* Gather the high bits of a word's four bytes in four bits. */
__device__ __forceinline__ uint32_t four_bits(uint32_t upper) {
    return (upper >> 7) * 0x01020408 >> 24;
}

} // namespace winnow::string

#endif
