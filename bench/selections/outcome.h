/*
 * Looking at results, and at what CUB's calls return.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_OUTCOME_H
#define WINNOW_BENCH_SELECTIONS_OUTCOME_H

#include "../lab.h"

/* Are CUB's calls there, and a device for them? */
bool selections_has_peer(const bench_lab *lab);
/* Fail, unless the code, a cudaError_t, is 0. */
void selections_check_peer(int code, const char *call);

/* Compare device memory with what the host expects. Then overwrite it, so that
 * the next results are the next variant's own. */
bool selections_same(const bench_lab *lab, void *d_results,
                     const void *expected, uint64_t bytes);

#endif
