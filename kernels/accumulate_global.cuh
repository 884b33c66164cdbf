/*
 * Sums by key, added to global memory by the warp that reads them.
 *
 * A warp takes rows of 32 neighbours. For each row it finds out once which
 * lanes add together. The components of a row are loaded together, up to
 * COMPONENTS of them, and then added one after the other: the sums of a key lie
 * side by side where the caller wants them so, and additions that follow each
 * other meet in the cache. Of a single component four rows are loaded together.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_ACCUMULATE_GLOBAL_CUH
#define WINNOW_KERNELS_ACCUMULATE_GLOBAL_CUH

#include "accumulate_items.cuh"

namespace winnow {

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

/* ROWS rows, of which item is the lane's first. */
template <class V, class Key, class Batch>
__device__ __forceinline__ unsigned int
add_rows(const winnow__accumulate_args &args, uint64_t item, uint64_t end,
         int way) {
    constexpr unsigned int STEP = WINNOW__ACCUMULATE_THREADS;
    RowLane<Key> row[Batch::ROWS];
    unsigned int beyond = 0;
#pragma unroll
    for (unsigned int r = 0; r < Batch::ROWS; r++) {
        const uint64_t i = item + r * STEP;
        row[r].key = i < end ? load_key<Key>(args, i) : NO_KEY<Key>;
        beyond += i < end && row[r].key == NO_KEY<Key>;
    }
    for (unsigned int first = 0; first < Batch::all(args);
         first += Batch::COMPONENTS) {
        V values[Batch::ROWS][Batch::COMPONENTS];
#pragma unroll
        for (unsigned int r = 0; r < Batch::ROWS; r++) {
            const bool there = row[r].key != NO_KEY<Key>;
            const uint64_t from = item_of(args, item + r * STEP, there);
#pragma unroll
            for (unsigned int c = 0; c < Batch::COMPONENTS; c++)
                values[r][c] = there && first + c < Batch::all(args)
                                   ? load_value<V>(args, first + c, from)
                                   : V(0);
        }
#pragma unroll
        for (unsigned int r = 0; r < Batch::ROWS; r++) {
            if (first == 0)
                row[r].find_peers(way);
#pragma unroll
            for (unsigned int c = 0; c < Batch::COMPONENTS; c++) {
                if (first + c >= Batch::all(args))
                    break;
                const V sum = row[r].tree.sum(values[r][c]);
                if (row[r].adds)
                    add_to_out(args, first + c, row[r].key, sum);
            }
        }
    }
    return beyond;
}

template <class V, class Key, class Batch>
__device__ __forceinline__ unsigned int
add_part(const winnow__accumulate_args &args, const Part &part, int way) {
    constexpr unsigned int ITEMS = Batch::ROWS * WINNOW__ACCUMULATE_THREADS;
    unsigned int beyond = 0;
    for (uint64_t i = part.first; i < part.end; i += ITEMS)
        beyond += add_rows<V, Key, Batch>(args, i + threadIdx.x, part.end, way);
    return beyond;
}

/* Returns how many of the thread's keys were beyond the bound. */
template <class V, class Key>
__device__ __forceinline__ unsigned int
add_to_global(const winnow__accumulate_args &args, const Part &part, int way) {
    return args.components == 1
               ? add_part<V, Key, Batch<4, 1>>(args, part, way)
               : add_part<V, Key, Batch<1, 8>>(args, part, way);
}

} // namespace winnow

#endif
