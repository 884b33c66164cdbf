/*
 * Packs the survivors of a batch of tiles in a column.
 *
 * The exact count decides how. If a batch has few survivors, they are listed
 * and loaded one by one. Otherwise its tiles are packed a few at a time, as a
 * slice. Slices without survivors are skipped; few survivors are listed again;
 * if all items survive, they are copied. Otherwise vectors with survivors are
 * loaded, and the survivors staged in shared memory at their ranks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tuning.cuh"
#include "kernels/tile/scatter.cuh"
#include "kernels/selection/use.cuh"
#include "kernels/tile/stage.cuh"

namespace winnow::pack {

using namespace selection;
using namespace tile;

using Batch = Unit<WINNOW__BATCH_TILES>;
using BatchWords = SelectedWords<WINNOW__BATCH_TILES>;

template <class U>
struct PackShared {
    static constexpr unsigned int ITEMS =
        COMPACT_TILES<U> * WINNOW__SELECTION_TILE;
    static_assert(WINNOW__BATCH_TILES % COMPACT_TILES<U> == 0,
                  "a batch is staged in whole slices");

    BatchWords words;
    /* Items are staged or listed, not both. */
    static constexpr unsigned int MOST_LISTED =
        ITEMS * sizeof(U) / sizeof(uint16_t);
    union {
        alignas(16) U staged[ITEMS + VECTOR_ITEMS<U>]; /* see split.cu */
        uint16_t list[MOST_LISTED];
    };
    static_assert(ITEMS / WINNOW__LEAST_PER_GATHERED <= MOST_LISTED,
                  "as many as any profile has listed of a slice");
};

/* A slice's items in a column: ITEMS, or fewer at the column's end. */
template <class U, unsigned int ITEMS>
struct Piece : Vectors<U, unsigned int> {
    using Base = Vectors<U, unsigned int>;
    static constexpr unsigned int VECTORS = ITEMS / Base::EACH;
    static_assert(ITEMS % Base::EACH == 0, "whole vectors");

    __device__ __forceinline__ Piece(const void *column, uint64_t first,
                                     unsigned int items)
        : Base(static_cast<const U *>(column) + first, items, first != 0) {
    }

    /* The number of a vector's item 0 in the piece. */
    __device__ __forceinline__ int first_item(unsigned int v) const {
        return static_cast<int>(v * Base::EACH) - static_cast<int>(this->head);
    }
};

/* ---- few items */

/* Are the survivors few enough to be loaded one by one? */
template <class U>
__device__ __forceinline__ bool is_few(const winnow__pack_limits &limits,
                                       unsigned int count, unsigned int items) {
    return count * PackShared<U>::ITEMS < limits.gather_below * items &&
           count <= PackShared<U>::MOST_LISTED;
}

/* Packs the listed items of a slice whose item 0 is `items`. */
template <class U>
__device__ __forceinline__ void pack_listed(const PackShared<U> &shared,
                                            const U *items, U *out,
                                            unsigned int room) {
    gather_each<U, SINK_THREADS>(
        out, room, [&](unsigned int i) { return items[shared.list[i]]; });
}

/* ---- many */

/* The warp's vectors that are kept as a whole. */
template <class U, unsigned int NUMBER>
__device__ __forceinline__ unsigned int
count_full(const uint32_t (&keep)[NUMBER]) {
    unsigned int full = 0;
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++)
        full += is_full<U>(keep[k]);
    return sum(full);
}

template <class U, class Piece, class Chosen>
__device__ __forceinline__ void
stage_chosen(PackShared<U> &shared, const Chosen &chosen,
             const winnow__pack_limits &limits, const Piece &piece) {
    constexpr unsigned int NUMBER = Piece::VECTORS / SINK_THREADS;
    constexpr unsigned int EACH = Piece::EACH;
    uint4 vector[NUMBER];
    uint32_t keep[NUMBER];
    const bool all_whole = piece.are_whole(0, NUMBER * SINK_THREADS);
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++) {
        const unsigned int v = k * SINK_THREADS + threadIdx.x;
        keep[k] = all_whole || piece.is_whole(v)
                      ? chosen.bits(piece.first_item(v)) & ALL_ITEMS<U>
                      : 0;
        vector[k] = make_uint4(0, 0, 0, 0);
        if (keep[k] != 0)
            vector[k] = __ldcs(piece.vectors + v);
    }
    bool skewed = false;
    if constexpr (sizeof(U) < 4)
        skewed = count_full<U>(keep) > limits.skewed_above;
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++) {
        const int first = piece.first_item(k * SINK_THREADS + threadIdx.x);
        U *const at = shared.staged + chosen.rank(first < 0 ? 0 : first);
        if (!skewed)
            stage_dense(at, vector[k], keep[k]);
        else if constexpr (sizeof(U) < 4)
            stage_skewed(at, vector[k], keep[k]);
    }
    static_assert(2 * EACH <= SINK_THREADS, "a thread for each item");
    piece.visit_ends(threadIdx.x, [&](unsigned int i) {
        if (chosen.bits(static_cast<int>(i)) & 1)
            shared.staged[chosen.rank(i)] = piece[i];
    });
}

