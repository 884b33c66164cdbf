/*
 * The elements of a column that a selection keeps and those that it rejects,
 * each in their order. A block packs the one after the other; the second time
 * it finds what it has read in the cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "items.cuh"
#include "pack.cuh"
#include "rows.cuh"

namespace winnow {

/* What the arguments mean, for one block. */
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

/* May the block write anything? */
template <unsigned int TILES>
__device__ __forceinline__ bool has_work(const winnow__split_args &args,
                                         const SplitPlace &place,
                                         const Unit<TILES> &unit) {
    return room_for(args.capacity, unit.before, unit.count) != 0 ||
           room_for(place.rejected_capacity, unit.first - unit.before,
                    unit.rejects) != 0;
}

template <class U>
__global__ void __launch_bounds__(SINK_THREADS)
    split(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, PackShared<U>);
    report_total(args.from, args.count);
    const SplitPlace place(args);
    const Unit<PackShared<U>::TILES> unit(place.from, blockIdx.x);
    if (!has_work(args, place, unit))
        return;
    shared.words.load(place.from, unit);
    pack<U>(shared, kept_of(shared.words, unit), args.limits, args.in,
            args.kept, args.capacity);
    __syncthreads(); /* the list and the staged items are used again */
    pack<U>(shared, rejected_of(shared.words, unit), args.limits, args.in,
            place.rejected, place.rejected_capacity);
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    split_rows(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, RowsShared);
    report_total(args.from, args.count);
    const SplitPlace place(args);
    const Unit<1> unit(place.from, blockIdx.x);
    if (!has_work(args, place, unit))
        return;
    if (unit.count != unit.items && unit.rejects != unit.items)
        shared.words.load(place.from, unit);
    const auto kept = kept_of(shared.words, unit);
    if (kept.count != 0)
        pack_rows<V>(list_rows(shared, kept), kept, args.shape, args.in,
                     args.kept, args.capacity);
    __syncthreads(); /* the list is used again */
    const auto rejected = rejected_of(shared.words, unit);
    if (rejected.count != 0)
        pack_rows<V>(list_rows(shared, rejected), rejected, args.shape, args.in,
                     place.rejected, place.rejected_capacity);
}

} // namespace winnow

extern "C" const winnow__kernel winnow__split_columns[WINNOW__SIZES];
const winnow__kernel winnow__split_columns[WINNOW__SIZES] = {
    WINNOW__SINK(winnow::split<uint8_t>), WINNOW__SINK(winnow::split<uint16_t>),
    WINNOW__SINK(winnow::split<uint32_t>),
    WINNOW__SINK(winnow::split<uint64_t>)};

extern "C" const winnow__kernel winnow__split_rows[WINNOW__ROW_SIZES];
const winnow__kernel winnow__split_rows[WINNOW__ROW_SIZES] = {
    WINNOW__SINK(winnow::split_rows<uint8_t>),
    WINNOW__SINK(winnow::split_rows<uint16_t>),
    WINNOW__SINK(winnow::split_rows<uint32_t>),
    WINNOW__SINK(winnow::split_rows<uint2>),
    WINNOW__SINK(winnow::split_rows<uint4>)};
