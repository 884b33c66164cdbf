/*
 * Columns of bits: those that a selection keeps, and those that it rejects.
 *
 * A warp has a tile. It packs the tile's bits in shared memory, from the bit of
 * a word where they begin in the output, and writes them in aligned words. A
 * word may have bits of several tiles. Nothing clears it before, and no tile
 * waits for another one:
 *
 *   - A word that has bits of one tile alone, 32 of them, is stored.
 *   - In a word of several tiles, all of it the output's, each tile clears its
 *     own bits that are 0 by atomicAnd and sets those that are 1 by atomicOr.
 *     Every access to such a word is one of these: all are morally strong, so
 *     there is no race. They alter no bits but the tile's own, so the outcome
 *     is the same in every order: relaxed atomics suffice.
 *   - A word at an end of the output may have bytes that are none of the
 *     output's, and which anybody may write meanwhile. There are two at most.
 *     Tiles leave them to the last block, in which a lane finds the survivor of
 *     a bit by a search in `before`; bytes are written, not words. So each of
 *     these bytes has one thread.
 *
 * Input and output do not overlap: to pack in place, bits are packed in other
 * memory and then copied (bits_copy.cu).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.cuh"
#include "places.cuh"

namespace winnow::pack {

/* A tile's bits, and two words more: they may begin inside of a word. */
constexpr unsigned int STAGED_WORDS = TILE_WORDS + 2;

struct BitsShared {
    uint32_t staged[SINK_WARPS][STAGED_WORDS];
};

/* Those of a selection, or those that it rejects: before a tile, and in it. */
template <bool REJECTS>
struct Side {
    const winnow__selection &from;

    __device__ __forceinline__ uint64_t before(uint64_t tile) const {
        const uint64_t items = min(tile * TILE_ITEMS, from.n);
        return REJECTS ? items - from.before[tile] : from.before[tile];
    }

    __device__ __forceinline__ uint64_t total() const {
        return before(from.tiles);
    }

    /* The bits of a word; `keep` is the selection's. */
    __device__ __forceinline__ uint32_t mask(uint64_t tile, unsigned int word,
                                             uint32_t keep) const {
        return REJECTS ? ~keep & winnow__bits_inside(word * 32,
                                                     items_of_tile(from, tile))
                       : keep;
    }

    /* The item that has a rank below the total. */
    __device__ __forceinline__ uint64_t item(uint64_t rank) const {
        return find_place<!REJECTS>(from, rank);
    }
};

/* A lane's four words of a tile, side by side. */
struct LaneMoves {
    BitMoves moves[LANE_WORDS];
    unsigned int rank; /* bits of the tile before them */

    template <bool REJECTS>
    __device__ __forceinline__ LaneMoves(const Side<REJECTS> &side,
                                         uint64_t tile, const uint4 &keep)
        : moves{BitMoves(side.mask(tile, LANE_WORDS * lane_id(), keep.x)),
                BitMoves(side.mask(tile, LANE_WORDS * lane_id() + 1, keep.y)),
                BitMoves(side.mask(tile, LANE_WORDS * lane_id() + 2, keep.z)),
                BitMoves(side.mask(tile, LANE_WORDS * lane_id() + 3, keep.w))} {
        unsigned int kept = 0;
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS; k++)
            kept += moves[k].count();
        rank = inclusive_sum(kept) - kept;
    }
};

/* This lane's words of a tile. Where no item is, they are any. */
__device__ __forceinline__ void load_bits(const BitWords &in, uint64_t tile,
                                          uint32_t (&bits)[LANE_WORDS]) {
    const uint64_t first = in.first + tile * TILE_ITEMS;
    const uint64_t w = first / 32 + LANE_WORDS * lane_id();
    const unsigned int shift = first % 32;
    uint32_t words[LANE_WORDS + 1];
    words[LANE_WORDS] = 0;
    if (in.are_whole(first / 32, TILE_WORDS + 1)) {
#pragma unroll
        for (unsigned int k = 0; k <= LANE_WORDS; k++)
            words[k] = in.words[w + k];
    } else {
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS + (shift != 0); k++)
            words[k] = in.word(w + k);
    }
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++)
        bits[k] = __funnelshift_r(words[k], words[k + 1], shift);
}

/* Shift words, of which the last one is 0, by 32 bits at most. */
template <unsigned int WORDS>
__device__ __forceinline__ void shift_up(uint32_t (&words)[WORDS + 1],
                                         unsigned int number) {
#pragma unroll
    for (unsigned int k = WORDS; k != 0; k--)
        words[k] = __funnelshift_lc(words[k - 1], words[k], number);
    words[0] = __funnelshift_lc(0, words[0], number);
}

