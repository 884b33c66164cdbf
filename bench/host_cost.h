/*
 * The host's time for a call, of conditions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_HOST_COST_H
#define WINNOW_BENCH_HOST_COST_H

#include "run.h"

typedef void bench_host_cost_report(bench_run *run, const bench_cell *cell,
                                    const char *call, const bench_times *times);

/* Report a row for each of some conditions over the cell's number of rows. */
void bench_host_cost_where(bench_run *run, const bench_cell *cell,
                           bench_host_cost_report *report);

#endif
