/*
 * The copy kernel's time for as many bytes as a job has to move: half of them
 * read, half of them written, each rounded up to whole 16-byte vectors. Every
 * shape of the kernel is timed at just this size, and the fastest counts.
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

double bench_copy_seconds(bench_run *run, const bench_cell *cell,
                          uint64_t bytes) {
    const bench_platform *platform = &run->platform;
    const unsigned shapes = platform->copy_shapes;
    bench_copy_job copies[MOST_SHAPES] = {{0}};
    bench_job jobs[MOST_SHAPES] = {{0}};
    bench_times times[MOST_SHAPES];
    if (shapes > MOST_SHAPES)
        bench_fail("more than %d shapes of the copy kernel", MOST_SHAPES);
    for (unsigned shape = 0; shape < shapes; shape++) {
        copies[shape] = (bench_copy_job){run, shape, (bytes + 31) / 32};
        jobs[shape] = (bench_job){run_copy, &copies[shape], 1};
        if (cell->launch != BENCH_PLAIN) {
            /* A kernel is loaded at its first launch: not while capturing. */
            jobs[shape].run(jobs[shape].state, platform->stream);
            platform->synchronize();
            jobs[shape] =
                platform->capture(&jobs[shape], bench_cell_calls(cell));
        }
    }
    bench_measure(platform, jobs, shapes, cell->cold, run->options.seconds,
                  BENCH_FEWEST_RUNS, times);
    double fastest = times[0].median;
    for (unsigned shape = 1; shape < shapes; shape++)
        if (times[shape].median < fastest)
            fastest = times[shape].median;
    if (cell->launch != BENCH_PLAIN)
        for (unsigned shape = 0; shape < shapes; shape++)
            platform->discard(&jobs[shape]);
    /* From the vectors that were moved to the bytes that were asked for. */
    return fastest * (double)bytes / (32.0 * (double)copies[0].vectors);
}