/* Put a tile's bits together, from bit `at` of `staged` on. By all lanes. */
__device__ __forceinline__ void stage_bits(const LaneMoves &lane,
                                           const uint32_t (&bits)[LANE_WORDS],
                                           unsigned int at, uint32_t *staged) {
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++)
        staged[k * WARP + lane_id()] = 0;
    if (lane_id() < STAGED_WORDS - TILE_WORDS)
        staged[TILE_WORDS + lane_id()] = 0;
    __syncwarp();
    /* The lane's bits, each word's behind those of the words before it, and all
     * of them as far into the first word as they belong there. Shifts are by 32
     * at most. */
    const unsigned int to = at + lane.rank, shift = to % 32;
    uint32_t joined[LANE_WORDS + 1] = {};
    unsigned int number = shift;
#pragma unroll
    for (unsigned int k = LANE_WORDS; k-- != 0;) {
        const unsigned int count = lane.moves[k].count();
        number += count;
        shift_up<LANE_WORDS>(joined, count);
        joined[0] |= lane.moves[k].extract(bits[k]);
    }
    shift_up<LANE_WORDS>(joined, shift);
    unsigned int first = to / 32;
    pin(first);
#pragma unroll
    for (unsigned int k = 0; k <= LANE_WORDS; k++)
        if (number > 32 * k)
            atomicOr(&staged[first + k], joined[k]);
    __syncwarp();
}

/* Write a tile's bits, which are staged from their place in a word on: behind
 * `before` others of the output, as far as it goes; it has room for one at
 * least. By all lanes. */
__device__ __forceinline__ void store_bits(const BitOutput &out,
                                           uint64_t before, unsigned int count,
                                           const uint32_t *staged) {
    const uint64_t first = out.begin + before;
    uint32_t *const words = out.words + first / 32;
    const unsigned int at = first % 32;
    /* Bits of the output from the tile's first word on, or as many as there are
     * in a tile's words and more. */
    const unsigned int room =
        at + static_cast<unsigned int>(
                 min(out.end - first, uint64_t(32 * (STAGED_WORDS + 1))));
    const unsigned int end = min(at + count, room);
#pragma unroll 1
    for (unsigned int w = (at != 0) + lane_id(); w < end / 32; w += WARP)
        words[w] = staged[w];
    /* A lane for each word that the tile has a part of. */
    const unsigned int w = lane_id() == 0 ? 0 : end / 32;
    const bool is_first = lane_id() == 0 && at != 0;
    const bool is_last =
        lane_id() == 1 && end % 32 != 0 && (at == 0 || end > 32);
    /* Has the output all bits of the word? */
    const bool is_whole = (w != 0 || before >= at) && 32 * w + 32 <= room;
    if ((is_first || is_last) && is_whole) {
        uint32_t mask = w == 0 ? ~0u << at : ~0u;
        if (32 * w + 32 > end)
            mask &= ~(~0u << end % 32);
        atomicAnd(words + w, staged[w] | ~mask); /* relaxed: see above */
        atomicOr(words + w, staged[w] & mask);
    }
    __syncwarp(); /* shared memory is used again */
}

/* Pack a tile, behind `before` bits of the output. By all lanes. */
__device__ __forceinline__ void pack_tile(uint64_t before, unsigned int count,
                                          const LaneMoves &lane,
                                          const uint32_t (&bits)[LANE_WORDS],
                                          const BitOutput &out,
                                          uint32_t *staged) {
    if (out.begin + before >= out.end)
        return;
    stage_bits(lane, bits, (out.begin + before) % 32, staged);
    store_bits(out, before, count, staged);
}

/* The words at the ends of an output that have other bytes, too: the first one,
 * and the last. By all lanes of a warp. */
template <bool REJECTS>
__device__ __forceinline__ void pack_end(const Side<REJECTS> &side,
                                         const BitWords &in,
                                         const BitOutput &out, bool is_last) {
    const uint64_t word = (is_last ? out.end : out.begin) / 32;
    const bool is_shared = (is_last ? out.end : out.begin) % 32 != 0;
    if (!is_shared || out.begin == out.end ||
        (is_last && out.begin % 32 != 0 && word == out.begin / 32))
        return;
    const uint64_t bit = word * 32 + lane_id();
    const bool inside = out.begin <= bit && bit < out.end;
    uint32_t value = 0;
    if (inside) {
        const uint64_t at = in.first + side.item(bit - out.begin);
        value = reinterpret_cast<const uint8_t *>(in.words)[at / 8] >> at % 8;
    }
    const uint32_t bits = __ballot_sync(ALL_LANES, value & 1);
    const uint32_t mask = __ballot_sync(ALL_LANES, inside);
    if (lane_id() == 0)
        out.put(word, bits, mask);
}

