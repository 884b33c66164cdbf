/*
 * The counts of a selection whose words another kernel has written: those that
 * have items. The others of the last tile are written here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "select.cuh"

namespace winnow {

__global__ void __launch_bounds__(SOURCE_THREADS)
    count_marks(const __grid_constant__ winnow__selection to) {
    const uint64_t tile = tile_of_warp();
    if (tile >= to.tiles)
        return;
    const unsigned int items = items_of_tile(to, tile);
    uint4 *const vectors = reinterpret_cast<uint4 *>(to.keep) + tile * WARP;
    if (items == TILE_ITEMS) {
        const uint4 words = vectors[lane_id()];
        put_count(to, tile,
                  __popc(words.x) + __popc(words.y) + __popc(words.z) +
                      __popc(words.w));
        return;
    }
    uint32_t words[LANE_WORDS];
#pragma unroll
    for (unsigned int i = 0; i < LANE_WORDS; i++) {
        const unsigned int word = lane_id() * LANE_WORDS + i;
        words[i] = 32 * word < items ? to.keep[tile * TILE_WORDS + word] : 0;
    }
    put_tile(to, tile, make_uint4(words[0], words[1], words[2], words[3]));
}

} // namespace winnow

extern "C" const winnow__kernel winnow__selection_marked;
const winnow__kernel winnow__selection_marked =
    WINNOW__SOURCE(winnow::count_marks);
