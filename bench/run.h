/*
 * One run of the benchmark, and the cells of its grid.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_RUN_H
#define WINNOW_BENCH_RUN_H

#include "options.h"
#include "platform.h"
#include "report.h"

/* The buffers grow as cells need them and are shared by all contenders. */
typedef struct bench_run {
    bench_platform platform;
    winnow_context *context;
    bench_options options;
    bench_report report;

    void *d_in; /* of the next call */
    void *d_out;
    void *d_rejected; /* what does not pass, of partition_two; else NULL */
    void *d_inputs;   /* one after the other, all the same */
    void *d_outputs;
    void *d_rejects;     /* the same, of partition_two */
    size_t array_bytes;  /* of each of the first two */
    size_t reject_bytes; /* of the third */
    size_t stride;       /* from one array to the next */
    unsigned arrays;
    unsigned index_bytes; /* of an element of the output; 0: as the input's */
    bool has_rejects;
    unsigned beside_bits; /* of each element, which are read beside it: so the
                             copy is longer */
    uint64_t *d_bases;
    size_t base_bytes;
    void *d_workspace;
    size_t workspace_bytes;
    void *d_selection; /* of the cell's survivors, and the same as bytes */
    size_t selection_bytes;
    void *d_flags;
    size_t flag_bytes;
    uint64_t *d_count;
    int32_t *d_strategy;
} bench_run;

/* A point of the grid: an input, and how it is met. */
typedef struct bench_cell {
    winnow_type type;
    uint64_t n;
    double selectivity;
    const bench_pattern *pattern;
    bench_data data;
    bench_expected expected;
    winnow_predicate *predicate;
    bench_launch launch;
    bool cold; /* every call finds its arrays out of the caches */
} bench_cell;

void bench_run_open(bench_run *run, const bench_options *options);
void bench_set_compile(const bench_run *run, winnow_compile compile);
void bench_run_close(bench_run *run);
/* Make room for a cell's arrays, for a number of calls that find theirs out of the
 * caches; the first are taken. Contents are lost. */
void bench_run_reserve_arrays(bench_run *run, const bench_cell *cell,
                              unsigned calls);
/* Have the next call read and write arrays number `which`. */
void bench_run_take_arrays(bench_run *run, unsigned which);
/* Make room for a selection of the cell's elements, and for as many flags. */
void bench_run_reserve_selection(bench_run *run, const bench_cell *cell);
/* See to it that the workspace has at least this many bytes. */
void bench_run_reserve_workspace(bench_run *run, size_t bytes);

/*
 * Make the input of each point of the grid of types, sizes, patterns and
 * selectivities in run->options, and visit it for each launch and each state
 * of the caches that applies to it.
 */
void bench_run_each_cell(bench_run *run,
                         void (*visit)(bench_run *run, const bench_cell *cell,
                                       void *user),
                         void *user);

/* A job that does what `job` does, launched as the cell says; and its end. */
bench_job bench_launched(bench_run *run, const bench_cell *cell,
                         const bench_job *job);
/* How many calls such a job makes of one. */
unsigned bench_calls(bench_launch launch);
/* In how many arrays, beginning with number 0, they leave their results. */
unsigned bench_arrays(const bench_run *run, const bench_cell *cell);
void bench_launched_release(const bench_run *run, const bench_cell *cell,
                            bench_job *launched);

/* "warm", "cold", or "large" where the data do not fit in twice the cache. */
const char *bench_cell_cache(const bench_run *run, const bench_cell *cell);

/* The operations, for main(). */
void bench_run_copy_if(bench_run *run);
void bench_run_copy_index_if(bench_run *run);
void bench_run_count_if(bench_run *run);
void bench_run_reduce_if(bench_run *run);
void bench_run_accumulate(bench_run *run);
void bench_run_partition(bench_run *run);
void bench_run_select_if(bench_run *run);
void bench_run_compact(bench_run *run);
void bench_run_copy_flagged(bench_run *run);
void bench_run_partition_if(bench_run *run);
void bench_run_partition_two(bench_run *run);
void bench_run_regret(bench_run *run);
void bench_run_host_cost(bench_run *run);
void bench_run_figures(bench_run *run);
void bench_run_demo(bench_run *run);
void bench_run_tune(bench_run *run);
void bench_run_seeds(bench_run *run);
void bench_run_selections(bench_run *run);
void bench_run_pipes(bench_run *run);

#endif
