/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "measure.h"

#include "util.h"

#include <stdlib.h>

#define WARM_UP_ROUNDS 2

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest sample that at least `percent` of the samples do not exceed. */
static double percentile(const double *sorted, unsigned count,
                         unsigned percent) {
    const unsigned rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

bench_times bench_summarise(double *samples, unsigned count) {
    qsort(samples, count, sizeof *samples, ascending);
    return (bench_times){
        .median = percentile(samples, count, 50),
        .p10 = percentile(samples, count, 10),
        .p90 = percentile(samples, count, 90),
        .runs = count,
    };
}

void bench_measure(const bench_platform *platform, const bench_job *jobs,
                   unsigned count, bool cold, double seconds,
                   unsigned fewest_runs, bench_times *times) {
    for (unsigned round = 0; round < WARM_UP_ROUNDS; round++)
        for (unsigned job = 0; job < count; job++)
            platform->time(&jobs[job], cold);

    double *samples =
        bench_alloc((size_t)count * BENCH_MOST_RUNS * sizeof *samples);
    const double end = bench_now() + seconds * count;
    unsigned runs = 0;
    while (runs < BENCH_MOST_RUNS &&
           (runs < fewest_runs || bench_now() < end)) {
        for (unsigned job = 0; job < count; job++)
            samples[(size_t)job * BENCH_MOST_RUNS + runs] =
                platform->time(&jobs[job], cold);
        runs++;
    }
    for (unsigned job = 0; job < count; job++)
        times[job] =
            bench_summarise(samples + (size_t)job * BENCH_MOST_RUNS, runs);
    free(samples);
}
