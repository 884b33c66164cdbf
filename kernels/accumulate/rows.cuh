/*
 * Sums by key, added by atomics: to sums in global memory, or to sums in shared
 * memory that all warps of a block share (shared.cuh, front.cu).
 *
 * A row is 32 adjacent items. A warp takes a batch of rows at a time: it loads
 * their keys and the first components of their values together. It finds once
 * for each row which lanes add together. It adds the components of a row one
 * after the other: if the caller's sums of a key are adjacent, successive
 * additions hit the cache.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "items.cuh"

namespace winnow::accumulate {

/* A row's runs are summed before an atomic if there are at most MOST_RUNS. With
 * more runs, an atomic for each item is as fast. */
constexpr int MOST_RUNS = 6;

/* The sums in global memory of the keys from `first` on. */
template <class V, class Key>
struct GlobalSums {
    using Several = GlobalBatch;

    const winnow__accumulate_args &args;
    Key first, keys;

    __device__ __forceinline__ bool has(Key key) const {
        return static_cast<Key>(key - first) < keys;
    }

    __device__ __forceinline__ uint32_t components() const {
        return args.all;
    }

    __device__ __forceinline__ V load(unsigned int component,
                                      uint64_t i) const {
        return load_value<V>(args, component, i);
    }

    __device__ __forceinline__ GlobalColumn<V>
    of(unsigned int component) const {
        return out_column<V>(args, component);
    }
};

/* One lane's part of a row. */
template <class Key>
struct RowLane {
    Key key;
    bool adds; /* the lane adds the sum of its peers */
    RowPeers peers;

    __device__ __forceinline__ void find_peers(int way) {
        adds = key != NO_KEY<Key>;
        if (way == WINNOW__WAY_ATOMIC)
            return;
        if (way == WINNOW__WAY_WARP) {
            const unsigned int same = __match_any_sync(ALL_LANES, key);
            peers = RowPeers(same);
            adds = adds && (same & lanes_below()) == 0;
            return;
        }
        const unsigned int heads = heads_of(key);
        if (__popc(heads) > MOST_RUNS)
            return;
        peers = RowPeers::of_run(left_of_run(heads));
        adds = adds && (heads >> lane_id() & 1);
    }
};

/* Adds ROWS rows; rows.item is the lane's first item. */
template <class V, class Key, class Batch, class Sums>
__device__ __forceinline__ unsigned int
add_rows(const winnow__accumulate_args &args, const Rows &rows, int way,
         const Sums &sums) {
    const uint32_t all = Batch::all(sums.components());
    Key keys[Batch::ROWS];
    RowLane<Key> row[Batch::ROWS];
    const unsigned int beyond = load_keys(args, rows, keys);
#pragma unroll
    for (unsigned int r = 0; r < Batch::ROWS; r++)
        row[r].key = sums.has(keys[r]) ? keys[r] : NO_KEY<Key>;
    for (unsigned int first = 0; first < all; first += Batch::COMPONENTS) {
        V values[Batch::ROWS][Batch::COMPONENTS];
#pragma unroll
        for (unsigned int r = 0; r < Batch::ROWS; r++) {
#pragma unroll
            for (unsigned int c = 0; c < Batch::COMPONENTS; c++)
                values[r][c] =
                    first + c < all ? sums.load(first + c, rows.at(r)) : V(0);
        }
#pragma unroll
        for (unsigned int r = 0; r < Batch::ROWS; r++) {
            if (first == 0)
                row[r].find_peers(way);
#pragma unroll
            for (unsigned int c = 0; c < Batch::COMPONENTS; c++) {
                if (first + c >= all)
                    break;
                const V sum = row[r].peers.sum(values[r][c]);
                if (row[r].adds)
                    sums.of(first + c).add(row[r].key, sum);
            }
        }
    }
    return beyond;
}

template <class V, class Key, class Batch, class Sums>
__device__ __forceinline__ unsigned int
add_batches(const winnow__accumulate_args &args, const Part &part, int way,
            const Sums &sums) {
    constexpr unsigned int ITEMS = Batch::ROWS * TEAM;
    const unsigned int team = threadIdx.x / TEAM, thread = threadIdx.x % TEAM;
    unsigned int beyond = 0;
    for (uint64_t i = part.first + team * ITEMS; i < part.end;
         i += teams() * ITEMS)
        beyond += add_rows<V, Key, Batch>(
            args, Rows{i + thread, TEAM, part.end}, way, sums);
    return beyond;
}

/* `way` decides which lanes add together. Returns the number of the thread's
 * keys beyond the bound. */
template <class V, class Key, class Sums>
__device__ __forceinline__ unsigned int
add_part(const winnow__accumulate_args &args, const Part &part, int way,
         const Sums &sums) {
    return sums.components() == 1
               ? add_batches<V, Key, SingleBatch>(args, part, way, sums)
               : add_batches<V, Key, typename Sums::Several>(args, part, way,
                                                             sums);
}

} // namespace winnow::accumulate
