/*
 * Chooses one of several launches that follow in the stream, by the selectivity
 * of the sample of kernels/core/sample.h. The candidates read the decision
 * (kernels/core/kernel.cuh), and all but the chosen one end at once; the host
 * waits for nothing, and a graph decides anew whenever it is launched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/cursor.cuh"
#include "kernels/core/sample.cuh"

namespace winnow {

/* Of a sample as large as that of args.n, which the ranges are of: how many of
 * it would pass. */
__device__ __forceinline__ uint64_t scale(const winnow__args &args,
                                          uint64_t kept) {
    const uint64_t seen = winnow__sample_size(item_count(args));
    const uint64_t whole = winnow__sample_size(args.n);
    return seen == whole || seen == 0 ? kept : kept * whole / seen;
}

/*
 * The decision is stored by the block that has the sum of all. It waits for the
 * workspace, though it may have no cursor to take: the kernel that clears it
 * clears the decision too, and those of an earlier call may still read theirs.
 */
template <class Select>
__global__ void __launch_bounds__(SAMPLE_THREADS)
    choose(const __grid_constant__ winnow__choice_args choice) {
    const winnow__args &args = choice.args;
    wait_for_input(args);
    trigger_dependents();
    const unsigned int total = count_sampled<Select>(args);
    if (threadIdx.x != 0)
        return;
    const Offsets offsets =
        take_any_offsets<WINNOW__SURVIVOR_BITS>(args, total);
    if (!offsets.last)
        return;
    wait_for_stream();
    const uint64_t kept = scale(args, offsets.first + total);
    unsigned int i = 0;
    while (i + 1 < choice.number && kept >= choice.below[i])
        i++;
    args.cursor->decision = choice.candidate[i];
    if (args.chosen != nullptr)
        *args.chosen = choice.strategy[i];
}

} // namespace winnow

#define ENTRY(U, KIND)                                                         \
    WINNOW__ENTRY(winnow::SAMPLE_THREADS, 0, 0, 0,                             \
                  winnow::choose<winnow::Compare<U, KIND>>)
WINNOW__TABLE(winnow__choose_candidate, WINNOW__ANY_KIND(ENTRY));
