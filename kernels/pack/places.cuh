/*
 * Select: finds places of a selection by their rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/kernel.cuh"

namespace winnow::pack {

/* The number of places before a tile that are kept, or that are not. */
template <bool KEPT>
__device__ __forceinline__ uint64_t before_tile(const winnow__selection &from,
                                                uint64_t tile) {
    const uint64_t kept = from.before[tile];
    return KEPT ? kept : tile * WINNOW__SELECTION_TILE - kept;
}

/* Select in a word: the place of the set bit with `rank` set bits below it. */
__device__ __forceinline__ unsigned int select_bit(uint32_t word,
                                                   unsigned int rank) {
    unsigned int place = 0;
#pragma unroll
    for (unsigned int width = 16; width != 0; width /= 2) {
        const unsigned int lower = __popc(word >> place & ((1u << width) - 1));
        if (rank >= lower) {
            rank -= lower;
            place += width;
        }
    }
    return place;
}

/* Select: the place with a rank among the kept ones, or the others. */
template <bool KEPT>
__device__ __forceinline__ uint64_t find_place(const winnow__selection &from,
                                               uint64_t rank) {
    uint64_t tile = 0, high = from.tiles;
    while (high - tile > 1) {
        const uint64_t middle = tile + (high - tile) / 2;
        if (before_tile<KEPT>(from, middle) <= rank)
            tile = middle;
        else
            high = middle;
    }
    const uint4 *const vectors = reinterpret_cast<const uint4 *>(
        from.keep + tile * WINNOW__SELECTION_WORDS);
    const uint32_t flip = KEPT ? 0 : ~0u;
    unsigned int left =
        static_cast<unsigned int>(rank - before_tile<KEPT>(from, tile));
    for (unsigned int v = 0;; v++) {
        const uint4 vector = vectors[v];
        const uint32_t words[4] = {vector.x ^ flip, vector.y ^ flip,
                                   vector.z ^ flip, vector.w ^ flip};
#pragma unroll
        for (unsigned int w = 0; w < 4; w++) {
            const unsigned int here = __popc(words[w]);
            if (left < here)
                return tile * WINNOW__SELECTION_TILE + (v * 4 + w) * 32 +
                       select_bit(words[w], left);
            left -= here;
        }
    }
}

} // namespace winnow::pack
