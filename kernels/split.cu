/*
 * The elements of a column that a selection keeps and those that it rejects,
 * each in their order. A block packs the one after the other; the second time
 * it finds what it has read in the cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.cuh"
#include "rows.cuh"

namespace winnow {

/* May the block write anything? */
template <unsigned int TILES>
__device__ __forceinline__ bool has_work(const winnow__split_args &args,
                                         const Unit<TILES> &unit) {
    return room_for(args.capacity, unit.before, unit.count) != 0 ||
           room_for(args.rejected_capacity, unit.first - unit.before,
                    unit.rejects) != 0;
}

template <class U>
__global__ void __launch_bounds__(SINK_THREADS)
    split(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, PackShared<U>);
    report_total(args.from, args.count);
    const Unit<PackShared<U>::TILES> unit(args.from, blockIdx.x);
    if (!has_work(args, unit))
        return;
    shared.words.load(args.from, unit);
    pack<U>(shared, kept_of(shared.words, unit), args.in, args.kept,
            args.capacity);
    __syncthreads(); /* the list and the staged items are used again */
    pack<U>(shared, rejected_of(shared.words, unit), args.in, args.rejected,
            args.rejected_capacity);
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    split_rows(const __grid_constant__ winnow__split_args args) {
    WINNOW__SHARED(shared, RowsShared);
    report_total(args.from, args.count);
    const Unit<1> unit(args.from, blockIdx.x);
    if (!has_work(args, unit))
        return;
    if (unit.count != unit.items && unit.rejects != unit.items)
        shared.words.load(args.from, unit);
    pack_rows<V>(shared, kept_of(shared.words, unit), args.shape, args.in,
                 args.kept, args.capacity);
    __syncthreads(); /* the list is used again */
    pack_rows<V>(shared, rejected_of(shared.words, unit), args.shape, args.in,
                 args.rejected, args.rejected_capacity);
}

} // namespace winnow

extern "C" const winnow__kernel winnow__split[WINNOW__SIZES];
const winnow__kernel winnow__split[WINNOW__SIZES] = {
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
