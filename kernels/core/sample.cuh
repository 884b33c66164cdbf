/*
 * Tests the sample of sample.h in a kernel, with a thread for each element.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernel.cuh"
#include "predicate.cuh"
#include "sample.h"

namespace winnow {

constexpr unsigned int SAMPLE_THREADS = WINNOW__ESTIMATE_THREADS;

/* The number of the block's elements that pass. Called by all threads. */
template <class Select>
__device__ __forceinline__ unsigned int
count_sampled(const winnow__args &args) {
    using U = typename Select::U;
    const U *const in = static_cast<const U *>(args.in);
    const Select select = selector_of<Select>(args);
    const unsigned int i = blockIdx.x * SAMPLE_THREADS + threadIdx.x;
    const unsigned int run_number = i / WINNOW__SAMPLE_RUN_LENGTH;
    const unsigned int j = i % WINNOW__SAMPLE_RUN_LENGTH;
    const uint64_t n = item_count(args);
    bool kept = false;
    if (run_number < winnow__sample_runs(n)) {
        const winnow__sample_run run = winnow__sample(n, run_number);
        kept = j < run.length && select(in[run.start + j]);
    }
    return static_cast<unsigned int>(__syncthreads_count(kept));
}

} // namespace winnow
