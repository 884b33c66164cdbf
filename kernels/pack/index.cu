/*
 * The indices of a selection's survivors, in ascending order. A block lists
 * those of its tiles in shared memory, all at once if they are few, and writes
 * them in whole lines of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/tile/scatter.cuh"
#include "kernels/selection/use.cuh"

namespace winnow::pack {

using namespace selection;
using namespace tile;

using Words = SelectedWords<WINNOW__BATCH_TILES>;
constexpr unsigned int LISTED = WINNOW__SELECTION_TILE;

struct IndexShared {
    Words words;
    uint16_t list[LISTED];
};

/* By all threads; ends with a barrier. */
template <class Index>
__device__ __forceinline__ void write_indices(IndexShared &shared,
                                              const Kept<Words> &kept,
                                              Index *out, uint64_t capacity) {
    const Index first = static_cast<Index>(kept.slice.first);
    list_items(kept, shared.list);
    __syncthreads();
    scatter_each<Index, SINK_THREADS>(
        out + kept.before, room_for(capacity, kept.before, kept.count),
        [&](unsigned int i) { return first + shared.list[i]; });
    __syncthreads();
}

template <class Index>
__global__ void __launch_bounds__(SINK_THREADS)
    compact_index(const __grid_constant__ winnow__compact_index_args args) {
    WINNOW__SHARED(shared, IndexShared);
    report_total(args.from, args.count);
    const Unit<WINNOW__BATCH_TILES> unit(args.from, blockIdx.x, args.tiles);
    const Place place(args.position, args.capacity);
    if (room_for(place.room, unit.before, unit.count) == 0)
        return;
    Index *const out = static_cast<Index *>(args.out) + place.start;
    shared.words.load(args.from, unit);
    const Slice<Words> whole = whole_slice(shared.words, unit);
    if (unit.count <= LISTED) {
        write_indices(shared, kept_of(whole, unit.before), out, place.room);
        return;
    }
#pragma unroll 1
    for (unsigned int item = 0; item < unit.items; item += LISTED)
        write_indices(shared,
                      kept_of(slice_from(whole, item, LISTED), unit.before),
                      out, place.room);
}

} // namespace winnow::pack

/* Indices of 4 and of 8 bytes. */
WINNOW__FOR_HOST(winnow__compact_index[2]) = {
    WINNOW__SINK(winnow::pack::compact_index<uint32_t>),
    WINNOW__SINK(winnow::pack::compact_index<unsigned long long>)};
