/*
 * Fills the places that a selection does not keep, the holes: first with
 * arrivals, then with survivors from the end. All elements are then contiguous.
 *
 * Filler k goes to free place k: a hole, or a place behind the items. A thread
 * finds both by search: the tile by its `before`, the word by counting bits.
 * Then the block moves its fillers.
 *
 * No block waits for another. A launch reads arrivals, and survivors behind the
 * new end of a column; it writes only free places before that end. So no
 * element is both read and written. An earlier kernel writes `winnow__holes`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "places.cuh"
#include "tuning.cuh"
#include "kernels/selection/items.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

constexpr unsigned int FILLERS = WINNOW__FILLERS;
static_assert(FILLERS == SINK_THREADS, "a thread finds one");

/* ---- counting */

constexpr unsigned int LANE_WORDS = WINNOW__SELECTION_WORDS / WARP;

/* Survivors of a tile before an item. By all lanes of a warp. */
__device__ __forceinline__ unsigned int count_before(const uint32_t *words,
                                                     unsigned int item) {
    unsigned int kept = 0;
#pragma unroll
    for (unsigned int i = 0; i < LANE_WORDS; i++) {
        const unsigned int word = i * WARP + threadIdx.x;
        const unsigned int first = word * 32;
        if (first + 32 <= item)
            kept += __popc(words[word]);
        else if (first < item)
            kept += __popc(words[word] & ((1u << (item - first)) - 1));
    }
    return reduce_add(kept);
}

/* `count` may be the word with the number of items, which is read before. */
__global__ void __launch_bounds__(WARP)
    count_holes(const __grid_constant__ winnow__count_holes_args args) {
    const uint64_t items = limit_items(args.from, args.items).n;
    const uint64_t kept = args.from.before[args.from.tiles];
    const uint64_t arrived =
        args.arrived != nullptr && *args.arrived < args.most_arrived
            ? *args.arrived
            : args.most_arrived;
    const uint64_t end = min(kept + arrived, args.capacity);
    uint64_t tail = kept;
    if (end < items) {
        const uint64_t tile = end / WINNOW__SELECTION_TILE;
        tail = args.from.before[tile] +
               count_before(
                   args.from.keep + tile * WINNOW__SELECTION_WORDS,
                   static_cast<unsigned int>(end % WINNOW__SELECTION_TILE));
    }
    __syncwarp(); /* all lanes have read the number of items */
    if (threadIdx.x != 0)
        return;
    winnow__holes &holes = *args.holes;
    holes.items = items;
    holes.holes = items - kept;
    holes.arrivals = end - kept;
    holes.tail = tail;
    holes.fillers = end - kept + (kept - tail);
    if (args.count != nullptr)
        *args.count = kept + arrived;
}

/* ---- moving */

/* The fillers of a block. */
struct FillShared {
    uint64_t from[FILLERS]; /* an arrival's number, or a survivor's place */
    uint64_t to[FILLERS];
};

/* `rows` fillers, the first `arrivals` of which are arrivals. */
template <class V>
__device__ __forceinline__ void
move_column(const FillShared &shared, const winnow__column &column,
            unsigned int rows, unsigned int arrivals) {
    const winnow__row_shape &shape = column.shape;
    const V *const arrived = static_cast<const V *>(column.in);
    V *const items = static_cast<V *>(column.out);
    const unsigned int end = rows * shape.width;
#pragma unroll 1
    for (unsigned int first = threadIdx.x; first < end;
         first += ROW_BATCH * SINK_THREADS) {
        V value[ROW_BATCH];
        V *to[ROW_BATCH];
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++) {
            const unsigned int index = first + k * SINK_THREADS;
            if (index >= end)
                continue;
            const unsigned int row =
                static_cast<unsigned int>(index * shape.reciprocal >> 36);
            const unsigned int in_row = index - row * shape.width;
            to[k] = items + (shared.to[row] * shape.width + in_row);
            value[k] = (row < arrivals
                            ? arrived
                            : items)[shared.from[row] * shape.width + in_row];
        }
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++)
            if (first + k * SINK_THREADS < end)
                *to[k] = value[k];
    }
}

/* A block's number of fillers, if `left` follow from its first one on. */
__device__ __forceinline__ unsigned int up_to_block(uint64_t left) {
    return left < FILLERS ? static_cast<unsigned int>(left) : FILLERS;
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    fill_holes(const __grid_constant__ winnow__fill_holes_args args) {
    WINNOW__SHARED(shared, FillShared);
    const winnow__holes holes = *args.holes;
    for (uint64_t first = static_cast<uint64_t>(blockIdx.x) * FILLERS;
         first < holes.fillers;
         first += static_cast<uint64_t>(gridDim.x) * FILLERS) {
        const uint64_t k = first + threadIdx.x;
        if (k < holes.fillers) {
            shared.to[threadIdx.x] = k < holes.holes
                                         ? find_place<false>(args.from, k)
                                         : holes.items + (k - holes.holes);
            shared.from[threadIdx.x] =
                k < holes.arrivals
                    ? k
                    : find_place<true>(args.from,
                                       holes.tail + (k - holes.arrivals));
        }
        __syncthreads(); /* all places are listed */
        const unsigned int rows = up_to_block(holes.fillers - first);
        const unsigned int arrivals =
            first < holes.arrivals ? up_to_block(holes.arrivals - first) : 0;
        for (unsigned int c = 0; c < args.number; c++)
            move_column<V>(shared, args.columns[c], rows, arrivals);
        __syncthreads(); /* the list is used again */
    }
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__count_holes) =
    WINNOW__ENTRY(winnow::WARP, 0, 0, 0, winnow::pack::count_holes);

/* By the size of V. */
WINNOW__FOR_HOST(winnow__fill_holes[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::fill_holes);
