/*
 * Marked: the sink Values (sink_values.cuh), which also writes a selection
 * (kernels/selection/args.h): a keep bit for each item, and the number of
 * survivors before each tile of the selection. The input is aligned to 16
 * bytes. So item 0 is bit 0 of a word, and each tile of a selection begins with
 * a row of a warp. args.items is NULL: the input has n items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"
#include "sink_values.cuh"

namespace winnow::tile {

template <class U>
struct Marked : Values<U> {};

/* The number of tiles of the selection. */
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
 * For each tile of the selection that begins in a tile: the survivors before it
 * in the piece of the warp where it begins. In shared memory; written before a
 * barrier of the block, read after it.
 */
template <unsigned int ITEMS>
struct TileBegins {
    static constexpr unsigned int MOST = ITEMS / WINNOW__SELECTION_TILE + 1;
    unsigned int kept[MOST];
};

/* The distance from an item to the next tile of the selection. All arithmetic
 * is modulo 2^32, which is a multiple of the tile's size. */
__device__ __forceinline__ unsigned int to_selection_tile(unsigned int item) {
    return (0u - item) % WINNOW__SELECTION_TILE;
}

/* The number of a tile's items that a warp has. */
template <class TileType>
constexpr unsigned int PIECE = WARP *TileType::EACH *TileType::VECTORS;

/* Each warp of tile number `number` calls this. */
template <class TileType>
__device__ __forceinline__ void
note_begins(const TileType &tile, unsigned int number,
            TileBegins<TileType::ITEMS> &begins) {
    constexpr unsigned int ROW = WARP * TileType::EACH;
    static_assert(WINNOW__SELECTION_TILE % ROW == 0 &&
                      PIECE<TileType> <= WINNOW__SELECTION_TILE,
                  "one at most, which begins with a row");
    /* pin() limits the use of registers, as in store_marks(). */
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

/* One warp writes the offsets of those tiles, when the offset of tile number
 * `number` is known. */
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
    /* Survivors of the pieces before the one where the lane's tile begins. */
    const unsigned int pieces =
        __shfl_sync(ALL_LANES, before, item / PIECE<TileType> % WARP);
    if (lane_id() < MOST && item < TileType::ITEMS && begin + item < args.n)
        selection_before(args)[(begin + item) / WINNOW__SELECTION_TILE] =
            offset + pieces + begins.kept[lane_id()];
}

/* One warp writes the total, and clears the words behind the array's last item,
 * up to the end of the selection. */
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
 * Write a tile's words that have items of the array. A word has the bits of
 * 32 / EACH lanes of one row. A register takes the bits of 32 / EACH rows, and
 * after a transposition each of these lanes has the word of one row.
 */
template <class TileType>
__device__ __forceinline__ void
store_marks(const winnow__args &args, const TileType &tile, uint64_t number) {
    constexpr unsigned int EACH = TileType::EACH, VECTORS = TileType::VECTORS;
    constexpr unsigned int ROWS = 32 / EACH;
    /* Without pin() the compiler would compute values from the thread's number
     * before the loop over tiles, and there are no registers for them. */
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