/* Copies a slice that is aligned and chosen as a whole: to an aligned output
 * or, STAGED, to shared memory. */
template <bool STAGED, class Piece>
__device__ __forceinline__ void copy_whole(const Piece &piece, void *out) {
    constexpr unsigned int NUMBER = Piece::VECTORS / SINK_THREADS;
    uint4 *const to = static_cast<uint4 *>(out) + threadIdx.x;
    uint4 vector[NUMBER];
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++)
        vector[k] = __ldcs(piece.vectors + k * SINK_THREADS + threadIdx.x);
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++)
        if constexpr (STAGED)
            to[k * SINK_THREADS] = vector[k];
        else
            __stcs(to + k * SINK_THREADS, vector[k]);
}

/* Writes `count` staged items, which begin at a whole vector. */
template <class U>
__device__ __forceinline__ void scatter_staged(U *out, const U *staged,
                                               unsigned int count) {
    if (count == 0)
        return;
    if constexpr (sizeof(U) < 4)
        scatter_vectors<uint4, U, SINK_THREADS>(out, staged, count);
    else
        scatter_elements<U, SINK_THREADS>(out, staged, count);
}

/*
 * Packs the chosen items of a slice (kernels/selection/use.cuh) into out, up to
 * its capacity. By all threads. `shared` can be used again after a barrier.
 */
template <class U, class Chosen>
__device__ __forceinline__ void
pack_slice(PackShared<U> &shared, const Chosen &chosen,
           const winnow__pack_limits &limits, const void *column, void *output,
           uint64_t capacity) {
    constexpr unsigned int ITEMS = PackShared<U>::ITEMS;
    const unsigned int room = room_for(capacity, chosen.before, chosen.count);
    if (room == 0)
        return;
    U *const out = static_cast<U *>(output) + chosen.before;
    if (is_few<U>(limits, chosen.count, ITEMS)) {
        list_items(chosen, shared.list);
        __syncthreads();
        pack_listed(shared, static_cast<const U *>(column) + chosen.slice.first,
                    out, room);
        return;
    }
    const Piece<U, ITEMS> piece(column, chosen.slice.first, chosen.slice.items);
    if (chosen.count == ITEMS && piece.head == 0) {
        if (room == ITEMS && reinterpret_cast<uintptr_t>(out) % 16 == 0) {
            copy_whole<false>(piece, out);
            return;
        }
        copy_whole<true>(piece, shared.staged);
    } else {
        stage_chosen(shared, chosen, limits, piece);
    }
    __syncthreads();
    scatter_staged(out, shared.staged, room);
}

/* Will most of the batch's lines be loaded? */
__device__ __forceinline__ bool is_dense(const Batch &batch) {
    return batch.count * DENSE_FROM >= batch.items;
}

template <class U>
__device__ __forceinline__ void prefetch_slice(const Slice<BatchWords> &slice,
                                               const void *column) {
    prefetch_lines<SINK_THREADS>(static_cast<const U *>(column) + slice.first,
                                 slice.items * sizeof(U), threadIdx.x);
}

/* Visits the slices of a batch that are staged together, with barriers between.
 * `dense`: prefetch each next slice. */
template <class U, class Visit>
__device__ __forceinline__ void each_slice(const Slice<BatchWords> &batch,
                                           const void *column, bool dense,
                                           Visit visit) {
    constexpr unsigned int ITEMS = PackShared<U>::ITEMS;
#pragma unroll 1
    for (unsigned int item = 0; item < batch.items; item += ITEMS) {
        if (PREFETCHES<U> && dense && item + ITEMS < batch.items)
            prefetch_slice<U>(slice_from(batch, item + ITEMS, ITEMS), column);
        visit(slice_from(batch, item, ITEMS));
        __syncthreads();
    }
}

} // namespace winnow::pack
