/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "timing.h"

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

/* A quarter of the samples at either end, rounded down, is left out. */
static double midmean(const double *sorted, unsigned count) {
    const unsigned outside = count / 4;
    double sum = 0;
    for (unsigned i = outside; i < count - outside; i++)
        sum += sorted[i];
    return sum / (count - 2 * outside);
}

bench_times bench_summarise(double *samples, unsigned count) {
    qsort(samples, count, sizeof *samples, ascending);
    return (bench_times){
        .midmean = midmean(samples, count),
        .median = percentile(samples, count, 50),
        .p10 = percentile(samples, count, 10),
        .p90 = percentile(samples, count, 90),
        .runs = count,
    };
}

/*
 * A fresh order for each round: a job shall not always find the caches as the
 * same other job left them.
 */
static void shuffle(unsigned *order, unsigned count, uint64_t *drawn) {
    for (unsigned i = count; i > 1; i--) {
        const unsigned j = (unsigned)(bench_random(1, (*drawn)++) % i);
        const unsigned swapped = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swapped;
    }
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
    unsigned *order = bench_alloc(count * sizeof *order);
    uint64_t drawn = 0;
    for (unsigned job = 0; job < count; job++)
        order[job] = job;
    unsigned runs = 0;
    while (runs < BENCH_MOST_RUNS &&
           (runs < fewest_runs || bench_now() < end)) {
        shuffle(order, count, &drawn);
        for (unsigned i = 0; i < count; i++)
            samples[(size_t)order[i] * BENCH_MOST_RUNS + runs] =
                platform->time(&jobs[order[i]], cold);
        runs++;
    }
    for (unsigned job = 0; job < count; job++)
        times[job] =
            bench_summarise(samples + (size_t)job * BENCH_MOST_RUNS, runs);
    free(order);
    free(samples);
}

void bench_measure_calls(const bench_platform *platform, const bench_job *job,
                         double seconds, bench_times *times) {
    double *samples = bench_alloc(BENCH_MOST_RUNS * sizeof *samples);
    unsigned calls = 0;
    /* The first of all calls would be slower than the rest for a while. */
    const double warm = bench_now() + seconds / 4;
    do {
        job->run(job->state, platform->stream);
        platform->synchronize();
    } while (bench_now() < warm);
    const double end = bench_now() + seconds;
    while (calls < BENCH_MOST_RUNS &&
           (calls < BENCH_FEWEST_RUNS || bench_now() < end)) {
        const double start = bench_now();
        job->run(job->state, platform->stream);
        samples[calls++] = bench_now() - start;
        platform->synchronize();
    }
    *times = bench_summarise(samples, calls);
    free(samples);
}
