/*
 * The elements of a column that a selection keeps, in their order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "pack.cuh"
#include "rows.cuh"

namespace winnow {

template <class U>
__global__ void __launch_bounds__(SINK_THREADS)
    compact(const __grid_constant__ winnow__compact_args args) {
    WINNOW__SHARED(shared, PackShared<U>);
    report_total(args.from, args.count);
    const Unit<PackShared<U>::TILES> unit(args.from, blockIdx.x);
    if (room_for(args.capacity, unit.before, unit.count) == 0)
        return;
    shared.words.load(args.from, unit);
    pack<U>(shared, kept_of(shared.words, unit), args.in, args.out,
            args.capacity);
}

template <class V>
__global__ void __launch_bounds__(SINK_THREADS)
    compact_rows(const __grid_constant__ winnow__compact_args args) {
    WINNOW__SHARED(shared, RowsShared);
    report_total(args.from, args.count);
    const Unit<1> unit(args.from, blockIdx.x);
    if (room_for(args.capacity, unit.before, unit.count) == 0)
        return;
    if (unit.count != unit.items)
        shared.words.load(args.from, unit);
    pack_rows<V>(shared, kept_of(shared.words, unit), args.shape, args.in,
                 args.out, args.capacity);
}

} // namespace winnow

extern "C" const winnow__kernel winnow__compact[WINNOW__SIZES];
const winnow__kernel winnow__compact[WINNOW__SIZES] = {
    WINNOW__SINK(winnow::compact<uint8_t>),
    WINNOW__SINK(winnow::compact<uint16_t>),
    WINNOW__SINK(winnow::compact<uint32_t>),
    WINNOW__SINK(winnow::compact<uint64_t>)};

extern "C" const winnow__kernel winnow__compact_rows[WINNOW__ROW_SIZES];
const winnow__kernel winnow__compact_rows[WINNOW__ROW_SIZES] = {
    WINNOW__SINK(winnow::compact_rows<uint8_t>),
    WINNOW__SINK(winnow::compact_rows<uint16_t>),
    WINNOW__SINK(winnow::compact_rows<uint32_t>),
    WINNOW__SINK(winnow::compact_rows<uint2>),
    WINNOW__SINK(winnow::compact_rows<uint4>)};
