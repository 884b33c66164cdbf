/*
 * The middle and the spread of many runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_TIMING_H
#define WINNOW_BENCH_TIMING_H

#include "platform.h"

/*
 * Seconds. The midmean is the mean of the middle half of the runs: like the
 * median it takes no notice of outliers, and unlike it, it can tell times apart
 * that differ by less than the clock's ticks, which are 32 ns or more.
 */
typedef struct bench_times {
    double midmean;
    double median;
    double p10;
    double p90;
    unsigned runs;
} bench_times;

/* Fewer runs than this are never reported, more than the other never made. */
#define BENCH_FEWEST_RUNS 7
#define BENCH_MOST_RUNS 2000

/*
 * Time `count` jobs in turn, one run of each after the other, so that a drift
 * of the clocks meets all of them alike. Two rounds warm up; then rounds go on
 * until `seconds` have passed for each job, or BENCH_MOST_RUNS.
 */
void bench_measure(const bench_platform *platform, const bench_job *jobs,
                   unsigned count, bool cold, double seconds,
                   unsigned fewest_runs, bench_times *times);

/* Time what a job costs the thread that makes it, in a call of its own and with
 * the device idle before it. */
void bench_measure_calls(const bench_platform *platform, const bench_job *job,
                         double seconds, bench_times *times);

/* Sorts the samples (seconds). */
bench_times bench_summarise(double *samples, unsigned count);

#endif
