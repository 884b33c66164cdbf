/*
 * What is measured at a cell: a strategy of the library, or a peer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_CONTENDER_H
#define WINNOW_BENCH_CONTENDER_H

#include "run.h"

/* Most contenders at a cell: every strategy, AUTO with each hint, peers. */
#define BENCH_CONTENDERS 256

struct bench_peer;

/* What winnow_reduction and all peers' results begin with. */
typedef struct bench_reduced {
    uint64_t count;
    winnow_number sum;
} bench_reduced;

typedef struct bench_contender {
    bench_run *run;
    const bench_cell *cell;
    bench_op op;

    const struct bench_peer *peer; /* NULL: ours */
    winnow_launch launch;          /* without workspace and stream */
    bench_hint hint;               /* AUTO: which one launch.selectivity is */
    size_t workspace_bytes;
    bool count_on_host; /* where the count arrives: host_count or d_count */
    uint64_t host_count;
    bench_reduced host_reduced; /* likewise, of reduce_if */

    bench_job job;      /* what is timed */
    bool right;         /* as bench_contender_prepare() found */
    const char *chosen; /* the strategy that ran; NULL: unknown */
} bench_contender;

/*
 * The contenders that the options ask for, peers first. Fails where a
 * strategy that was asked for by name is not offered.
 */
unsigned bench_contenders(bench_run *run, const bench_cell *cell, bench_op op,
                          bench_contender list[BENCH_CONTENDERS]);

/* Print what the library says that it would run; of a peer nothing. */
void bench_contender_explain(const bench_contender *contender);

/* Run it once, compare the result with what is expected, make the job. */
void bench_contender_prepare(bench_contender *contender);
void bench_contender_release(bench_contender *contender);

bool bench_contender_is_auto(const bench_contender *contender);
/* The hint that AUTO is given; -1: none. */
double bench_contender_hint(const bench_contender *contender);
/* Its operation, as rows have it. */
const char *bench_contender_op(const bench_contender *contender);
/* The peer's name with its version; NULL: ours. */
const char *bench_contender_peer(const bench_contender *contender);

/* Bytes that the job has to move. */
uint64_t bench_contender_bytes(const bench_contender *contender);

/* What a cell's contenders are compared with, launched as they are. */
typedef struct bench_baseline {
    double copy_s;  /* the copy kernel, moving as many bytes */
    double empty_s; /* a kernel that does nothing; -1: there is none */
    double clock_s; /* no kernel at all; likewise */
} bench_baseline;

bench_baseline bench_baseline_of(bench_run *run, const bench_cell *cell,
                                 uint64_t bytes);
/* The launch of a kernel that does nothing. False: there is none. */
bool bench_empty_job(bench_run *run, bench_job *job_p);

bench_row bench_contender_row(const bench_contender *contender,
                              const bench_times *times,
                              const bench_baseline *baseline, double cub_s);
/* The row, reported. */
void bench_contender_report(const bench_contender *contender,
                            const bench_times *times,
                            const bench_baseline *baseline, double cub_s);

#endif
