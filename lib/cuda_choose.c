/*
 * AUTO: which strategy, by the order asked for, the size, and the selectivity
 * that the caller expects or, failing that, the device estimates.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_backend.h"

winnow__choice winnow__choose(const winnow__call *call) {
    const winnow_options *options = &call->options;
    winnow__choice choice = {.strategy = options->strategy};
    if (options->strategy == WINNOW_AUTO)
        choice.strategy = options->order == WINNOW_STABLE
                              ? WINNOW_TILE_SCAN
                              : WINNOW_TILE_AGGREGATED;
    return choice;
}
