/*
 * Sums by key: out[key[i]] += value[i], of several components.
 *
 * Each block takes adjacent tiles. There are two ways to add their values:
 *
 *   to global memory   rows.cuh: by atomics, one for each item and component,
 *                      or for each run of equal keys in a warp, or for each
 *                      distinct key of a warp
 *   to shared memory   shared.cuh: to sums of a warp or a block, which are
 *                      added to global memory when another key needs their
 *                      slot, or at the end
 *
 * Each block takes a sample of its own tiles (sample.cuh) and decides by it. It
 * does so again every EPOCH tiles, since data may change from place to place.
 *
 * If sums do not fit in the L2 cache, and neighbouring keys are far from each
 * other, each launch adds the keys of one window. If the sums of all components
 * do not fit in shared memory, each launch adds a few components. launches.cuh
 * lists the launches.
 *
 * Order of memory: blocks share d_out, to which they add by relaxed atomics,
 * and the cursor (launches.cuh). No block reads d_out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launches.cuh"
#include "shared.cuh"

namespace winnow::accumulate {

/* Adds a part to global memory. If neighbouring keys are far from each other,
 * each launch adds its window of keys; else the first launch adds all keys. */
template <class V, class Key>
__device__ __forceinline__ unsigned int
add_to_global(const winnow__accumulate_args &args, const Part &part, int way,
              const KeySample &keys) {
    GlobalSums<V, Key> sums = {args, 0, args.first ? NO_KEY<Key> : Key(0)};
    if (args.window_keys != 0 && is_spread(keys)) {
        leave_to_later(args, &args.cursor->left);
        sums.first = static_cast<Key>(args.window_first);
        sums.keys = static_cast<Key>(args.window_keys);
        way =
            WINNOW__WAY_ATOMIC; /* keys outside of the window would form runs */
    }
    if (sums.keys == 0)
        return 0; /* the keys need not be read */
    return add_part<V, Key>(args, part, way, sums);
}

template <class V, class Key>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    by_key(const __grid_constant__ winnow__accumulate_args args) {
    wait_for_stream();
    if (is_nothing_left(args, &args.cursor->left))
        return;
    SharedSums<V, Key> sums(args);
    unsigned int beyond = 0; /* no memory has 2^32 items for a thread */
    Parts parts(args, blockIdx.x);
    Part part;
    while (parts.take(part)) {
        int way = args.way;
        KeySample keys = {};
        if (way == WINNOW__WAY_AUTO || (way == WINNOW__WAY_SHARED &&
                                        (args.direct || args.front_keys != 0)))
            keys = sample<Key>(args, part);
        if (way == WINNOW__WAY_AUTO)
            way = choose_way(args, part, keys, sums.have_begun());
        if (part.first == 0)
            report_way(args, way);
        if (takes_runs(args, keys)) {
            leave_to_later(args, &args.cursor->runs_left);
        } else if (way != WINNOW__WAY_SHARED) {
            beyond += add_to_global<V, Key>(args, part, way, keys);
        } else {
            if (!args.last && (args.direct || takes_front(args, keys)))
                leave_to_later(args, &args.cursor->left);
            /* If sums are a cache, the first launch adds all components. */
            if ((args.direct || args.first) && !takes_front(args, keys))
                beyond += sums.add(part, keys);
        }
    }
    if (items_of(args) == 0)
        report_way(args, args.way);
    end_launch(args, &args.cursor->left, sums, beyond);
}

} // namespace winnow::accumulate

const winnow__kernel winnow__accumulate[WINNOW__SUMS][2] =
    WINNOW__SUM_TABLE(WINNOW__ACCUMULATE_THREADS, winnow::accumulate::by_key);
