/*
 * Estimates the selectivity from the sample of sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "predicate.cuh"
#include "sample.h"
#include "table.cuh"
#include "warp.cuh"

namespace winnow {

constexpr unsigned int THREADS = 256;

/*
 * A thread looks at one element of each run it comes by. The last block to
 * finish has the sum.
 */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    estimate(const __grid_constant__ winnow__args args) {
    const U *const in = static_cast<const U *>(args.in);
    const Predicate<U, KIND> passes(args.test);
    const unsigned int runs = winnow__sample_runs(args.n);
    const unsigned int all = runs * WINNOW__SAMPLE_RUN_LENGTH;
    unsigned int kept = 0;
    for (unsigned int i = blockIdx.x * THREADS + threadIdx.x; i < all;
         i += gridDim.x * THREADS) {
        const winnow__sample_run run =
            winnow__sample(args.n, i / WINNOW__SAMPLE_RUN_LENGTH);
        const unsigned int j = i % WINNOW__SAMPLE_RUN_LENGTH;
        if (j < run.length && passes(in[run.start + j]))
            kept++;
    }
    kept = sum(kept);
    winnow__cursor *const cursor = args.cursor;
    if (kept != 0 && lane_id() == 0)
        atomicAdd(&cursor->kept, kept);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    __threadfence();
    if (atomicAdd(&cursor->blocks_done, 1u) != gridDim.x - 1)
        return;
    const unsigned int seen = args.n < WINNOW__SAMPLE
                                  ? static_cast<unsigned int>(args.n)
                                  : WINNOW__SAMPLE;
    *args.selectivity =
        static_cast<double>(atomicExch(&cursor->kept, 0u)) / seen;
    cursor->blocks_done = 0;
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::THREADS, 0, 0, 0, winnow::estimate<U, KIND>)
WINNOW__TABLE(winnow__estimate, ENTRY);
