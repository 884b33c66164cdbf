/*
 * The least and the greatest value of an integer in a program.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/expression/program.h"

#include <stdbool.h>

/* Of those that are not null. */
typedef struct winnow__range {
    int64_t low, high;
} winnow__range;

static inline bool winnow__is_within(winnow__range inner, winnow__range outer) {
    return outer.low <= inner.low && inner.high <= outer.high;
}

/* Of what an operation or a load makes of values in those ranges; b is a if it
 * has one operand. Of other values than INT64: any. */
winnow__range winnow__range_of(unsigned code, winnow__range a, winnow__range b);
