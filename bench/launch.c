/*
 * The ways to launch what is measured.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run.h"

#include "util.h"

#include <stdlib.h>

enum {
    MANY = 32
};

/* Calls that follow each other. */
typedef struct bench_series {
    bench_run *run;
    bench_job job;
    unsigned arrays; /* that they take in turn */
    unsigned calls;  /* made so far */
} bench_series;

static void run_next(void *state, winnow_stream stream) {
    bench_series *series = state;
    bench_run_take_arrays(series->run, series->calls++ % series->arrays);
    series->job.run(series->job.state, stream);
}

static void run_series(void *state, winnow_stream stream) {
    bench_series *series = state;
    series->calls = 0;
    for (unsigned i = 0; i < MANY; i++)
        run_next(series, stream);
}

unsigned bench_calls(bench_launch launch) {
    return launch == BENCH_SERIES || launch == BENCH_CHAIN ? MANY : 1;
}

unsigned bench_arrays(const bench_run *run, const bench_cell *cell) {
    return cell->cold && bench_calls(cell->launch) > 1 ? run->arrays : 1;
}

bench_job bench_launched(bench_run *run, const bench_cell *cell,
                         const bench_job *job) {
    bench_series series = {run, *job, bench_arrays(run, cell), 0};
    bench_series *copy;
    switch (cell->launch) {
    case BENCH_PLAIN:
        break;
    case BENCH_SERIES:
        copy = bench_alloc(sizeof *copy);
        *copy = series;
        return (bench_job){run_series, copy, MANY};
    case BENCH_GRAPH:
        return run->platform.capture(job, 1);
    case BENCH_CHAIN:
        return run->platform.capture(&(bench_job){run_next, &series, 1}, MANY);
    }
    return *job;
}

void bench_launched_release(const bench_run *run, const bench_cell *cell,
                            bench_job *launched) {
    if (cell->launch == BENCH_SERIES)
        free(launched->state);
    else if (cell->launch != BENCH_PLAIN)
        run->platform.discard(launched);
}
