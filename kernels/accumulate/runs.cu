/*
 * Sums by key, by runs (runs.cuh): in global memory, or in shared memory with a
 * slot for each key.
 *
 * Blocks add the parts that by_key.cu left. That kernel had as many blocks and
 * threads, as much shared memory, and took the same samples.
 *
 * Order of memory: as in by_key.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "launches.cuh"
#include "runs.cuh"
#include "shared.cuh"

namespace winnow::accumulate {

template <class V, class Key>
__global__ void __launch_bounds__(MOST_THREADS, 1)
    runs(const __grid_constant__ winnow__accumulate_args args) {
    wait_for_stream();
    if (is_nothing_left(args, &args.cursor->runs_left))
        return;
    SharedSums<V, Key> sums(args);
    unsigned int beyond = 0;
    Parts parts(args, blockIdx.x);
    Part part;
    while (parts.take(part)) {
        int way = args.way;
        if (way != WINNOW__WAY_RUNS) {
            const KeySample keys = sample<Key>(args, part);
            if (!takes_runs(args, keys))
                continue;
            if (way == WINNOW__WAY_AUTO)
                way = choose_way(args, part, keys, sums.have_begun());
        }
        beyond += way == WINNOW__WAY_RUNS
                      ? add_runs<V, Key>(args, part, GlobalSums<V, Key>{args})
                      : sums.add_in_runs(part);
    }
    if (args.first)
        report_way(args, args.way);
    end_launch(args, &args.cursor->runs_left, sums, beyond);
}

} // namespace winnow::accumulate

const winnow__kernel winnow__accumulate_runs[WINNOW__SUMS][2] =
    WINNOW__SUM_TABLE(WINNOW__ACCUMULATE_THREADS, winnow::accumulate::runs);
