/*
 * Writes what is known before anything runs: the count of an empty input, and
 * the strategy where the kernels that do the work are not ours.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "args.h"
#include "ptx.cuh"

namespace winnow {

__global__ void store(const __grid_constant__ winnow__args args) {
    if (args.sink.count != nullptr)
        *args.sink.count = 0;
    if (args.estimate.selectivity != nullptr)
        *args.estimate.selectivity = 0.0;
    if (args.chosen != nullptr)
        *args.chosen = args.strategy;
}

} // namespace winnow

WINNOW__FOR_HOST(winnow__store) = WINNOW__ENTRY(1, 0, 0, 0, winnow::store);
