/*
 * A selection from a bit mask, shifted so that item 0 is bit 0 of a word.
 *
 * A warp reads 32 contiguous aligned words of the mask.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/bit_words.cuh"
#include "kernels/selection/make.cuh"

namespace winnow::select {

using namespace selection;

__global__ void __launch_bounds__(SOURCE_THREADS)
    select_bits(const __grid_constant__ winnow__select_bits_args args) {
    make_tiles(args.to, [&](uint64_t tile) {
        const winnow__selection to = limit_items(args.to, args.items);
        const BitWords mask(args.mask, args.skip, to.n);
        const uint64_t bit = mask.first + tile * TILE_ITEMS;
        const unsigned int shift = bit % 32;
        const unsigned int items = items_of_tile(to, tile);
        uint32_t low[LANE_WORDS], high[LANE_WORDS];
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS; k++) {
            const uint64_t i = bit / 32 + k * WARP + lane_id();
            low[k] = mask.word(i);
            high[k] = shift != 0 ? mask.word(i + 1) : 0;
        }
        unsigned int kept = 0;
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS; k++) {
            const unsigned int w = k * WARP + lane_id();
            const uint32_t keep = __funnelshift_r(low[k], high[k], shift) &
                                  winnow__bits_inside(w * 32, items);
            to.keep[tile * TILE_WORDS + w] = keep;
            kept += __popc(keep);
        }
        put_count(to, tile, kept);
    });
}

} // namespace winnow::select

WINNOW__FOR_HOST(winnow__select_bits) =
    WINNOW__SOURCE(winnow::select::select_bits);
