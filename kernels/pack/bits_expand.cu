/*
 * Expands packed bits to the places that a selection keeps. Other places are
 * left alone, or filled with 0 or 1.
 *
 * A warp makes 128 words of the output, aligned in memory: so each word has one
 * thread, and the items' keep bits are shifted. Its first items may belong to
 * the last word of the tile before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.cuh"

namespace winnow::pack {

/* The keep bits for a lane's words of the output, from word number `word` on.
 * The output's item 0 is bit `skip`, 0 to 31, of word 0. */
__device__ __forceinline__ void load_keep(const winnow__selection &from,
                                          uint64_t word, unsigned int skip,
                                          uint32_t (&keep)[LANE_WORDS]) {
    const uint64_t words = from.tiles * TILE_WORDS;
    uint32_t before =
        skip != 0 && word != 0 && word <= words ? from.keep[word - 1] : 0;
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++) {
        const uint32_t own = word + k < words ? from.keep[word + k] : 0;
        keep[k] = __funnelshift_l(before, own, skip);
        before = own;
    }
}

/* Survivors before the first item of a warp's words. */
__device__ __forceinline__ uint64_t rank_of_words(const winnow__selection &from,
                                                  uint64_t tile,
                                                  unsigned int skip) {
    const uint64_t before = from.before[tile];
    return tile == 0 || skip == 0
               ? before
               : before -
                     __popc(from.keep[tile * TILE_WORDS - 1] >> (32 - skip));
}

__global__ void __launch_bounds__(SINK_THREADS)
    expand_bits(const __grid_constant__ winnow__expand_bits_args args) {
    const winnow__selection from = limit_items(args.from, args.items);
    const BitOutput out(args.out, 0, from.n);
    const BitWords in(args.in.start, args.in.skip, args.available);
    const unsigned int skip = static_cast<unsigned int>(out.begin);
    const uint64_t tile = tile_of_warp();
    const uint64_t word = tile * TILE_WORDS + LANE_WORDS * lane_id();
    uint32_t keep[LANE_WORDS];
    unsigned int kept = 0;
    if (tile > from.tiles || tile * TILE_ITEMS >= out.end)
        return;
    load_keep(from, word, skip, keep);
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++)
        kept += __popc(keep[k]);
    uint64_t rank =
        rank_of_words(from, tile, skip) + inclusive_sum(kept) - kept;
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++) {
        const BitMoves moves(keep[k]);
        const unsigned int there =
            room_for(args.available, rank, moves.count());
        uint32_t mask = keep[k], bits = 0;
        if (there != moves.count())
            mask = moves.deposit((1u << there) - 1); /* 31 at most */
        if (there != 0)
            bits = moves.deposit(in.bits(rank)) & mask;
        if (args.fill != WINNOW__BITS_LEFT_ALONE)
            mask |= ~keep[k];
        if (args.fill == 1)
            bits |= ~keep[k];
        mask &= word_mask(word + k, out.begin, out.end);
        if (mask != 0)
            out.put(word + k, bits, mask);
        rank += moves.count();
    }
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__expand_bits) = WINNOW__SINK(winnow::pack::expand_bits);
