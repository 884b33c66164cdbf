/*
 * Rows, as a table for people and as JSON lines for programs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_REPORT_H
#define WINNOW_BENCH_REPORT_H

#include "timing.h"

#include <stdbool.h>
#include <stdio.h>

/* A text that is NULL, and a number that is negative, does not apply. */
typedef struct bench_row {
    const char *op;
    const char *order;
    const char *strategy; /* what was asked for */
    const char *chosen;   /* what ran */
    const char *peer;     /* NULL: a row of ours */
    winnow_type type;
    uint64_t n;
    double selectivity;
    const char *pattern;
    uint64_t kept;
    uint64_t bytes; /* each input once, each survivor once */
    const char *cache;
    const char *launch;
    const char *workspace;
    double hint;
    bench_times times;
    double copy_s;        /* the copy kernel on as many bytes */
    double copy_fraction; /* our rate over the copy kernel's */
    double empty_s;       /* a kernel that does nothing */
    double clock_s;       /* no kernel at all */
    double cub_s;         /* CUB at the same point */
    bool right;
    /* Of accumulate_by_key alone; 0 keys: of another. */
    uint64_t keys;
    unsigned components;
    /* Of regret alone: the best strategy, its time, and AUTO's when hinted. */
    const char *best;
    double best_s;
    double hint_true_s;
    double hint_wrong_s;
} bench_row;

typedef struct bench_report {
    const bench_platform *platform;
    FILE *json;         /* NULL: none */
    const char *digest; /* of the sources; NULL: unknown */
    char date[11];      /* of the run, in UTC: "2026-11-29" */
    bool headed;        /* the table has its header */
    bool brief;         /* few columns, and a table for each input */
    bool wrong;         /* some row was wrong */
    bool lab_headed;    /* the table of seeds has its header */
} bench_report;

/* json: NULL, or a file to append to. */
void bench_report_open(bench_report *report, const bench_platform *platform,
                       const char *json);
void bench_report_row(bench_report *report, const bench_row *row);
/* The next row begins another table. */
void bench_report_end_table(bench_report *report);
void bench_report_close(bench_report *report);

/* One JSON object on a line. */
void bench_json_row(FILE *file, const bench_report *report,
                    const bench_row *row);

#endif
