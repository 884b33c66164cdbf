/*
 * What contenders are compared with: the copy kernel, a kernel that does
 * nothing, and no kernel at all.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"

#include "util.h"

#define MOST_SHAPES 8

typedef struct bench_copy_job {
    const bench_run *run;
    unsigned shape;
    uint64_t vectors;
} bench_copy_job;

static void run_copy(void *state, winnow_stream stream) {
    const bench_copy_job *copy = state;
    copy->run->platform.copy(copy->shape, copy->run->d_in, copy->run->d_out,
                             copy->vectors, stream);
}

static void run_empty(void *state, winnow_stream stream) {
    const bench_platform *platform = state;
    platform->launch_empty(stream);
}

static void run_nothing(void *state, winnow_stream stream) {
    (void)state;
    (void)stream;
}

bool bench_empty_job(bench_run *run, bench_job *job_p) {
    *job_p = (bench_job){run_empty, &run->platform, 1};
    return run->platform.launch_empty != NULL;
}

/* The least of the jobs' times, launched as the cell says. */
static double least_seconds(bench_run *run, const bench_cell *cell,
                            const bench_job *plain, unsigned count) {
    const bench_platform *platform = &run->platform;
    bench_job jobs[MOST_SHAPES] = {{0}};
    bench_times times[MOST_SHAPES];
    for (unsigned i = 0; i < count; i++) {
        /* A kernel is loaded at its first launch: not while capturing. */
        plain[i].run(plain[i].state, platform->stream);
        platform->synchronize();
        jobs[i] = bench_launched(run, cell, &plain[i]);
    }
    bench_measure(platform, jobs, count, cell->cold, run->options.seconds,
                  BENCH_FEWEST_RUNS, times);
    double least = times[0].midmean;
    for (unsigned i = 1; i < count; i++)
        if (times[i].midmean < least)
            least = times[i].midmean;
    for (unsigned i = 0; i < count; i++)
        bench_launched_release(run, cell, &jobs[i]);
    return least;
}

/*
 * Half of the bytes are read, half of them written, each rounded up to whole
 * 16-byte vectors. Every shape of the kernel is timed at just this size, and
 * the fastest counts.
 */
static double copy_seconds(bench_run *run, const bench_cell *cell,
                           uint64_t bytes) {
    const unsigned shapes = run->platform.copy_shapes;
    const uint64_t vectors = (bytes + 31) / 32;
    bench_copy_job copies[MOST_SHAPES] = {{0}};
    bench_job jobs[MOST_SHAPES] = {{0}};
    if (shapes > MOST_SHAPES)
        bench_fail("more than %d shapes of the copy kernel", MOST_SHAPES);
    for (unsigned shape = 0; shape < shapes; shape++) {
        copies[shape] = (bench_copy_job){run, shape, vectors};
        jobs[shape] = (bench_job){run_copy, &copies[shape], 1};
    }
    /* From the vectors that were moved to the bytes that were asked for. */
    return least_seconds(run, cell, jobs, shapes) * (double)bytes /
           (32.0 * (double)vectors);
}

/* A call's share of what the clock itself takes: from one event to the next. */
static double clock_seconds(bench_run *run, const bench_cell *cell) {
    const bench_job nothing = {run_nothing, NULL, bench_calls(cell->launch)};
    bench_times times;
    bench_measure(&run->platform, &nothing, 1, cell->cold, run->options.seconds,
                  BENCH_FEWEST_RUNS, &times);
    return times.midmean;
}

bench_baseline bench_baseline_of(bench_run *run, const bench_cell *cell,
                                 uint64_t bytes) {
    bench_baseline baseline = {copy_seconds(run, cell, bytes), -1, -1};
    bench_job empty;
    if (bench_empty_job(run, &empty)) {
        baseline.empty_s = least_seconds(run, cell, &empty, 1);
        baseline.clock_s = clock_seconds(run, cell);
    }
    return baseline;
}
