/*
 * Packs the elements of a column that a selection keeps, and those that it
 * rejects, each in their order. A block reads each element once, stages both
 * kinds, and writes first the survivors, then the rejects. Rows are packed in
 * two steps; the second one's loads hit the cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/selection/items.cuh"
#include "batch.cuh"
#include "rows.cuh"

namespace winnow::pack {

using namespace selection;

/* The call's outputs, for one block. */
struct SplitPlace {
    winnow__selection from;
    void *rejected;
    uint64_t rejected_capacity;

    __device__
        __forceinline__ explicit SplitPlace(const winnow__split_args &args)
        : from(limit_items(args.from, args.items)), rejected(args.rejected),
          rejected_capacity(args.rejected_capacity) {
        if (args.in_one_array)
            rejected = static_cast<unsigned char *>(args.kept) +
                       from.before[from.tiles] * args.element_bytes;
    }
};

__device__ __forceinline__ void report_counts(const winnow__selection &from,
                                              unsigned long long *counts) {
    if (counts == nullptr || blockIdx.x != 0 || threadIdx.x != 0)
        return;
    const unsigned long long kept = from.before[from.tiles];
    counts[0] = kept;
    counts[1] = from.n - kept;
}

/* Does the block have anything to write? */
template <unsigned int TILES>
__device__ __forceinline__ bool has_work(const winnow__split_args &args,
                                         const SplitPlace &place,
                                         const Unit<TILES> &unit) {
    return room_for(args.capacity, unit.before, unit.count) != 0 ||
           room_for(place.rejected_capacity, unit.first - unit.before,
                    unit.rejects) != 0;
}

/* Stages a slice: survivors at their ranks, rejects from `rejects` on. */
template <class U, class Piece>
__device__ __forceinline__ void
stage_both(PackShared<U> &shared, const Kept<BatchWords> &kept,
           const Rejected<BatchWords> &rejected, unsigned int rejects,
           const Piece &piece) {
    constexpr unsigned int NUMBER = Piece::VECTORS / SINK_THREADS;
    constexpr unsigned int EACH = Piece::EACH;
    uint4 vector[NUMBER];
    uint32_t inside[NUMBER];
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++) {
        const unsigned int v = k * SINK_THREADS + threadIdx.x;
        inside[k] = 0;
        vector[k] = make_uint4(0, 0, 0, 0);
        if (piece.is_whole(v)) {
            inside[k] = v == 0 ? ALL_ITEMS<U> << piece.head & ALL_ITEMS<U>
                               : ALL_ITEMS<U>;
            vector[k] = __ldcs(piece.vectors + v);
        }
    }
#pragma unroll
    for (unsigned int k = 0; k < NUMBER; k++) {
        const int first = piece.first_item(k * SINK_THREADS + threadIdx.x);
        const unsigned int item = first < 0 ? 0 : first;
        const uint32_t keep = kept.bits(first);
        const unsigned int rank = kept.rank(item);
        U *at = shared.staged + rank;
        U *other = shared.staged + rejects + (item - rank);
#pragma unroll
        for (unsigned int i = 0; i < EACH; i++)
            if (inside[k] >> i & 1)
                *(keep >> i & 1 ? at++ : other++) =
                    winnow::item<U>(vector[k], i);
    }
    piece.visit_ends(threadIdx.x, [&](unsigned int i) {
        if (kept.bits(static_cast<int>(i)) & 1)
            shared.staged[kept.rank(i)] = piece[i];
        else
            shared.staged[rejects + rejected.rank(i)] = piece[i];
    });
}

/* A slice that has survivors and rejects. */
template <class U>
__device__ __forceinline__ void
split_slice(PackShared<U> &shared, const Kept<BatchWords> &kept,
            const Rejected<BatchWords> &rejected,
            const winnow__split_args &args, const SplitPlace &place) {
    constexpr unsigned int VECTOR = VECTOR_ITEMS<U>;
    const unsigned int rejects = (kept.count + VECTOR - 1) / VECTOR * VECTOR;
    const Piece<U, PackShared<U>::ITEMS> piece(args.in, kept.slice.first,
                                               kept.slice.items);
    stage_both(shared, kept, rejected, rejects, piece);
    __syncthreads();
    scatter_staged(static_cast<U *>(args.kept) + kept.before, shared.staged,
                   room_for(args.capacity, kept.before, kept.count));
    scatter_staged(
        static_cast<U *>(place.rejected) + rejected.before,
        shared.staged + rejects,
        room_for(place.rejected_capacity, rejected.before, rejected.count));
}

template <class U>
__global__ void __launch_bounds__(SINK_THREADS,
                                  resident(SINK_THREADS, PACK_BLOCKS<U>))
    split(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, PackShared<U>);
    const SplitPlace place(args);
    report_counts(place.from, args.counts);
    const Batch batch(place.from, blockIdx.x, args.tiles);
    if (!has_work(args, place, batch))
        return;
    shared.words.load(place.from, batch);
    each_slice<U>(whole_slice(shared.words, batch), args.in, true,
                  [&](const Slice<BatchWords> &slice) {
                      const auto kept = kept_of(slice, batch.before);
                      const auto rejected = rejected_of(slice, batch.before);
                      if (rejected.count == 0)
                          pack_slice(shared, kept, args.limits, args.in,
                                     args.kept, args.capacity);
                      else if (kept.count == 0)
                          pack_slice(shared, rejected, args.limits, args.in,
                                     place.rejected, place.rejected_capacity);
                      else
                          split_slice(shared, kept, rejected, args, place);
                  });
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    split_rows(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, RowsShared);
    const SplitPlace place(args);
    report_counts(place.from, args.counts);
    const RowRange range(args.log2_rows);
    const Unit<1> unit(place.from, range.tile);
    if (!has_work(args, place, unit))
        return;
    if (unit.count != unit.items && unit.rejects != unit.items)
        shared.words.load(place.from, unit);
    const auto kept = kept_of_rows(shared, unit);
    if (kept.count > range.first)
        pack_rows<V>(list_rows(shared, kept), kept, range, args.shape, args.in,
                     args.kept, args.capacity);
    __syncthreads(); /* the list is used again */
    const auto rejected = rejected_of_rows(shared, unit);
    if (rejected.count > range.first)
        pack_rows<V>(list_rows(shared, rejected), rejected, range, args.shape,
                     args.in, place.rejected, place.rejected_capacity);
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__split_columns[WINNOW__SIZES]) =
    WINNOW__SINK_OF_COLUMNS(winnow::pack::split);

WINNOW__FOR_HOST(winnow__split_rows[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::split_rows);
