/*
 * winnow-bench selections: selections and the calls over them, beside a copy of
 * the bytes that have to be moved and beside CUB's nearest calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_H
#define WINNOW_BENCH_SELECTIONS_H

#include "../lab.h"

/* The experiments. */
void selections_chain(bench_lab *lab);
void selections_unique(bench_lab *lab);
void selections_segments(bench_lab *lab);
void selections_q6(bench_lab *lab);

#endif
