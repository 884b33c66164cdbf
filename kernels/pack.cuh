/*
 * Pack what a unit of a selection keeps, or what it rejects, of a column.
 *
 * The unit's exact count decides how: nothing to do; few items, listed and
 * loaded one by one; all of them, copied; else those vectors that hold any are
 * loaded, and their items staged in shared memory at their ranks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PACK_CUH
#define WINNOW_KERNELS_PACK_CUH

#include "column.cuh"
#include "compact_tuning.cuh"
#include "scatter.cuh"
#include "selected.cuh"
#include "stage.cuh"

namespace winnow {

template <class U>
struct PackShared {
    static constexpr unsigned int TILES = COMPACT_TILES<U>;
    static constexpr unsigned int ITEMS = Unit<TILES>::ITEMS;

    SelectedWords<TILES> words;
    /* Items are staged or listed, not both. The list holds as many as any
     * profile has listed. */
    static constexpr unsigned int MOST_LISTED =
        ITEMS / WINNOW__LEAST_PER_GATHERED;
    union {
        alignas(16) U staged[ITEMS];
        uint16_t list[MOST_LISTED];
    };
    static_assert(sizeof(uint16_t) * MOST_LISTED <= sizeof(U) * ITEMS,
                  "the list takes no more than the items");
};

/* ---- few items */

template <class U, class Chosen>
__device__ __forceinline__ void pack_few(PackShared<U> &shared,
                                         const Chosen &chosen, const U *in,
                                         U *out, unsigned int room) {
    list_items(chosen, shared.list);
    __syncthreads();
    scatter_each<U, SINK_THREADS>(
        out, room, [&](unsigned int i) { return in[shared.list[i]]; });
}

/* ---- many */

/* Whole vectors of the warp. */
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
    const bool all_whole = piece.all_whole();
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
            shared.staged[chosen.rank(i)] = piece.in[i];
    });
}

/* Of a unit that is chosen as a whole, and aligned. */
template <class U, class Piece>
__device__ __forceinline__ void stage_whole(PackShared<U> &shared,
                                            const Piece &piece) {
    constexpr unsigned int NUMBER = Piece::VECTORS / SINK_THREADS;
    uint4 *const staged = reinterpret_cast<uint4 *>(shared.staged);
    uint4 vector[NUMBER];
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++)
        vector[k] = __ldcs(piece.vectors + k * SINK_THREADS + threadIdx.x);
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++)
        staged[k * SINK_THREADS + threadIdx.x] = vector[k];
}

/*
 * Pack the chosen items of a unit (selected.cuh) into out, as far as there is
 * room. By all threads; `shared` can be used again after a barrier.
 */
template <class U, class Chosen>
__device__ __forceinline__ void
pack(PackShared<U> &shared, const Chosen &chosen,
     const winnow__pack_limits &limits, const void *column, void *output,
     uint64_t capacity) {
    constexpr unsigned int ITEMS = PackShared<U>::ITEMS;
    const unsigned int room = room_for(capacity, chosen.before, chosen.count);
    if (room == 0)
        return;
    const Piece<U, ITEMS> piece(column, chosen.unit.first, chosen.unit.items);
    U *const out = static_cast<U *>(output) + chosen.before;
    if (chosen.count < limits.gather_below) {
        pack_few(shared, chosen, piece.in, out, room);
        return;
    }
    if (chosen.count == ITEMS && piece.head == 0)
        stage_whole(shared, piece);
    else
        stage_chosen(shared, chosen, limits, piece);
    __syncthreads();
    if constexpr (sizeof(U) < 4)
        scatter_vectors<uint4, U, SINK_THREADS>(out, shared.staged, room);
    else
        scatter_elements<U, SINK_THREADS>(out, shared.staged, room);
}

} // namespace winnow

#endif
