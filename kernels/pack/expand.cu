/*
 * Expands packed elements to the places that a selection keeps. Other places
 * are left alone, or filled with a value.
 *
 * Elements are rows of V, the widest type that size and alignment allow. A
 * block has a tile. Without a value it lists the places, and its threads read
 * the packed elements in order. With a value its threads write the whole tile
 * in order, each V from a packed element or from the value; elements of one V
 * are written in vectors of 16 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tuning.cuh"
#include "kernels/selection/items.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;

struct ExpandShared {
    SelectedWords<1> words;
    union {
        uint16_t list[WINNOW__SELECTION_TILE];
        alignas(16) uint32_t fill[WINNOW__EXPAND_FILL_BYTES / 4];
    };
};

/* A V of a row, by its number in the tile's strips. */
struct RowPlace {
    unsigned int row, column;

    __device__ __forceinline__ RowPlace(const winnow__row_shape &shape,
                                        unsigned int index)
        : row(static_cast<unsigned int>(index * shape.reciprocal >> 36)),
          column(index - row * shape.width) {
    }
};

/* For all numbers below `end`, in batches: load(number, value), which may
 * return false, or then store(number, value). */
template <class V, class Load, class Store>
__device__ __forceinline__ void move_rows(unsigned int end, const Load &load,
                                          const Store &store) {
#pragma unroll 1
    for (unsigned int first = threadIdx.x; first < end;
         first += ROW_BATCH * SINK_THREADS) {
        V value[ROW_BATCH];
        bool is_there[ROW_BATCH];
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++) {
            const unsigned int index = first + k * SINK_THREADS;
            is_there[k] = index < end && load(index, value[k]);
        }
#pragma unroll
        for (unsigned int k = 0; k < ROW_BATCH; k++)
            if (is_there[k])
                store(first + k * SINK_THREADS, value[k]);
    }
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    expand(const __grid_constant__ winnow__expand_args args) {
    WINNOW__SHARED(shared, ExpandShared);
    const Unit<1> unit(args.from, blockIdx.x);
    const unsigned int rows = room_for(args.available, unit.before, unit.count);
    if (rows == 0)
        return;
    shared.words.load(args.from, unit);
    list_items(kept_of(whole_slice(shared.words, unit), unit.before),
               shared.list);
    __syncthreads();
    const V *const in =
        static_cast<const V *>(args.in) + unit.before * args.width;
    V *const out = static_cast<V *>(args.out) + unit.first * args.width;
    move_rows<V>(
        rows * args.shape.width,
        [&](unsigned int index, V &value) {
            value = in[index];
            return true;
        },
        [&](unsigned int index, const V &value) {
            const RowPlace place(args.shape, index);
            out[shared.list[place.row] * args.width + place.column] = value;
        });
}

/* Fills a whole tile, of elements of one V. `in`: its packed elements. */
template <class V>
__device__ __forceinline__ void fill_tile(const SelectedWords<1> &words,
                                          const V *in, V fill, V *out) {
    constexpr unsigned int EACH = 16 / sizeof(V);
#pragma unroll 4
    for (unsigned int item = threadIdx.x * EACH; item < WINNOW__SELECTION_TILE;
         item += SINK_THREADS * EACH) {
        const uint32_t keep = words.keep_from(item);
        const unsigned int rank = words.rank_of_item(item);
        V values[EACH];
#pragma unroll
        for (unsigned int k = 0; k < EACH; k++) {
            values[k] = fill;
            if (keep >> k & 1)
                values[k] = in[rank + __popc(keep & ((1u << k) - 1))];
        }
        uint4 vector;
        memcpy(&vector, values, sizeof vector);
        *reinterpret_cast<uint4 *>(out + item) = vector;
    }
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    expand_fill(const __grid_constant__ winnow__expand_fill_args args) {
    WINNOW__SHARED(shared, ExpandShared);
    const winnow__expand_args &call = args.call;
    const Unit<1> unit(limit_items(call.from, call.items), blockIdx.x);
    if (unit.items == 0)
        return;
    const unsigned int rows = room_for(call.available, unit.before, unit.count);
    const unsigned int words =
        (call.shape.width * static_cast<unsigned int>(sizeof(V)) + 3) / 4;
    for (unsigned int i = threadIdx.x; i < words; i += SINK_THREADS)
        shared.fill[i] = args.fill[i];
    shared.words.load(call.from, unit); /* ends with a barrier */
    const V *const fill = reinterpret_cast<const V *>(shared.fill);
    const V *const in =
        static_cast<const V *>(call.in) + unit.before * call.width + args.first;
    V *const out =
        static_cast<V *>(call.out) + unit.first * call.width + args.first;
    if constexpr (sizeof(V) < sizeof(uint4)) {
        if (call.width == 1 && unit.items == WINNOW__SELECTION_TILE &&
            rows == unit.count && reinterpret_cast<uintptr_t>(out) % 16 == 0) {
            fill_tile(shared.words, in, *fill, out);
            return;
        }
    }
    move_rows<V>(
        unit.items * call.shape.width,
        [&](unsigned int index, V &value) {
            const RowPlace place(call.shape, index);
            const bool kept = shared.words.has(place.row);
            const unsigned int rank = shared.words.rank_of_item(place.row);
            if (kept && rank < rows)
                value = in[rank * call.width + place.column];
            else if (!kept)
                value = fill[place.column];
            return !kept || rank < rows;
        },
        [&](unsigned int index, const V &value) {
            const RowPlace place(call.shape, index);
            out[place.row * call.width + place.column] = value;
        });
}

} // namespace winnow::pack

/* By the size of V. */
WINNOW__FOR_HOST(winnow__expand[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::expand);

WINNOW__FOR_HOST(winnow__expand_fill[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::expand_fill);
