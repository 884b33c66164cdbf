/*
 * The plain operations: every contender at every cell, one row each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "contender.h"

#include "peer.h"
#include "progress.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    const bench_op op = *(const bench_op *)user;
    bench_contender *list = bench_alloc(BENCH_CONTENDERS * sizeof *list);
    const unsigned count = bench_contenders(run, cell, op, list);
    bench_baseline baseline = {-1, -1, -1};
    double cub_s = -1;
    if (count == 0)
        bench_fail("no strategy and no peer is left to measure");
    for (unsigned i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        bench_times times;
        if (i == 0)
            baseline = bench_baseline_of(run, cell, bench_contender_bytes(c));
        if (run->options.explain) {
            bench_progress_clear();
            bench_contender_explain(c);
        }
        bench_contender_prepare(c);
        bench_measure(&run->platform, &c->job, 1, cell->cold,
                      run->options.seconds, BENCH_FEWEST_RUNS, &times);
        bench_contender_release(c);
        if (c->peer != NULL && c->peer->bit == BENCH_PEER_CUB)
            cub_s = times.midmean;
        bench_contender_report(c, &times, &baseline, cub_s);
    }
    if (run->report.brief)
        bench_report_end_table(&run->report);
    free(list);
}

void bench_run_copy_if(bench_run *run) {
    bench_op op = BENCH_COPY_IF;
    bench_run_each_cell(run, visit, &op);
}

void bench_run_copy_index_if(bench_run *run) {
    bench_op op = BENCH_COPY_INDEX_IF;
    run->index_bytes = sizeof(uint32_t);
    bench_run_each_cell(run, visit, &op);
    run->index_bytes = 0;
}

void bench_run_count_if(bench_run *run) {
    bench_op op = BENCH_COUNT_IF;
    bench_run_each_cell(run, visit, &op);
}

void bench_run_reduce_if(bench_run *run) {
    bench_op op = BENCH_REDUCE_IF;
    bench_run_each_cell(run, visit, &op);
}

void bench_run_select_if(bench_run *run) {
    bench_op op = BENCH_SELECT_IF;
    bench_run_each_cell(run, visit, &op);
}

void bench_run_compact(bench_run *run) {
    bench_op op = BENCH_COMPACT;
    run->beside_bits = 1;
    bench_run_each_cell(run, visit, &op);
    run->beside_bits = 0;
}

void bench_run_copy_flagged(bench_run *run) {
    bench_op op = BENCH_COPY_FLAGGED;
    run->beside_bits = 8;
    bench_run_each_cell(run, visit, &op);
    run->beside_bits = 0;
}

void bench_run_partition_if(bench_run *run) {
    bench_op op = BENCH_PARTITION_IF;
    bench_run_each_cell(run, visit, &op);
}

void bench_run_partition_two(bench_run *run) {
    bench_op op = BENCH_PARTITION_TWO;
    run->has_rejects = true;
    bench_run_each_cell(run, visit, &op);
    run->has_rejects = false;
}

/* For a first look: what strategies take, and that their results are right. */
void bench_run_demo(bench_run *run) {
    run->report.brief = true;
    bench_run_copy_if(run);
    run->report.brief = false;
    printf("copy: rate over that of a plain copy of as many bytes\n\n%s\n",
           run->report.wrong ? "SOME RESULTS ARE WRONG."
                             : "Every result is right.");
}

/* What the figures show: the fraction kept, and the size, varied in turn. */
void bench_run_figures(bench_run *run) {
    const bench_options options = run->options;
    const bool on_host = run->platform.ordinal == WINNOW_DEVICE_HOST;
    if (run->report.json == NULL)
        bench_fail("figures needs --json FILE, which bench/plot draws from");
    bench_run_copy_if(run);

    bench_options *o = &run->options;
    o->sizes_in_bytes = false;
    o->size_count = 0;
    for (int exponent = 10; exponent <= (on_host ? 24 : 28); exponent += 2)
        o->sizes[o->size_count++] = UINT64_C(1) << exponent;
    o->selectivities[0] = 0.5;
    o->selectivity_count = 1;
    bench_run_copy_if(run);
    run->options = options;
}
