/*
 * Selecting the items of ranges: what the host says to the kernels. Plain C,
 * included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

typedef struct winnow__ranges_args {
    winnow__selection from; /* of the ranges */
    const void *offsets;
    uint64_t size; /* an offset above it counts as that */
    winnow__selection to;
} winnow__ranges_args;
