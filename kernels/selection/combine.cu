/*
 * A selection from two others, or from one, word by word. The result may be one
 * of these: a lane reads its words before it writes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "make.cuh"

namespace winnow::selection {

__device__ __forceinline__ uint32_t combine_words(unsigned int operation,
                                                  uint32_t a, uint32_t b) {
    switch (operation) {
    case WINNOW__AND:
        return a & b;
    case WINNOW__OR:
        return a | b;
    case WINNOW__AND_NOT:
        return a & ~b;
    case WINNOW__XOR:
        return a ^ b;
    default:
        return ~a;
    }
}

__global__ void __launch_bounds__(SOURCE_THREADS)
    combine(const __grid_constant__ winnow__combine_args args) {
    make_tiles(args.to, [&](uint64_t tile) {
        const uint64_t i = tile * WARP + lane_id();
        const uint4 a = reinterpret_cast<const uint4 *>(args.a)[i];
        uint4 b = make_uint4(0, 0, 0, 0);
        if (args.b != nullptr)
            b = reinterpret_cast<const uint4 *>(args.b)[i];
        uint4 words = make_uint4(combine_words(args.operation, a.x, b.x),
                                 combine_words(args.operation, a.y, b.y),
                                 combine_words(args.operation, a.z, b.z),
                                 combine_words(args.operation, a.w, b.w));
        const unsigned int first = lane_id() * LANE_WORDS * 32;
        const unsigned int items =
            items_of_tile(limit_items(args.to, args.items), tile);
        words.x &= winnow__bits_inside(first, items);
        words.y &= winnow__bits_inside(first + 32, items);
        words.z &= winnow__bits_inside(first + 64, items);
        words.w &= winnow__bits_inside(first + 96, items);
        put_tile(args.to, tile, words);
    });
}

} // namespace winnow::selection

WINNOW__FOR_HOST(winnow__selection_combine) =
    WINNOW__SOURCE(winnow::selection::combine);
