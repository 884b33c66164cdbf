/*
 * Ways through a trial: pipes, and the copies that they are compared with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_PIPES_WAYS_H
#define WINNOW_BENCH_PIPES_WAYS_H

#include "trial.h"

#include <pthread.h>

/* A pipe. state: how, winnow_pipe_options, or NULL. The time is that from the
 * first item that is fed to the last one written. */
double pipes_run(const pipes_trial *t, void *state);

/* Items first to first + n of a trial through one device. */
typedef struct pipes_range {
    const pipes_trial *t;
    winnow_context *context;
    winnow_condition *condition;
    int device;
    uint64_t first, n;
    uint64_t before, kept; /* of the items before, and of these */
    winnow_pipe_fetch fetch;
    uint32_t flags;
    pthread_barrier_t *begin; /* of all, when they are ready; or NULL */
} pipes_range;
/* Seconds of them. */
double pipes_run_range(const pipes_range *range);
double pipes_copy_range(const pipes_range *range);

/* Copies in of all items, or their records, and out of what is kept. */
double pipes_copy(const pipes_trial *t, void *state);
/* memcpy() by threads into as much memory as a pipe stages in. */
double pipes_stage(const pipes_trial *t, void *state);
/* pread(2) by threads, into a buffer each. */
double pipes_read(const pipes_trial *t, void *state);

#endif
