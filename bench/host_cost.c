/*
 * What a call costs the thread that makes it: validation, choice, launch. The
 * GPU is idle before each call, so that no full queue is waited for, and a
 * launch of an empty kernel stands beside the calls as the least there is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"
#include "host_cost.h"

#include "util.h"

#include <stdio.h>
#include <stdlib.h>

static void report(bench_run *run, const bench_cell *cell,
                   const bench_contender *c, const bench_times *times) {
    const bool ours = c != NULL && c->peer == NULL;
    const bool selects = ours && c->op == BENCH_COPY_IF;
    char op[48];
    snprintf(op, sizeof op, "host-cost:%s",
             c != NULL ? bench_contender_op(c) : "launch");
    const bench_row row = {
        .op = op,
        .order = selects ? winnow_order_name(c->launch.order) : NULL,
        .strategy = selects ? winnow_strategy_name(c->launch.strategy) : NULL,
        .chosen = selects ? c->chosen : NULL,
        .peer = c != NULL ? bench_contender_peer(c) : "empty kernel",
        .type = cell->type,
        .n = cell->n,
        .selectivity = cell->selectivity,
        .pattern = cell->pattern->name,
        .kept = cell->expected.kept,
        .cache = "warm",
        .launch = bench_launch_name(cell->launch),
        .workspace = !ours               ? NULL
                     : run->options.pool ? "pool"
                                         : "caller",
        .hint = ours ? bench_contender_hint(c) : -1,
        .times = *times,
        .copy_s = -1,
        .empty_s = -1,
        .clock_s = -1,
        .copy_fraction = -1,
        .cub_s = -1,
        .right = c == NULL || c->right,
    };
    bench_report_row(&run->report, &row);
}

static void report_where(bench_run *run, const bench_cell *cell,
                         const char *text, const bench_times *times) {
    char op[96];
    snprintf(op, sizeof op, "host-cost:select_where %s", text);
    const bench_row row = {.op = op,
                           .type = cell->type,
                           .n = cell->n,
                           .pattern = cell->pattern->name,
                           .selectivity = cell->selectivity,
                           .cache = "warm",
                           .launch = bench_launch_name(cell->launch),
                           .workspace = "pool",
                           .hint = -1,
                           .times = *times,
                           .copy_s = -1,
                           .empty_s = -1,
                           .clock_s = -1,
                           .copy_fraction = -1,
                           .cub_s = -1,
                           .right = true};
    bench_report_row(&run->report, &row);
}

static void contenders(bench_run *run, const bench_cell *cell, bench_op op) {
    bench_contender *list = bench_alloc(BENCH_CONTENDERS * sizeof *list);
    const unsigned count = bench_contenders(run, cell, op, list);
    for (unsigned i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        bench_contender_prepare(c);
        bench_times times;
        bench_measure_calls(&run->platform, &c->job, run->options.seconds,
                            &times);
        bench_contender_release(c);
        report(run, cell, c, &times);
    }
    free(list);
}

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    (void)user;
    bench_job job;
    if (bench_empty_job(run, &job) && cell->launch == BENCH_PLAIN) {
        bench_times times;
        bench_measure_calls(&run->platform, &job, run->options.seconds, &times);
        report(run, cell, NULL, &times);
    }
    contenders(run, cell, BENCH_COPY_IF);
    contenders(run, cell, BENCH_COUNT_IF);
    contenders(run, cell, BENCH_COMPACT_COLUMNS);
    if (cell->launch != BENCH_PLAIN)
        return;
    contenders(run, cell, BENCH_SELECT_IF);
    bench_host_cost_where(run, cell, report_where);
}

void bench_run_host_cost(bench_run *run) {
    /* The caches of the GPU make no difference to the host. */
    run->options.caches = BENCH_WARM;
    bench_run_each_cell(run, visit, NULL);
}
