/*
 * Chooses one of several launches that follow in the stream, by the selectivity
 * of a sample (kernels/core/sample.h). The candidates read the decision
 * (kernels/core/kernel.cuh), and all but the chosen one end at once. The host
 * does not wait, and a graph decides again at each launch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "kernels/core/cursor.cuh"
#include "kernels/core/sample.cuh"

namespace winnow {

/* Scales survivors to a sample of args.n items, for which the ranges are. */
__device__ __forceinline__ uint64_t scale(const winnow__args &args,
                                          uint64_t kept) {
    const uint64_t seen = winnow__sample_size(item_count(args));
    const uint64_t whole = winnow__sample_size(args.n);
    return seen == whole || seen == 0 ? kept : kept * whole / seen;
}

/*
 * The block that has the sum of all stores the decision. It waits for the
 * stream first, even if it takes no cursor: the kernel that clears the
 * workspace clears the decision, too, and kernels of an earlier call may still
 * read theirs.
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
