/*
 * Estimates the selectivity from the sample of sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cursor.cuh"
#include "kernel.cuh"
#include "sample.h"
#include "selector.cuh"

namespace winnow {

constexpr unsigned int THREADS = WINNOW__ESTIMATE_THREADS;

/* Each thread looks at one element. */
template <class Select>
__global__ void __launch_bounds__(THREADS)
    estimate(const __grid_constant__ winnow__args args) {
    wait_for_input(args);
    trigger_dependents();
    using U = typename Select::U;
    const U *const in = static_cast<const U *>(args.in);
    const Select select = selector_of<Select>(args);
    const unsigned int i = blockIdx.x * THREADS + threadIdx.x;
    const unsigned int run_number = i / WINNOW__SAMPLE_RUN_LENGTH;
    const unsigned int j = i % WINNOW__SAMPLE_RUN_LENGTH;
    bool kept = false;
    if (run_number < winnow__sample_runs(args.n)) {
        const winnow__sample_run run = winnow__sample(args.n, run_number);
        kept = j < run.length && select(in[run.start + j]);
    }
    const int total = __syncthreads_count(kept);
    if (threadIdx.x != 0)
        return;
    const Offsets offsets =
        take_any_offsets<WINNOW__SURVIVOR_BITS>(args, total);
    const uint64_t seen = args.n < WINNOW__SAMPLE ? args.n : WINNOW__SAMPLE;
    if (offsets.last)
        *args.sink.selectivity = static_cast<double>(offsets.first + total) /
                                 static_cast<double>(seen);
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ENTRY(winnow::THREADS, 0, 0, 0,                                    \
                  winnow::estimate<winnow::Compare<U, KIND>>)
WINNOW__TABLE(winnow__estimate, WINNOW__ANY_KIND(ENTRY));
