/*
 * Marked: the sink Values (sink_values.cuh), which also writes a selection
 * (kernels/selection/args.h) of what passes: a bit for each item, and how many
 * pass before each tile of the selection. The input is aligned to 16 bytes:
 * then item 0 is bit 0 of a word, and tiles of a selection begin with a row of
 * a warp. It is of all n items: there are no args.items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"
#include "sink_values.cuh"

namespace winnow::tile {

template <class U>
struct Marked : Values<U> {};

/* The tiles of a selection of the array. */
__device__ __forceinline__ uint64_t selection_tiles(const winnow__args &args) {
    return args.n / WINNOW__SELECTION_TILE +
           (args.n % WINNOW__SELECTION_TILE != 0);
}

__device__ __forceinline__ unsigned long long *
selection_before(const winnow__args &args) {
    return reinterpret_cast<unsigned long long *>(
        args.marked.words + selection_tiles(args) * WINNOW__SELECTION_WORDS);
}

/*
 * Where tiles of the selection begin in a tile: in the pieces of which warps,
 * and after how many survivors of the piece. In shared memory; written before a
 * barrier of the block, read after it.
 */
template <unsigned int ITEMS>
struct TileBegins {
    static constexpr unsigned int MOST = ITEMS / WINNOW__SELECTION_TILE + 1;
    unsigned int kept[MOST];
};

/* From an item to the next tile of the selection. All arithmetic is modulo
 * 2^32, a multiple of those tiles. */
__device__ __forceinline__ unsigned int to_selection_tile(unsigned int item) {
    return (0u - item) % WINNOW__SELECTION_TILE;
}

/* The items of a tile that a warp has. */
template <class TileType>
constexpr unsigned int PIECE = WARP *TileType::EACH *TileType::VECTORS;

/* By each warp of tile number `number`. */
template <class TileType>
__device__ __forceinline__ void
note_begins(const TileType &tile, unsigned int number,
            TileBegins<TileType::ITEMS> &begins) {
    constexpr unsigned int ROW = WARP * TileType::EACH;
    static_assert(WINNOW__SELECTION_TILE % ROW == 0 &&
                      PIECE<TileType> <= WINNOW__SELECTION_TILE,
                  "one at most, which begins with a row");
    /* Known here alone, as in store_marks(). */
    unsigned int thread = threadIdx.x;
    pin(thread);
    pin(number);
    const unsigned int begin = number * TileType::ITEMS;
    const unsigned int piece = thread / WARP * PIECE<TileType>;
    const unsigned int next = to_selection_tile(begin + piece);
    if (next >= PIECE<TileType>)
        return;
    unsigned int kept = 0;
#pragma unroll
    for (unsigned int k = 0; k < TileType::VECTORS; k++)
        if (k * ROW < next)
            kept += __popc(tile.keep[k]);
    kept = sum(kept);
    if (thread % WARP == 0)
        begins.kept[(piece + next - to_selection_tile(begin)) /
                    WINNOW__SELECTION_TILE] = kept;
}

/* Write the offsets of those tiles, when that of tile number `number` is known.
 * By a warp. */
template <class TileType>
__device__ __forceinline__ void
store_before(const winnow__args &args, unsigned int number, uint64_t offset,
             const WarpCounts<TileType::THREADS> &counts,
             const TileBegins<TileType::ITEMS> &begins) {
    constexpr unsigned int MOST = TileBegins<TileType::ITEMS>::MOST;
    static_assert(MOST <= WARP, "a lane for each");
    const unsigned int before = counts.before_lane();
    const uint64_t begin = uint64_t(number) * TileType::ITEMS;
    const unsigned int item =
        to_selection_tile(static_cast<unsigned int>(begin)) +
        lane_id() * WINNOW__SELECTION_TILE;
    /* Of the pieces before the one where the lane's tile begins. */
    const unsigned int pieces =
        __shfl_sync(ALL_LANES, before, item / PIECE<TileType> % WARP);
    if (lane_id() < MOST && item < TileType::ITEMS && begin + item < args.n)
        selection_before(args)[(begin + item) / WINNOW__SELECTION_TILE] =
            offset + pieces + begins.kept[lane_id()];
}

/* Write the total, and clear the words behind the array's last item, up to the
 * end of the selection. By a warp. */
__device__ __forceinline__ void end_selection(const winnow__args &args,
                                              uint64_t total) {
    const uint64_t end = selection_tiles(args) * WINNOW__SELECTION_WORDS;
    for (uint64_t word = (args.n + 31) / 32 + lane_id(); word < end;
         word += WARP)
        args.marked.words[word] = 0;
    if (lane_id() == 0)
        selection_before(args)[selection_tiles(args)] = total;
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
            args.marked.words[item / 32] = bits;
    }
}

} // namespace winnow::tile
