/*
 * Sums by key, by runs: a warp takes 128 items, sums each run of equal keys,
 * and adds its sum by one atomic.
 *
 * A lane has four adjacent items, which it loads as vectors of 16 bytes. It
 * sums runs that start and end among these alone. Its last run may continue in
 * higher lanes: in all following lanes where no run starts, whose sums move
 * down by five shuffles, and up to the first start of the next lane, by one
 * more shuffle. Rows of 32 items (rows.cuh) would take twenty shuffles.
 *
 * Values have to be contiguous: one component, or components in columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "items.cuh"

#include <cstring>

namespace winnow::accumulate {

constexpr unsigned int NEIGHBOURS = 4;

/* A thread's items; `count` of them exist. */
struct Neighbours {
    uint64_t first;
    unsigned int count;

    __device__ __forceinline__ Neighbours(const Part &part, unsigned int offset)
        : first(part.first + offset) {
        const unsigned int items =
            static_cast<unsigned int>(part.end - part.first);
        const unsigned int left = offset < items ? items - offset : 0;
        count = left < NEIGHBOURS ? left : NEIGHBOURS;
    }

    /* Items that do not exist become 0. */
    template <class T>
    __device__ __forceinline__ void load(const void *array,
                                         T (&x)[NEIGHBOURS]) const {
        const T *const from = static_cast<const T *>(array) + first;
        if (count == NEIGHBOURS &&
            reinterpret_cast<uintptr_t>(array) % sizeof(uint4) == 0) {
            const uint4 *const vectors = reinterpret_cast<const uint4 *>(from);
            uint4 loaded[sizeof x / sizeof(uint4)];
#pragma unroll
            for (unsigned int v = 0; v < sizeof x / sizeof(uint4); v++)
                loaded[v] = __ldcs(vectors + v);
            memcpy(x, loaded, sizeof x);
        } else {
#pragma unroll
            for (unsigned int i = 0; i < NEIGHBOURS; i++)
                x[i] = i < count ? __ldcs(from + i) : T(0);
        }
    }
};

/* Loads the values of these items in a component. */
template <class V>
__device__ __forceinline__ void
load_values(const winnow__accumulate_args &args, uint32_t component,
            const Neighbours &items, V (&values)[NEIGHBOURS]) {
    if constexpr (sizeof(V) == 8)
        if (args.narrow) {
            NarrowOf<V> narrow[NEIGHBOURS];
            items.load(args.arrays.values[component], narrow);
#pragma unroll
            for (unsigned int i = 0; i < NEIGHBOURS; i++)
                values[i] = widen(args, narrow[i]);
            return;
        }
    items.load(args.arrays.values[component], values);
}

/* The runs of a lane's keys. */
template <class V, class Key>
class LaneRuns {
  public:
    /* All lanes of the warp call this. Returns the number of the lane's keys
     * beyond the bound. */
    template <class From>
    __device__ __forceinline__ unsigned int find(const Neighbours &items,
                                                 const From (&from)[NEIGHBOURS],
                                                 uint64_t key_bound) {
        unsigned int beyond = 0;
#pragma unroll
        for (unsigned int i = 0; i < NEIGHBOURS; i++) {
            const bool there = i < items.count, below = from[i] < key_bound;
            keys[i] = there && below ? static_cast<Key>(from[i]) : NO_KEY<Key>;
            beyond += there && !below;
        }
        const Key before = __shfl_up_sync(ALL_LANES, keys[NEIGHBOURS - 1], 1);
        starts[0] = lane_id() == 0 || before != keys[0];
        bool any = starts[0];
#pragma unroll
        for (unsigned int i = 1; i < NEIGHBOURS; i++) {
            starts[i] = keys[i - 1] != keys[i];
            any |= starts[i];
        }
        heads = __ballot_sync(ALL_LANES, any);
        left = left_of_run(heads);
        return beyond;
    }

