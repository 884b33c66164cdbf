/*
 * AUTO: which strategy, by the order asked for, the size, and the selectivity
 * that the caller expects or, failing that, the device estimates.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

/*
 * Below this selectivity one atomic per survivor costs less than the barriers
 * of the strategies that aggregate.
 */
static const double SPARSE = 1e-4;

/* Up to this many bytes of input an estimate would cost more than it saves. */
static const uint64_t SMALL = 1 << 20;

winnow__choice winnow__choose(const winnow__call *call) {
    const winnow_options *options = &call->options;
    winnow__choice choice = {.strategy = options->strategy};
    if (options->strategy != WINNOW_AUTO)
        return choice;
    if (options->order == WINNOW_STABLE) {
        choice.strategy = WINNOW_CUB_SCAN;
        return choice;
    }
    choice.strategy = WINNOW_WARP_SHARED;
    if (options->selectivity >= 0.0) {
        if (options->selectivity < SPARSE)
            choice.strategy = WINNOW_WARP_AGGREGATED;
    } else if (call->n * call->predicate->type->size > SMALL) {
        choice.by_estimate = true;
        choice.below = WINNOW_WARP_AGGREGATED;
        choice.threshold = SPARSE;
    }
    return choice;
}
