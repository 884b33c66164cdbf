/*
 * The loops of reduce_if, compiled for AVX2.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host_loops.h"

const winnow__host_reductions winnow__host_reduce_avx2 = {.sum = REDUCE_SUMS,
                                                          .ends = REDUCE_ENDS};
