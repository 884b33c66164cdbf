/*
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernel.cuh"

namespace winnow {

/* Write the bits of `word` that are set in `inside` to memory, byte by byte. No
 * other thread may write to these bytes. */
__device__ __forceinline__ void put_bits(uint8_t *to, uint32_t word,
                                         uint32_t inside) {
#pragma unroll
    for (unsigned int j = 0; j < 4; j++) {
        const uint32_t mine = inside >> 8 * j & 0xff;
        const uint32_t bits = word >> 8 * j & mine;
        if (mine == 0xff)
            to[j] = static_cast<uint8_t>(bits);
        else if (mine != 0)
            to[j] = static_cast<uint8_t>((to[j] & ~mine) | bits);
    }
}

} // namespace winnow
