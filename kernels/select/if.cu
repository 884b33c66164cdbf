/*
 * A selection of the elements of a column that pass a predicate.
 *
 * Elements of 4 and 8 bytes: a warp loads 32 contiguous elements, one in each
 * lane, and a ballot makes a word of the selection. Smaller elements are loaded
 * in aligned vectors. Their bits are written to shared memory and read back as
 * words, which are shifted if the column does not begin at a vector.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/selection/make.cuh"
#include "kernels/core/predicate.cuh"

namespace winnow::select {

using namespace selection;

/* ------------------------------------------------- elements of 4 and 8 bytes
 */

template <class U, class Select>
__device__ __forceinline__ void
select_wide(const void *column, const winnow__selection &to, uint64_t tile,
            const Select &select) {
    constexpr unsigned int BATCH = 16; /* loads in flight */
    const U *const in =
        static_cast<const U *>(column) + tile * TILE_ITEMS + lane_id();
    const unsigned int items = items_of_tile(to, tile);
    uint32_t words[LANE_WORDS] = {};
#pragma unroll 1
    for (unsigned int first = 0; first < TILE_WORDS; first += BATCH) {
        U value[BATCH];
        bool inside[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            inside[k] = (first + k) * WARP + lane_id() < items;
            value[k] = inside[k] ? __ldcs(in + (first + k) * WARP) : U(0);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            const uint32_t word =
                __ballot_sync(ALL_LANES, inside[k] && select(value[k]));
            if (lane_id() == first / LANE_WORDS + k / LANE_WORDS)
                words[k % LANE_WORDS] = word;
        }
    }
    put_tile(to, tile, make_uint4(words[0], words[1], words[2], words[3]));
}

/* ------------------------------------------------- elements of 1 and 2 bytes
 */

/* Test the vectors that begin in the tile. WHOLE: all are whole vectors. */
template <bool WHOLE, class U, class Select>
__device__ __forceinline__ void
select_vectors(const Vectors<U, unsigned int> &from, const Select &select,
               VectorBits<U> &bits) {
    constexpr unsigned int BATCH = 8; /* loads in flight */
#pragma unroll 1
    for (unsigned int first = lane_id(); first < VectorBits<U>::VECTORS;
         first += BATCH * WARP) {
        uint4 vector[BATCH];
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++) {
            vector[k] = make_uint4(0, 0, 0, 0);
            if (WHOLE || from.is_whole(first + k * WARP))
                vector[k] = __ldcs(from.vectors + first + k * WARP);
        }
#pragma unroll
        for (unsigned int k = 0; k < BATCH; k++)
            bits.put(first + k * WARP, select(vector[k]));
    }
}

template <class U, class Select>
__device__ __forceinline__ void
select_narrow(const void *column, const winnow__selection &to, uint64_t tile,
              const Select &select, VectorBits<U> &bits) {
    constexpr unsigned int MORE = VectorBits<U>::VECTORS;
    const auto from =
        vectors_of_tile<U>(column, tile, items_from_tile(to, tile));
    const unsigned int number = MORE + (from.head != 0);
    unsigned int edge = MORE; /* vectors from this one on may not be whole */
    if (from.are_whole(0, number)) {
        select_vectors<true>(from, select, bits);
    } else {
        select_vectors<false>(from, select, bits);
        edge = 0;
    }
    /* Bits that were put above are put again by the same lane. */
#pragma unroll 1
    for (unsigned int v = edge + lane_id(); v < number; v += WARP)
        if (v == MORE || !from.is_whole(v))
            bits.put(v, select(from.load(v)) & from.inside(v));
    __syncwarp(); /* all lanes have put their bits, which are read as words */
    put_tile(to, tile, bits.get(from.head));
}

/* ----------------------------------------------------------------- kernel */

template <class U>
__global__ void __launch_bounds__(SOURCE_THREADS)
    select_if(const __grid_constant__ winnow__select_args args) {
    make_tiles(args.to, [&](uint64_t tile) {
        const winnow__selection to = limit_items(args.to, args.items);
        if (items_of_tile(to, tile) == 0) {
            put_empty_tile(to, tile);
        } else if constexpr (sizeof(U) < 4) {
            using Tiles = VectorBits<U>[SOURCE_WARPS];
            WINNOW__SHARED(bits, Tiles);
            visit_kind<Compare<U, ANY>>(args.args, [&](const auto &select) {
                select_narrow<U>(args.args.in, to, tile, select,
                                 bits[warp_id()]);
            });
        } else {
            visit_kind<Compare<U, ANY>>(args.args, [&](const auto &select) {
                select_wide<U>(args.args.in, to, tile, select);
            });
        }
    });
}

} // namespace winnow::select

extern "C" const winnow__kernel winnow__select_if[WINNOW__SIZES];
const winnow__kernel winnow__select_if[WINNOW__SIZES] =
    WINNOW__OF_COLUMNS(WINNOW__SOURCE, winnow::select::select_if);
