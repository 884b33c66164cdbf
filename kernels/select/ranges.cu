/*
 * Select the items of the ranges that a selection keeps.
 *
 * Each range flips two bits, the marks: one where it begins, one where it ends.
 * An item is kept if the number of marks up to it is odd. So the time for a
 * range does not depend on its length. The marks of each tile are counted and
 * scanned like survivors (lib/select/ranges.c). The result says whether the
 * number of marks before a tile is odd.
 *
 * An earlier kernel clears the words, and a later kernel finishes them. In this
 * kernel every access is an atomic operation that flips bits. Their order does
 * not matter, so relaxed order suffices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/selection/make.cuh"

namespace winnow::select {

using namespace selection;

__device__ __forceinline__ void flip(const winnow__selection &to,
                                     uint64_t item) {
    if (item < to.n)
        atomicXor(to.keep + item / 32, 1u << item % 32);
}

template <class Offset>
__global__ void __launch_bounds__(SOURCE_THREADS)
    mark_ranges(const __grid_constant__ winnow__ranges_args args) {
    const uint64_t tile = tile_of_warp();
    if (tile >= args.from.tiles)
        return;
    const Offset *const offsets =
        static_cast<const Offset *>(args.offsets) + tile * TILE_ITEMS;
    const Offset size = static_cast<Offset>(args.size);
#pragma unroll 2
    for (unsigned int w = 0; w < TILE_WORDS; w++) {
        const uint32_t keep = args.from.keep[tile * TILE_WORDS + w];
        if (keep == 0)
            continue;
        Offset begin = 0, end = 0;
        if (keep >> lane_id() & 1) {
            begin = min(offsets[w * 32 + lane_id()], size);
            end = min(offsets[w * 32 + lane_id() + 1], size);
        }
        const bool marks = begin < end;
        /* The end of one range and the begin of the next, if equal, cancel. */
        const Offset before = __shfl_up_sync(ALL_LANES, end, 1);
        const Offset behind = __shfl_down_sync(ALL_LANES, begin, 1);
        const uint32_t all = __ballot_sync(ALL_LANES, marks);
        const bool follows =
            lane_id() != 0 && all >> (lane_id() - 1) & 1 && before == begin;
        const bool is_followed = lane_id() != WARP - 1 &&
                                 all >> (lane_id() + 1) & 1 && behind == end;
        if (marks && !follows)
            flip(args.to, begin);
        if (marks && !is_followed)
            flip(args.to, end);
    }
}

/* Bit i: is the number of bits up to i odd? */
__device__ __forceinline__ uint32_t odd_up_to(uint32_t marks) {
#pragma unroll
    for (unsigned int step = 1; step < 32; step *= 2)
        marks ^= marks << step;
    return marks;
}

__global__ void __launch_bounds__(SOURCE_THREADS)
    fill_ranges(const __grid_constant__ winnow__ranges_args args) {
    make_tiles(args.to, [&](uint64_t tile) {
        const uint4 four = reinterpret_cast<const uint4 *>(
            args.to.keep)[tile * WARP + lane_id()];
        uint32_t words[4] = {four.x, four.y, four.z, four.w};
        const unsigned int mine =
            __popc(four.x ^ four.y ^ four.z ^ four.w); /* parity of all four */
        const uint32_t odd_lanes = __ballot_sync(ALL_LANES, mine & 1);
        unsigned int odd = static_cast<unsigned int>(args.to.before[tile]) +
                           __popc(odd_lanes & lanes_below());
        const unsigned int items = items_of_tile(args.to, tile);
#pragma unroll
        for (unsigned int i = 0; i < 4; i++) {
            const uint32_t own = words[i];
            words[i] = (odd_up_to(own) ^ (odd & 1 ? ~0u : 0)) &
                       winnow__bits_inside((lane_id() * 4 + i) * 32, items);
            odd += __popc(own);
        }
        put_tile(args.to, tile,
                 make_uint4(words[0], words[1], words[2], words[3]));
    });
}

} // namespace winnow::select

/* For offsets of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__mark_ranges[2]) = {
    WINNOW__SOURCE(winnow::select::mark_ranges<uint32_t>),
    WINNOW__SOURCE(winnow::select::mark_ranges<unsigned long long>)};
WINNOW__FOR_HOST(winnow__fill_ranges) =
    WINNOW__SOURCE(winnow::select::fill_ranges);
