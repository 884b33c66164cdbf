/*
 * Packs the survivors of columns, each column in place.
 *
 * A column is cut into pieces of rows, which blocks take in order from a
 * cursor. A block loads the survivors of a piece into shared memory and signals
 * that the piece was read. It waits until all pieces that its output overwrites
 * were read, and stores. `before` gives the place of the output. Survivors move
 * towards the beginning, and a piece's output is no longer than a piece: so it
 * overwrites its own piece and at most two earlier ones. Blocks that took
 * earlier pieces are running or have ended, and none of them waits before it
 * has read: so every wait ends.
 *
 * Order of memory: in the block that reads, all loads come before a barrier;
 * then thread 0's fence and relaxed store to the piece's word are a release
 * pattern. In the block that overwrites, thread 0's relaxed load of the word
 * and its fence are an acquire pattern, with a barrier before the stores. Both
 * are at device scope. So all loads of the piece happen before the stores.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tuning.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

struct InPlaceShared {
    SelectedWords<1> words;
    uint16_t list[WINNOW__SELECTION_TILE];
    alignas(16) unsigned char staged[WINNOW__PIECE_BYTES];
    unsigned long long task;
};

/* A piece of rows, all of one tile. */
struct PieceOfRows {
    uint64_t index;       /* in the column */
    uint64_t first;       /* its first row, in the column */
    unsigned int in_tile; /* its first row, in the tile */
    unsigned int rows;
    uint64_t before;    /* survivors before it */
    unsigned int count; /* its survivors */
};

/* Also loads the words of its tile. By all threads; ends with a barrier. */
__device__ __forceinline__ PieceOfRows load_piece(
    InPlaceShared &shared, const winnow__in_place_args &args, uint64_t index) {
    const uint64_t first = index << args.log2_rows;
    const Unit<1> tile(args.from, first / WINNOW__SELECTION_TILE);
    PieceOfRows piece = {index, first, 0, 0, 0, 0};
    shared.words.load(args.from, tile);
    piece.in_tile = static_cast<unsigned int>(first - tile.first);
    piece.rows = min(1u << args.log2_rows, tile.items - piece.in_tile);
    const unsigned int end = piece.in_tile + piece.rows;
    const unsigned int rank = shared.words.rank_of_item(piece.in_tile);
    piece.before = tile.before + rank;
    piece.count =
        (end == tile.items ? tile.count : shared.words.rank_of_item(end)) -
        rank;
    return piece;
}

/* Lists its survivors, from its first row. By all threads; no barrier. */
__device__ __forceinline__ void list_piece(InPlaceShared &shared,
                                           const PieceOfRows &piece) {
    const unsigned int rank = shared.words.rank_of_item(piece.in_tile);
    for (unsigned int row = threadIdx.x; row < piece.rows;
         row += SINK_THREADS) {
        const unsigned int item = piece.in_tile + row;
        if (shared.words.has(item))
            shared.list[shared.words.rank_of_item(item) - rank] =
                static_cast<uint16_t>(row);
    }
}

__device__ __forceinline__ void wait_for_piece(uint32_t *word) {
    while (load_relaxed(word) == 0)
        continue;
}

/* By thread 0, between two barriers: signals that the piece was read, and waits
 * for those that its output overwrites. `read`: the column's words. */
__device__ __forceinline__ void exchange(const winnow__in_place_args &args,
                                         uint32_t *read,
                                         const PieceOfRows &piece,
                                         unsigned int rows) {
    __threadfence(); /* release, with the store */
    store_relaxed(&read[piece.index], 1u);
    if (rows == 0)
        return;
    const uint64_t last = (piece.before + rows - 1) >> args.log2_rows;
    for (uint64_t other = piece.before >> args.log2_rows;
         other <= last && other < piece.index; other++)
        wait_for_piece(&read[other]);
    __threadfence(); /* acquire, with the loads */
}

/* Is all of the piece kept, at its place? */
__device__ __forceinline__ bool stays(const PieceOfRows &piece) {
    return piece.before == piece.first && piece.count == piece.rows;
}

template <class V>
__device__ __forceinline__ void
move_piece(InPlaceShared &shared, const winnow__in_place_args &args,
           const winnow__column &column, uint32_t *read,
           const PieceOfRows &piece) {
    const winnow__row_shape &shape = column.shape;
    const unsigned int rows =
        stays(piece) ? 0 : room_for(args.capacity, piece.before, piece.count);
    const unsigned int end = rows * shape.width;
    const V *const in =
        static_cast<const V *>(column.in) + piece.first * shape.width;
    V *const out = static_cast<V *>(column.out) + piece.before * shape.width;
    V *const staged = reinterpret_cast<V *>(shared.staged);
    list_piece(shared, piece);
    __syncthreads();
    for (unsigned int i = threadIdx.x; i < end; i += SINK_THREADS) {
        const unsigned int row =
            static_cast<unsigned int>(i * shape.reciprocal >> 36);
        staged[i] =
            in[shared.list[row] * shape.width + (i - row * shape.width)];
    }
    __syncthreads(); /* all have read the piece */
    if (threadIdx.x == 0)
        exchange(args, read, piece, rows);
    __syncthreads(); /* what it overwrites was read */
    for (unsigned int i = threadIdx.x; i < end; i += SINK_THREADS)
        out[i] = staged[i];
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    compact_in_place(const __grid_constant__ winnow__in_place_args args) {
    WINNOW__SHARED(shared, InPlaceShared);
    report_total(args.from, args.count);
    for (;;) {
        if (threadIdx.x == 0)
            shared.task = atomicAdd(args.cursor, 1ull);
        __syncthreads();
        const uint64_t task = shared.task;
        if (task >= args.pieces * args.number)
            return;
        const unsigned int c = static_cast<unsigned int>(task / args.pieces);
        const PieceOfRows piece =
            load_piece(shared, args, task - c * args.pieces);
        move_piece<V>(shared, args, args.columns[c],
                      args.read + c * args.pieces, piece);
        __syncthreads(); /* shared memory is used again */
    }
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__compact_in_place[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::compact_in_place);
