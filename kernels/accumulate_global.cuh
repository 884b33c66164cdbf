/*
 * Sums by key, added to global memory by the warp that reads them.
 *
 * A warp takes rows of 32 neighbours, ROWS at a time. For each row it finds out
 * once which lanes add together; then it goes through the components, with the
 * loads of one component ahead of the additions of the one before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ACCUMULATE_GLOBAL_CUH
#define WINNOW_KERNELS_ACCUMULATE_GLOBAL_CUH

#include "accumulate_items.cuh"

namespace winnow {

/* Rows of a warp in a tile. */
constexpr unsigned int ROWS =
    WINNOW__ACCUMULATE_TILE / WINNOW__ACCUMULATE_THREADS;

/* Runs are put together where a row has at most so many; a row of other keys
 * costs a shuffle and a vote. Not measured. */
constexpr int MOST_RUNS = 20;

/* One lane's part of a row. */
template <class Key>
struct RowLane {
    Key key;
    bool adds; /* the lane adds the sum of its peers */
    PeerTree tree;

    __device__ __forceinline__ void find_peers(int way) {
        adds = key != NO_KEY<Key>;
        if (way == WAY_ATOMIC)
            return;
        unsigned int peers;
        if (way == WAY_WARP) {
            peers = __match_any_sync(ALL_LANES, key);
        } else {
            const unsigned int heads = heads_of(key);
            if (__popc(heads) > MOST_RUNS)
                return;
            peers = run_of(heads);
        }
        tree = PeerTree(peers);
        adds = adds && (peers & lanes_below()) == 0;
    }
};

template <class V, class Key>
__device__ __forceinline__ void
load_values(const winnow__accumulate_args &args,
            const RowLane<Key> (&row)[ROWS], uint64_t item,
            unsigned int component, V (&values)[ROWS]) {
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        values[r] = row[r].key != NO_KEY<Key>
                        ? load_value<V>(args, component,
                                        item + r * WINNOW__ACCUMULATE_THREADS)
                        : V(0);
}

template <class V, class Key>
__device__ __forceinline__ unsigned int
add_tile(const winnow__accumulate_args &args, uint64_t item, uint64_t end,
         int way) {
    RowLane<Key> row[ROWS];
    V values[ROWS];
    unsigned int beyond = 0;
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++) {
        const uint64_t i = item + r * WINNOW__ACCUMULATE_THREADS;
        row[r].key = i < end ? load_key<Key>(args, i) : NO_KEY<Key>;
        beyond += i < end && row[r].key == NO_KEY<Key>;
    }
    load_values(args, row, item, 0, values);
#pragma unroll
    for (unsigned int r = 0; r < ROWS; r++)
        row[r].find_peers(way);
    for (unsigned int component = 0; component < args.components; component++) {
        V next[ROWS] = {};
        if (component + 1 < args.components)
            load_values(args, row, item, component + 1, next);
#pragma unroll
        for (unsigned int r = 0; r < ROWS; r++) {
            const V sum = row[r].tree.sum(values[r]);
            if (row[r].adds)
                add_to_out(args, component, row[r].key, sum);
            values[r] = next[r];
        }
    }
    return beyond;
}

/* Returns how many of the thread's keys were beyond the bound. */
template <class V, class Key>
__device__ __forceinline__ unsigned int
add_to_global(const winnow__accumulate_args &args, const Part &part, int way) {
    unsigned int beyond = 0;
    for (uint64_t tile = part.first; tile < part.end;
         tile += WINNOW__ACCUMULATE_TILE)
        beyond += add_tile<V, Key>(args, tile + threadIdx.x, part.end, way);
    return beyond;
}

} // namespace winnow

#endif
