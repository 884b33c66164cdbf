/*
 * Packs what a tile of a selection keeps, or rejects, for elements of any size:
 * rows of V, the widest type that size and alignment allow.
 *
 * The items are listed in shared memory. The threads then copy V in the order
 * of the output. So stores fill lines of memory, and loads do if rows are long
 * or survivors adjacent.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tuning.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

struct RowsShared {
    SelectedWords<1> words;
    uint16_t list[WINNOW__SELECTION_TILE];
};

/* The source of the output's `index`-th V, counted in V from the tile's item 0.
 * Without a list all items are copied. */
__device__ __forceinline__ unsigned int
row_source(const winnow__row_shape &shape, const uint16_t *list,
           unsigned int index) {
    if (list == nullptr)
        return index;
    if (shape.width == 1)
        return list[index];
    const unsigned int row =
        static_cast<unsigned int>(index * shape.reciprocal >> 36);
    return list[row] * shape.width + (index - row * shape.width);
}

/* A block's rows of a tile's output; a tile may have several blocks. */
struct RowRange {
    uint64_t tile;
    unsigned int first, end;

    __device__ __forceinline__ explicit RowRange(unsigned int log2_rows)
        : tile(blockIdx.x >> (LOG2_TILE - log2_rows)),
          first((blockIdx.x & ((1u << (LOG2_TILE - log2_rows)) - 1))
                << log2_rows),
          end(first + (1u << log2_rows)) {
    }

  private:
    static constexpr unsigned int LOG2_TILE = 12;
    static_assert(WINNOW__SELECTION_TILE == 1u << LOG2_TILE, "its logarithm");
};

/* Copies rows `from` to `to` - 1 of the output. */
template <class V>
__device__ __forceinline__ void
copy_rows(const winnow__row_shape &shape, const V *in, V *out,
          const uint16_t *list, unsigned int from, unsigned int to) {
    const unsigned int end = to * shape.width;
#pragma unroll 1
    for (unsigned int first = from * shape.width + threadIdx.x; first < end;
         first += ROW_BATCH * SINK_THREADS) {
        V value[ROW_BATCH];
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++) {
            const unsigned int index = first + k * SINK_THREADS;
            if (index < end)
                value[k] = in[row_source(shape, list, index)];
        }
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++) {
            const unsigned int index = first + k * SINK_THREADS;
            if (index < end)
                out[index] = value[k];
        }
    }
}

/* What a tile keeps, and what it rejects. All or none: words are not read. */
__device__ __forceinline__ Kept<SelectedWords<1>>
kept_of_rows(const RowsShared &shared, const Unit<1> &unit) {
    return {whole_slice(shared.words, unit), unit.before, unit.count};
}

__device__ __forceinline__ Rejected<SelectedWords<1>>
rejected_of_rows(const RowsShared &shared, const Unit<1> &unit) {
    return {whole_slice(shared.words, unit), unit.first - unit.before,
            unit.rejects};
}

/* Lists the chosen items of a tile. By all threads; ends with a barrier.
 * Returns NULL if all items are chosen. */
template <class Chosen>
__device__ __forceinline__ const uint16_t *list_rows(RowsShared &shared,
                                                     const Chosen &chosen) {
    if (chosen.count == chosen.slice.items)
        return nullptr;
    list_items(chosen, shared.list);
    __syncthreads();
    return shared.list;
}

/* Packs a range of the listed items of a tile. */
template <class V, class Chosen>
__device__ __forceinline__ void
pack_rows(const uint16_t *list, const Chosen &chosen, const RowRange &range,
          const winnow__row_shape &shape, const void *column, void *output,
          uint64_t capacity) {
    const unsigned int rows = room_for(capacity, chosen.before, chosen.count);
    if (rows <= range.first)
        return;
    copy_rows(shape,
              static_cast<const V *>(column) + chosen.slice.first * shape.width,
              static_cast<V *>(output) + chosen.before * shape.width, list,
              range.first, min(rows, range.end));
}

} // namespace winnow::pack
