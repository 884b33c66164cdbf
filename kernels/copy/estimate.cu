/*
 * Estimates the selectivity from the sample of sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels/core/cursor.cuh"
#include "kernels/core/sample.cuh"

namespace winnow::copy {

template <class Select>
__global__ void __launch_bounds__(SAMPLE_THREADS)
    estimate(const __grid_constant__ winnow__args args) {
    wait_for_input(args);
    trigger_dependents();
    const unsigned int total = count_sampled<Select>(args);
    if (threadIdx.x != 0)
        return;
    const Offsets offsets =
        take_any_offsets<WINNOW__SURVIVOR_BITS>(args, total);
    const uint64_t seen = winnow__sample_size(item_count(args));
    if (offsets.last)
        *args.estimate.selectivity =
            seen != 0 ? static_cast<double>(offsets.first + total) /
                            static_cast<double>(seen)
                      : 0.0;
}

} // namespace winnow::copy

#define ENTRY(U, KIND)                                                         \
    WINNOW__ENTRY(winnow::SAMPLE_THREADS, 0, 0, 0,                             \
                  winnow::copy::estimate<winnow::Compare<U, KIND>>)
WINNOW__TABLE(winnow__estimate, WINNOW__ANY_KIND(ENTRY));