    /* All lanes of the warp call this. */
    template <class Sums>
    __device__ __forceinline__ void add(const Sums &sums,
                                        const V (&values)[NEIGHBOURS]) const {
        V sum = values[0], ahead = V(0); /* before the lane's first start */
        bool begun = starts[0];
#pragma unroll
        for (unsigned int i = 1; i < NEIGHBOURS; i++) {
            if (starts[i]) {
                if (begun)
                    add_run(sums, keys[i - 1], sum);
                else
                    ahead = sum;
                begun = true;
                sum = values[i];
            } else {
                sum += values[i];
            }
        }
        const V behind = __shfl_down_sync(ALL_LANES, ahead, 1);
        if (lane_id() != WARP - 1)
            sum += behind;
        if (heads != ALL_LANES) {
#pragma unroll
            for (unsigned int step = 1; step < WARP; step *= 2) {
                const V other = __shfl_down_sync(ALL_LANES, sum, step);
                if (step <= left)
                    sum += other;
            }
        }
        if (begun)
            add_run(sums, keys[NEIGHBOURS - 1], sum);
    }

  private:
    template <class Sums>
    __device__ __forceinline__ static void add_run(const Sums &sums, Key key,
                                                   V sum) {
        if (key != NO_KEY<Key>)
            sums.add(key, sum);
    }

    Key keys[NEIGHBOURS];    /* NO_KEY: not counted */
    bool starts[NEIGHBOURS]; /* a run starts; lane 0 has a start in any case */
    unsigned int heads;      /* lanes in which a run starts */
    unsigned int left;       /* following lanes without a start */
};

template <bool SINGLE, class From, class V, class Key, class Sums>
__device__ __forceinline__ unsigned int
add_runs_from(const winnow__accumulate_args &args, const Part &part,
              const Sums &sums) {
    /* Vectors that are loaded together, as far as registers allow. */
    constexpr unsigned int VECTORS = sizeof(V) + sizeof(Key) == 8 ? 2 : 1;
    constexpr unsigned int ITEMS = TEAM * NEIGHBOURS;
    const uint32_t components = SINGLE ? 1 : sums.components();
    const unsigned int end = static_cast<unsigned int>(part.end - part.first);
    unsigned int beyond = 0;
    for (unsigned int i = threadIdx.x / TEAM * ITEMS * VECTORS; i < end;
         i += teams() * ITEMS * VECTORS) {
        const unsigned int first = i + threadIdx.x % TEAM * NEIGHBOURS;
        From keys[VECTORS][NEIGHBOURS];
        LaneRuns<V, Key> runs[VECTORS];
#pragma unroll
        for (unsigned int v = 0; v < VECTORS; v++)
            Neighbours(part, first + v * ITEMS).load(args.keys, keys[v]);
        for (uint32_t c = 0; c < components; c++) {
            V values[VECTORS][NEIGHBOURS];
#pragma unroll
            for (unsigned int v = 0; v < VECTORS; v++)
                load_values(args, c, Neighbours(part, first + v * ITEMS),
                            values[v]);
#pragma unroll
            for (unsigned int v = 0; v < VECTORS; v++) {
                if (c == 0)
                    beyond += runs[v].find(Neighbours(part, first + v * ITEMS),
                                           keys[v], args.key_bound);
                runs[v].add(sums.of(c), values[v]);
            }
        }
    }
    return beyond;
}

/* Adds a part by runs. Returns the number of the thread's keys beyond the
 * bound. */
template <class V, class Key, class Sums>
__device__ __forceinline__ unsigned int
add_runs(const winnow__accumulate_args &args, const Part &part,
         const Sums &sums) {
    const bool single = sums.components() == 1;
    using Wide = unsigned long long;
    if (args.wide)
        return single ? add_runs_from<true, Wide, V, Key>(args, part, sums)
                      : add_runs_from<false, Wide, V, Key>(args, part, sums);
    return single ? add_runs_from<true, uint32_t, V, Key>(args, part, sums)
                  : add_runs_from<false, uint32_t, V, Key>(args, part, sums);
}

} // namespace winnow::accumulate
