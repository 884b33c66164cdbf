/*
 * The indices of a selection's survivors, in rising order. A block lists those
 * of a tile in shared memory, and writes them in whole lines of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "scatter.cuh"
#include "selected.cuh"

namespace winnow {

struct IndexTile {
    SelectedWords<1> words;
    uint16_t list[WINNOW__SELECTION_TILE];
};

template <class Index>
__global__ void __launch_bounds__(SINK_THREADS)
    compact_index(const __grid_constant__ winnow__compact_index_args args) {
    WINNOW__SHARED(tile, IndexTile);
    report_total(args.from, args.count);
    const Unit<1> unit(args.from, blockIdx.x);
    const Place place(args.position, args.capacity);
    const unsigned int count = room_for(place.room, unit.before, unit.count);
    if (count == 0)
        return;
    tile.words.load(args.from, unit);
    list_items(kept_of(tile.words, unit), tile.list);
    __syncthreads();
    scatter_each<Index, SINK_THREADS>(
        static_cast<Index *>(args.out) + place.start + unit.before, count,
        [&](unsigned int i) {
            return static_cast<Index>(unit.first + tile.list[i]);
        });
}

} // namespace winnow

/* Of 4 and of 8 bytes. */
extern "C" const winnow__kernel winnow__compact_index[2];
const winnow__kernel winnow__compact_index[2] = {
    WINNOW__SINK(winnow::compact_index<uint32_t>),
    WINNOW__SINK(winnow::compact_index<unsigned long long>)};
