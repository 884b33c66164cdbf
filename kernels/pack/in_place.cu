/*
 * The elements of columns that a selection keeps, with each column packed in
 * place.
 *
 * A column is cut into pieces of rows, which blocks take in order from a
 * cursor. A block loads the survivors of a piece into shared memory and signals
 * that the piece was read. It waits until the pieces that its output overwrites
 * were read, and stores. `before` gives the place of the output, which moves
 * towards the beginning: it overwrites its own piece and at most two earlier
 * ones, since it is no longer than a piece. Blocks that took earlier pieces run
 * or have ended, and none of them waits before it has read: so every wait ends.
 *
 * The exchange: the block that reads has all its loads before a barrier, then
 * thread 0 has a fence, and a relaxed store to the word of the piece, which is
 * a release pattern. The block that overwrites has a relaxed load of the word
 * by thread 0, a fence, which is an acquire pattern, and a barrier before its
 * stores. Both at the scope of the device. So all loads of the piece happen
 * before the stores.
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
    uint64_t index;       /* of the column's */
    uint64_t first;       /* its row 0 */
    unsigned int in_tile; /* the same, from the tile's first row on */
    unsigned int rows;    /* that it has */
    uint64_t before;      /* survivors before it */
    unsigned int count;   /* survivors that it has */
};

/* The words of its tile are loaded. By all threads; ends with a barrier. */
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

/* List its survivors, from its row 0 on. By all threads; no barrier. */
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

/* Wait until a piece was read. */
__device__ __forceinline__ void wait_for_piece(uint32_t *word) {
    while (load_relaxed(word) == 0)
        continue;
}

/* By thread 0, between two barriers: this piece was read; those that the rows
 * from `to` on overwrite are waited for. `read` are the words of its column. */
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

/* Is the piece where it belongs already? */
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
