/*
 * winnow-bench: how fast the library filters, beside a plain copy and beside
 * what else a user could call. See winnow-bench(1).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run.h"

#include "util.h"

static void measure(bench_run *run, const bench_options *given, bench_op op) {
    run->options = bench_options_for(
        given, op, run->platform.ordinal == WINNOW_DEVICE_HOST);
    switch (op) {
    case BENCH_COPY_IF:
        bench_run_copy_if(run);
        break;
    case BENCH_COPY_INDEX_IF:
        bench_run_copy_index_if(run);
        break;
    case BENCH_COUNT_IF:
        bench_run_count_if(run);
        break;
    case BENCH_REDUCE_IF:
        bench_run_reduce_if(run);
        break;
    case BENCH_ACCUMULATE:
        bench_run_accumulate(run);
        break;
    case BENCH_PARTITION:
        bench_run_partition(run);
        break;
    case BENCH_SELECT_IF:
        bench_run_select_if(run);
        break;
    case BENCH_COMPACT:
        bench_run_compact(run);
        break;
    case BENCH_COPY_FLAGGED:
        bench_run_copy_flagged(run);
        break;
    case BENCH_PARTITION_IF:
        bench_run_partition_if(run);
        break;
    case BENCH_PARTITION_TWO:
        bench_run_partition_two(run);
        break;
    case BENCH_REGRET:
        bench_run_regret(run);
        break;
    case BENCH_HOST_COST:
        bench_run_host_cost(run);
        break;
    case BENCH_FIGURES:
        bench_run_figures(run);
        break;
    case BENCH_DEMO:
        bench_run_demo(run);
        break;
    case BENCH_TUNE:
        bench_run_tune(run);
        break;
    case BENCH_SEEDS:
        bench_run_seeds(run);
        break;
    case BENCH_SELECTIONS:
        bench_run_selections(run);
        break;
    case BENCH_PIPE:
        bench_run_pipes(run);
        break;
    case BENCH_COMPACT_COLUMNS:
        break;
    }
}

int main(int argc, char **argv) {
    bench_options given;
    bench_run run;
    bench_options_parse(&given, argc, argv);
    bench_run_open(&run, &given);
    for (unsigned i = 0; i < given.op_count; i++)
        measure(&run, &given, given.ops[i]);
    bench_run_close(&run);
    return run.report.wrong ? BENCH_WRONG : BENCH_RIGHT;
}
