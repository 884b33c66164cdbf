/*
 * Packs the survivors of columns in order. A block has the same tiles of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "batch.cuh"
#include "rows.cuh"

namespace winnow::pack {

/* A batch with few survivors: they are listed once, for all columns. */
template <class U>
__device__ __forceinline__ void
pack_few(PackShared<U> &shared, const winnow__compact_args &args,
         const Batch &batch, const Place &place) {
    const unsigned int room = room_for(place.room, batch.before, batch.count);
    list_items(kept_of(whole_slice(shared.words, batch), batch.before),
               shared.list);
    __syncthreads();
#pragma unroll 1
    for (unsigned int c = 0; c < args.number; c++)
        pack_listed(
            shared, static_cast<const U *>(args.columns[c].in) + batch.first,
            static_cast<U *>(args.columns[c].out) + place.start + batch.before,
            room);
}

template <class U>
__device__ __forceinline__ void
pack_many(PackShared<U> &shared, const winnow__compact_args &args,
          const Batch &batch, const Place &place) {
    const Slice<BatchWords> whole = whole_slice(shared.words, batch);
#pragma unroll 1
    for (unsigned int c = 0; c < args.number; c++)
        each_slice<U>(whole, args.columns[c].in, is_dense(batch),
                      [&](const Slice<BatchWords> &slice) {
                          pack_slice(shared, kept_of(slice, batch.before),
                                     args.limits, args.columns[c].in,
                                     static_cast<U *>(args.columns[c].out) +
                                         place.start,
                                     place.room);
                      });
}

template <class U>
__global__ void __launch_bounds__(SINK_THREADS,
                                  resident(SINK_THREADS, PACK_BLOCKS<U>))
    compact(const __grid_constant__ winnow__compact_args args) {
    WINNOW__SHARED(shared, PackShared<U>);
    report_total(args.from, args.count);
    const Batch batch(args.from, blockIdx.x, args.tiles);
    const Place place(args.position, args.capacity);
    if (room_for(place.room, batch.before, batch.count) == 0)
        return;
    shared.words.load(args.from, batch);
    if (is_few<U>(args.limits, batch.count, batch.items))
        pack_few(shared, args, batch, place);
    else
        pack_many(shared, args, batch, place);
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    compact_rows(const __grid_constant__ winnow__compact_args args) {
    WINNOW__SHARED(shared, RowsShared);
    report_total(args.from, args.count);
    const RowRange range(args.log2_rows);
    const Unit<1> unit(args.from, range.tile);
    const Place place(args.position, args.capacity);
    if (room_for(place.room, unit.before, unit.count) <= range.first)
        return;
    if (unit.count != unit.items)
        shared.words.load(args.from, unit);
    const auto chosen = kept_of_rows(shared, unit);
    const uint16_t *const list = list_rows(shared, chosen);
#pragma unroll 1
    for (unsigned int c = 0; c < args.number; c++) {
        const winnow__column &column = args.columns[c];
        pack_rows<V>(list, chosen, range, column.shape, column.in,
                     static_cast<V *>(column.out) +
                         place.start * column.shape.width,
                     place.room);
    }
}

} // namespace winnow::pack

WINNOW__FOR_HOST(winnow__compact[WINNOW__SIZES]) =
    WINNOW__SINK_OF_COLUMNS(winnow::pack::compact);

WINNOW__FOR_HOST(winnow__compact_rows[WINNOW__ROW_SIZES]) =
    WINNOW__SINK_OF_ROWS(winnow::pack::compact_rows);
