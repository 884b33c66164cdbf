/*
 * reduce_if: count, sum, minimum and maximum, all of them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_REDUCE_H
#define WINNOW_BENCH_REDUCE_H

#include "contender.h"

/* A call of ours. */
winnow_status bench_reduce(const bench_contender *c,
                           const winnow_launch *launch);

/* Is the sum that of the host backend? Of floats, nearly: peers add in another
 * order, and in another type. */
bool bench_reduction_is_right(const bench_contender *c);

#endif
