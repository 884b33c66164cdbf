/*
 * A lab measures experiments that the grid of cells does not fit: variants of a
 * computation, one at a time, each of which gives a row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_LAB_H
#define WINNOW_BENCH_LAB_H

#include "run.h"
#include "util.h"

/* Most buffers of an experiment at a time. */
#define LAB_BUFFERS 64

typedef struct bench_lab {
    bench_run *run;
    const char *op; /* whose experiment, in the rows */
    const char *experiment;
    bench_platform host_clock; /* the platform, but for how it takes times */
    void *device[LAB_BUFFERS];
    unsigned device_count;
    void *host[LAB_BUFFERS];
    unsigned host_count;
} bench_lab;

/* What is known of a variant at a point, beside its times. What is NULL or 0
 * does not apply. */
typedef struct lab_row {
    const char *variant;
    const char *type;   /* of the elements */
    uint64_t n;         /* the size of the problem, in the experiment's units */
    const char *x_name; /* what else was varied, */
    double x;           /* and to what */
    uint64_t bytes;     /* that have to be moved */
    const uint64_t *results_p; /* how many the output has */
    double atomics;            /* executed on global memory */
    double predicted_s;        /* by a model */
    double copy_s;             /* the copy kernel on as many bytes */
} lab_row;

typedef struct lab_variant {
    void (*run)(void *state, winnow_stream stream); /* enqueue it once */
    bool (*right)(void *state); /* are the results of the last run right? */
    void *state;
    bool on_host; /* the host does the work, and is timed by its own clock */
} lab_variant;

/* Run it and look at the results, time it, look at the results again, report
 * the row. */
void lab_measure(bench_lab *lab, const lab_row *row,
                 const lab_variant *variant);
/* The same for one that is measured elsewhere. */
void lab_report(bench_lab *lab, const lab_row *row, const bench_times *times,
                bool right);

/* The sizes that the command line names, or else the experiment's. */
unsigned lab_sizes(const bench_lab *lab, const uint64_t *usual,
                   unsigned usual_count, const uint64_t **sizes_p);
#define LAB_SIZES(LAB, USUAL, SIZES_P)                                         \
    lab_sizes((LAB), (USUAL), sizeof(USUAL) / sizeof(USUAL)[0], (SIZES_P))

/* The same of the shares that are kept. */
unsigned lab_shares(const bench_lab *lab, const double *usual,
                    unsigned usual_count, const double **shares_p);
#define LAB_SHARES(LAB, USUAL, SHARES_P)                                       \
    lab_shares((LAB), (USUAL), sizeof(USUAL) / sizeof(USUAL)[0], (SHARES_P))

/* Memory until lab_free(), of the device and of the host. */
void *lab_device(bench_lab *lab, size_t bytes);
void *lab_host(bench_lab *lab, size_t bytes);
/* Device memory with these contents. */
void *lab_send(bench_lab *lab, const void *from, size_t bytes);
void lab_fetch(const bench_lab *lab, void *to, const void *d_from,
               size_t bytes);
void lab_free(bench_lab *lab);
/* Give a call, launched so, the workspace that it asks for, until lab_free(),
 * unless the launch has one that is as large. */
void lab_plan(bench_lab *lab, bench_call *call, const char *name,
              const void *state, winnow_launch *launch);
/* Number i of a stream of random numbers. */
uint64_t lab_random(uint64_t seed, uint64_t i);

/* So many of all int32 are below it. */
int32_t lab_bound(double share);

/* Seconds that the copy kernel takes to move so many bytes, half of which are
 * read. */
double lab_copy(bench_lab *lab, uint64_t bytes);

/* One of an operation's experiments. */
typedef struct lab_experiment {
    const char *name;
    void (*run)(bench_lab *lab);
} lab_experiment;

/* Run those that `chosen` has as bits, or all where it is 0. */
void lab_run(bench_run *run, const char *op, const lab_experiment *experiments,
             unsigned count, unsigned chosen);

#endif
