/*
 * Estimates the selectivity from the sample of sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "overlap.cuh"
#include "predicate.cuh"
#include "sample.h"
#include "table.cuh"

namespace winnow {

constexpr unsigned int THREADS = WINNOW__ESTIMATE_THREADS;

/* Each thread looks at one element. */
template <class U, winnow__test_kind KIND>
__global__ void __launch_bounds__(THREADS)
    estimate(const __grid_constant__ winnow__args args) {
    wait_for_input(args);
    let_next_begin();
    const U *const in = static_cast<const U *>(args.in);
    const Predicate<U, KIND> passes(args.test);
    const unsigned int i = blockIdx.x * THREADS + threadIdx.x;
    const unsigned int run_number = i / WINNOW__SAMPLE_RUN_LENGTH;
    const unsigned int place = i % WINNOW__SAMPLE_RUN_LENGTH;
    bool kept = false;
    if (run_number < winnow__sample_runs(args.n)) {
        const winnow__sample_run run = winnow__sample(args.n, run_number);
        kept = place < run.length && passes(in[run.start + place]);
    }
    const int total = __syncthreads_count(kept);
    if (threadIdx.x != 0)
        return;
    const Places places = take_any_places<WINNOW__SURVIVOR_BITS>(args, total);
    const uint64_t seen = args.n < WINNOW__SAMPLE ? args.n : WINNOW__SAMPLE;
    if (places.last)
        *args.selectivity = static_cast<double>(places.first + total) /
                            static_cast<double>(seen);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ROW(winnow::THREADS, 0, 0, 0, winnow::estimate<U, KIND>)
WINNOW__TABLE(winnow__estimate, ENTRY);
