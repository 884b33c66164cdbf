/*
 * winnow-bench seeds: the experiments of the five documents that the library
 * grew from, made again. bench/SEEDS.md says what each of them is.
 *
 * An experiment is a .c file, which makes inputs and looks at results, and a
 * .cu file with its kernels (kernels.h). It measures variants, one at a time;
 * each gives a row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_H
#define WINNOW_BENCH_SEEDS_H

#include "../run.h"

/* Most buffers of an experiment at a time. */
#define SEEDS_BUFFERS 32

typedef struct seeds_lab {
    bench_run *run;
    const char *experiment;
    bench_platform host_clock; /* the platform, but for how it takes times */
    void *device[SEEDS_BUFFERS];
    unsigned device_count;
    void *host[SEEDS_BUFFERS];
    unsigned host_count;
} seeds_lab;

/* What is known of a variant at a point, beside its times. What is NULL or 0
 * does not apply. */
typedef struct seeds_row {
    const char *variant;
    const char *type;   /* of the elements */
    uint64_t n;         /* the size of the problem; bench/SEEDS.md has units */
    const char *x_name; /* what else was varied, */
    double x;           /* and to what */
    uint64_t bytes;     /* that have to be moved */
    const uint64_t *results_p; /* how many the output has */
    double atomics;            /* executed on global memory */
    double predicted_s;        /* by a model */
    double copy_s;             /* the copy kernel on as many bytes */
} seeds_row;

typedef struct seeds_variant {
    void (*run)(void *state, winnow_stream stream); /* enqueue it once */
    bool (*right)(void *state); /* are the results of the last run right? */
    void *state;
    bool on_host; /* the host does the work, and is timed by its own clock */
} seeds_variant;

/* Run it and look at the results, time it, look at the results again, report
 * the row. */
void seeds_measure(seeds_lab *lab, const seeds_row *row,
                   const seeds_variant *variant);
/* The same for one that is measured elsewhere. */
void seeds_report(seeds_lab *lab, const seeds_row *row,
                  const bench_times *times, bool right);

/* The sizes that the command line names, or else the experiment's. */
unsigned seeds_sizes(const seeds_lab *lab, const uint64_t *usual,
                     unsigned usual_count, const uint64_t **sizes_p);
#define SEEDS_SIZES(LAB, USUAL, SIZES_P)                                       \
    seeds_sizes((LAB), (USUAL), sizeof(USUAL) / sizeof(USUAL)[0], (SIZES_P))

/* Memory until seeds_free(), of the device and of the host. */
void *seeds_device(seeds_lab *lab, size_t bytes);
void *seeds_host(seeds_lab *lab, size_t bytes);
/* Device memory with these contents. */
void *seeds_send(seeds_lab *lab, const void *from, size_t bytes);
void seeds_fetch(const seeds_lab *lab, void *to, const void *d_from,
                 size_t bytes);
void seeds_free(seeds_lab *lab);

/* Enqueue: bytes to 0. */
void seeds_clear(void *d_memory, size_t bytes, winnow_stream stream);
/* End the program unless a launch of kernels.h went well. */
void seeds_must(int error);
/* Number i of a stream of random numbers. */
uint64_t seeds_random(uint64_t seed, uint64_t i);

/* The experiments. */
void seeds_filter(seeds_lab *lab);
void seeds_particles(seeds_lab *lab);
void seeds_minimum(seeds_lab *lab);
void seeds_prefix_sums(seeds_lab *lab);
void seeds_copy_atomic(seeds_lab *lab);
void seeds_atomic_impact(seeds_lab *lab);
void seeds_atomic_add(seeds_lab *lab);
void seeds_atomic_add_write(seeds_lab *lab);
void seeds_matrix_product(seeds_lab *lab);
void seeds_k_means(seeds_lab *lab);
void seeds_scalar_product(seeds_lab *lab);
void seeds_string_match(seeds_lab *lab);

#endif
