/*
 * Marked: the sink Values (sink.cuh), which also marks what passes, by a bit
 * for each item, as a selection has them (selection.h). The input is aligned to
 * 16 bytes: then item 0 is bit 0 of a tile's word.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_MARKS_CUH
#define WINNOW_KERNELS_MARKS_CUH

#include "sink.cuh"
#include "tile.cuh"

namespace winnow {

template <class U>
struct Marked : Values<U> {};

/*
 * A square of bit fields: 32 / BITS lanes, side by side, have as many fields of
 * BITS bits each. Transpose it: lane i gets the i-th fields of all, in the
 * order of the lanes.
 */
template <unsigned int BITS>
__device__ __forceinline__ uint32_t transpose(uint32_t fields,
                                              unsigned int lane) {
#pragma unroll
    for (unsigned int step = 16 / BITS; step != 0; step /= 2) {
        /* The fields whose number has this bit; then its halves are swapped. */
        const unsigned int shift = step * BITS;
        const uint32_t lower = ~0u / ((1u << shift) + 1);
        const uint32_t other = __shfl_xor_sync(ALL_LANES, fields, step);
        fields = lane & step ? (fields & ~lower) | (other & ~lower) >> shift
                             : (fields & lower) | (other & lower) << shift;
    }
    return fields;
}

/*
 * Write a tile's words, those that have items of the array. A word is the bits
 * of several lanes of one row; as many rows go through one register, and each
 * of the lanes gets the word of a row.
 */
template <class TileType>
__device__ __forceinline__ void
store_marks(const winnow__args &args, const TileType &tile, uint64_t number) {
    constexpr unsigned int EACH = TileType::EACH, VECTORS = TileType::VECTORS;
    constexpr unsigned int ROWS = 32 / EACH;
    /* Known here alone: the compiler would keep what follows from it through
     * all tiles, and there are no registers. */
    unsigned int thread = threadIdx.x;
    pin(thread);
    const unsigned int lane = thread % WARP, warp = thread / WARP;
#pragma unroll
    for (unsigned int first = 0; first < VECTORS; first += ROWS) {
        uint32_t bits = 0;
#pragma unroll
        for (unsigned int i = 0; i < ROWS && first + i < VECTORS; i++)
            bits |= tile.keep[first + i] << EACH * i;
        bits = transpose<EACH>(bits, lane);
        const unsigned int k = first + lane % ROWS;
        const uint64_t item = number * TileType::ITEMS +
                              (warp * VECTORS + k) * (WARP * EACH) +
                              lane / ROWS * 32;
        if (k < VECTORS && item < args.n)
            args.sink.marks[item / 32] = bits;
    }
}

} // namespace winnow

#endif
