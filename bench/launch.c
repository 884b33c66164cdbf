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

static void run_series(void *state, winnow_stream stream) {
    const bench_job *job = state;
    for (unsigned i = 0; i < MANY; i++)
        job->run(job->state, stream);
}

unsigned bench_calls(bench_launch launch) {
    return launch == BENCH_SERIES || launch == BENCH_CHAIN ? MANY : 1;
}

bench_job bench_launched(const bench_run *run, const bench_cell *cell,
                         const bench_job *job) {
    bench_job *copy;
    switch (cell->launch) {
    case BENCH_PLAIN:
        break;
    case BENCH_SERIES:
        copy = bench_alloc(sizeof *copy);
        *copy = *job;
        return (bench_job){run_series, copy, MANY};
    case BENCH_GRAPH:
        return run->platform.capture(job, 1);
    case BENCH_CHAIN:
        return run->platform.capture(job, MANY);
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
