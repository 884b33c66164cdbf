/*
 * Columns of bits: packs the bits that a selection keeps, or also the others.
 *
 * A warp has a tile. It packs the tile's bits in shared memory, at the bit of a
 * word where they will be in the output, and writes aligned words. A word may
 * have bits of several tiles. It is not cleared before, and no tile waits for
 * another one:
 *
 *   - A word whose 32 bits belong to one tile is stored.
 *   - In a word of several tiles that is inside the output, each tile clears
 *     its own 0 bits by atomicAnd and sets its own 1 bits by atomicOr. No other
 *     access to such a word exists. These are morally strong, so there is no
 *     race. They change only the tile's own bits, so their order does not
 *     matter: relaxed atomics suffice.
 *   - A word at an end of the output may have bytes outside the output, which
 *     others may write meanwhile. There are at most two such words. The last
 *     block packs them: a lane finds the survivor for its bit by a search in
 *     `before`. It writes bytes, not words, so each byte has one thread.
 *
 * Input and output do not overlap: to pack in place, bits are packed in a
 * workspace and then copied (bits_copy.cu).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bits.cuh"
#include "places.cuh"

namespace winnow::pack {

/* A tile's bits may begin inside a word, so they take up to two words more. */
constexpr unsigned int STAGED_WORDS = TILE_WORDS + 2;

struct BitsShared {
    uint32_t staged[SINK_WARPS][STAGED_WORDS];
};

/* The items that a selection keeps, or those that it rejects. */
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

    /* This side's bits of a word; `keep` is the selection's word. */
    __device__ __forceinline__ uint32_t mask(uint64_t tile, unsigned int word,
                                             uint32_t keep) const {
        return REJECTS ? ~keep & winnow__bits_inside(word * 32,
                                                     items_of_tile(from, tile))
                       : keep;
    }

    /* The item with a rank, which is below the total. */
    __device__ __forceinline__ uint64_t item(uint64_t rank) const {
        return find_place<!REJECTS>(from, rank);
    }
};

/* A lane's four adjacent words of a tile. */
struct LaneMoves {
    BitMoves moves[LANE_WORDS];
    unsigned int rank; /* bits of the tile before these words */

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

/* Loads this lane's words of a tile. Bits of no item are unspecified. */
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

/* Shifts words, the last of which is 0, by at most 32 bits. */
template <unsigned int WORDS>
__device__ __forceinline__ void shift_up(uint32_t (&words)[WORDS + 1],
                                         unsigned int number) {
#pragma unroll
    for (unsigned int k = WORDS; k != 0; k--)
        words[k] = __funnelshift_lc(words[k - 1], words[k], number);
    words[0] = __funnelshift_lc(0, words[0], number);
}

/* Packs a tile's bits, from bit `at` of `staged` on. By all lanes. */
__device__ __forceinline__ void stage_bits(const LaneMoves &lane,
                                           const uint32_t (&bits)[LANE_WORDS],
                                           unsigned int at, uint32_t *staged) {
#pragma unroll
    for (unsigned int k = 0; k < LANE_WORDS; k++)
        staged[k * WARP + lane_id()] = 0;
    if (lane_id() < STAGED_WORDS - TILE_WORDS)
        staged[TILE_WORDS + lane_id()] = 0;
    __syncwarp();
    /* Joins the lane's bits, each word's behind the words before, and shifts
     * all to their place in the first word. Each shift is at most 32 bits. */
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

/* Writes a tile's staged bits behind `before` bits of the output, up to its
 * end. The output has room for at least one. By all lanes. */
__device__ __forceinline__ void store_bits(const BitOutput &out,
                                           uint64_t before, unsigned int count,
                                           const uint32_t *staged) {
    const uint64_t first = out.begin + before;
    uint32_t *const words = out.words + first / 32;
    const unsigned int at = first % 32;
    /* The output's end, counted from the tile's first word on, or a number
     * above all of the tile's bits. */
    const unsigned int room =
        at + static_cast<unsigned int>(
                 min(out.end - first, uint64_t(32 * (STAGED_WORDS + 1))));
    const unsigned int end = min(at + count, room);
#pragma unroll 1
    for (unsigned int w = (at != 0) + lane_id(); w < end / 32; w += WARP)
        words[w] = staged[w];
    /* A lane for the tile's first word, if shared, and one for its last. */
    const unsigned int w = lane_id() == 0 ? 0 : end / 32;
    const bool is_first = lane_id() == 0 && at != 0;
    const bool is_last =
        lane_id() == 1 && end % 32 != 0 && (at == 0 || end > 32);
    /* Do all bits of the word belong to the output? */
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

/* Packs a tile behind `before` bits of the output. By all lanes. */
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

/* Packs the word at the beginning of the output, or at its end, if the word has
 * other bytes, too. By all lanes of a warp. */
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
    /* Loads are in flight together: the next column's while one is packed. */
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