/* A lane's words of the selection. */
__device__ __forceinline__ uint4 keep_of(const winnow__selection &from,
                                         uint64_t tile) {
    return reinterpret_cast<const uint4 *>(from.keep)[tile * WARP + lane_id()];
}

__global__ void __launch_bounds__(SINK_THREADS)
    compact_bits(const __grid_constant__ winnow__compact_bits_args args) {
    WINNOW__SHARED(shared, BitsShared);
    const Side<false> side = {args.from};
    const Place place(args.position, args.capacity);
    const uint64_t number = min(side.total(), place.room);
    report_total(args.from, args.count);
    if (blockIdx.x == gridDim.x - 1) {
        for (unsigned int i = warp_id(); i < 2 * args.number; i += SINK_WARPS) {
            const winnow__bit_column &column = args.columns[i / 2];
            pack_end(side,
                     BitWords(column.in.start, column.in.skip, args.from.n),
                     BitOutput(column.out, place.start, number), i % 2 != 0);
        }
        return;
    }
    const uint64_t tile = tile_of_warp();
    if (tile >= args.from.tiles)
        return;
    /* Loads that need nothing of each other are under way together: those of
     * the next column while one is packed. */
    const uint4 keep = keep_of(args.from, tile);
    const uint64_t before = side.before(tile), end = side.before(tile + 1);
    uint32_t next[LANE_WORDS];
    load_bits(BitWords(args.columns[0].in.start, args.columns[0].in.skip,
                       args.from.n),
              tile, next);
    if (before == end || before >= number)
        return;
    const LaneMoves lane(side, tile, keep);
#pragma unroll 1
    for (unsigned int c = 0; c < args.number; c++) {
        uint32_t bits[LANE_WORDS];
#pragma unroll
        for (unsigned int k = 0; k < LANE_WORDS; k++)
            bits[k] = next[k];
        if (c + 1 < args.number) {
            const winnow__bit_array &in = args.columns[c + 1].in;
            load_bits(BitWords(in.start, in.skip, args.from.n), tile, next);
        }
        pack_tile(before, static_cast<unsigned int>(end - before), lane, bits,
                  BitOutput(args.columns[c].out, place.start, number),
                  shared.staged[warp_id()]);
    }
}

/* One side of a split. */
template <bool REJECTS>
__device__ __forceinline__ void
split_side(const Side<REJECTS> &side, const BitWords &in,
           const winnow__bit_array &array, uint64_t capacity,
           uint32_t *staged) {
    const BitOutput out(array, 0, min(side.total(), capacity));
    if (blockIdx.x == gridDim.x - 1) {
        if (warp_id() < 2)
            pack_end(side, in, out, warp_id() != 0);
        return;
    }
    const uint64_t tile = tile_of_warp();
    if (tile >= side.from.tiles)
        return;
    const uint4 keep = keep_of(side.from, tile);
    const uint64_t before = side.before(tile), end = side.before(tile + 1);
    uint32_t bits[LANE_WORDS];
    load_bits(in, tile, bits);
    if (before == end)
        return;
    pack_tile(before, static_cast<unsigned int>(end - before),
              LaneMoves(side, tile, keep), bits, out, staged);
}

__global__ void __launch_bounds__(SINK_THREADS)
    split_bits(const __grid_constant__ winnow__split_bits_args args) {
    WINNOW__SHARED(shared, BitsShared);
    const winnow__selection from = limit_items(args.from, args.items);
    const BitWords in(args.in.start, args.in.skip, from.n);
    const Side<false> kept = {from};
    const Side<true> rejected = {from};
    if (args.counts != nullptr && blockIdx.x == 0 && threadIdx.x == 0) {
        args.counts[0] = kept.total();
        args.counts[1] = rejected.total();
    }
    split_side(kept, in, args.kept, args.capacity, shared.staged[warp_id()]);
    split_side(rejected, in, args.rejected, args.rejected_capacity,
               shared.staged[warp_id()]);
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__compact_bits) =
    WINNOW__SINK(winnow::pack::compact_bits);
WINNOW__FOR_HOST(winnow__split_bits) = WINNOW__SINK(winnow::pack::split_bits);
