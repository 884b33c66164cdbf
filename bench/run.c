/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run.h"

#include "progress.h"
#include "util.h"

#include <stdio.h>
#include <string.h>

/*
 * Without --device: device 0, and where there is none the host, said aloud,
 * since the figures are then of a different kind.
 */
static void open_platform(bench_platform *platform,
                          const bench_options *options) {
    const int device = options->device_given ? options->device : 0;
    if (device == WINNOW_DEVICE_HOST) {
        bench_platform_host(platform, options->threads);
    } else if (!bench_platform_cuda(platform, device)) {
        if (options->device_given)
            bench_fail("no CUDA device %d: %s", device, winnow_last_error());
        fprintf(stderr,
                "winnow-bench: no CUDA device, so the host backend is "
                "measured: %s\n",
                winnow_last_error());
        bench_platform_host(platform, options->threads);
    }
}

void bench_set_compile(const bench_run *run, winnow_compile compile) {
    bench_check(winnow_context_set_compile(run->context, compile),
                "winnow_context_set_compile");
}

void bench_run_open(bench_run *run, const bench_options *options) {
    *run = (bench_run){.options = *options};
    open_platform(&run->platform, options);
    bench_check(winnow_context_create(&run->context, run->platform.ordinal),
                "winnow_context_create");
    /* What is measured is compiled code, where there is a compiler. */
    bench_set_compile(run, WINNOW_COMPILE_BEFORE);
    /* Those of a device's pipes are the pipes'. */
    if (options->threads != 0 && run->platform.ordinal == WINNOW_DEVICE_HOST)
        bench_check(winnow_context_set_threads(run->context, options->threads),
                    "winnow_context_set_threads");
    bench_report_open(&run->report, &run->platform, options->json);
    run->d_count =
        run->platform.alloc(sizeof(winnow_reduction)); /* begins with a count */
    run->d_strategy = run->platform.alloc(sizeof *run->d_strategy);
}

void bench_run_close(bench_run *run) {
    void *const buffers[] = {run->d_inputs,    run->d_outputs, run->d_bases,
                             run->d_workspace, run->d_count,   run->d_strategy,
                             run->d_selection, run->d_flags,   run->d_rejects};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i] != NULL)
            run->platform.release(buffers[i]);
    winnow_context_destroy(run->context);
    bench_report_close(&run->report);
}

/* The most calls in a row that are to find their arrays out of the caches. */
static unsigned cold_calls(const bench_options *options) {
    unsigned most = 1;
    for (unsigned launch = BENCH_PLAIN; launch <= BENCH_CHAIN; launch *= 2)
        if ((options->launches & launch) && (options->caches & BENCH_COLD) &&
            bench_calls((bench_launch)launch) > most)
            most = bench_calls((bench_launch)launch);
    return most;
}

static void open_cell(bench_run *run, bench_cell *cell) {
    bench_data_init(&cell->data, cell->type, cell->n, cell->selectivity,
                    cell->pattern);
    /* Little-endian: the element's bytes are the first of the number's. */
    bench_check(winnow_predicate_compare(&cell->predicate, cell->type,
                                         WINNOW_LT, &cell->data.threshold),
                "winnow_predicate_compare");
    bench_run_reserve_arrays(run, cell, cold_calls(&run->options));
    for (unsigned i = run->arrays; i-- > 0;) {
        bench_run_take_arrays(run, i);
        run->platform.generate(&cell->data, run->d_in);
    }
    run->platform.expect(&cell->data, run->d_bases, &cell->expected);
}

/* Whether the caches can hold enough of the data for their state to matter. */
static bool fits_cache(const bench_run *run, const bench_cell *cell) {
    return (cell->n + cell->expected.kept) * cell->data.size <=
           2 * (uint64_t)run->platform.cache_bytes;
}

const char *bench_cell_cache(const bench_run *run, const bench_cell *cell) {
    if (run->platform.cache_bytes == 0)
        return "unknown";
    if (!fits_cache(run, cell))
        return "large";
    return cell->cold ? "cold" : "warm";
}

/* Every launch and state of the caches for one input. */
static void visit_all(bench_run *run, bench_cell *cell,
                      void (*visit)(bench_run *run, const bench_cell *cell,
                                    void *user),
                      void *user) {
    const bench_options *options = &run->options;
    const bool fits = fits_cache(run, cell);
    for (unsigned launch = BENCH_PLAIN; launch <= BENCH_CHAIN; launch *= 2) {
        if (!(options->launches & launch))
            continue;
        for (int cold = 0; cold < 2; cold++) {
            if (fits && !(options->caches & (cold ? BENCH_COLD : BENCH_WARM)))
                continue;
            if (!fits && cold)
                continue;
            cell->launch = (bench_launch)launch;
            cell->cold = cold;
            bench_run_take_arrays(run, 0);
            visit(run, cell, user);
        }
    }
}

void bench_run_each_cell(bench_run *run,
                         void (*visit)(bench_run *run, const bench_cell *cell,
                                       void *user),
                         void *user) {
    const bench_options *o = &run->options;
    if ((o->launches & (BENCH_GRAPH | BENCH_CHAIN)) &&
        run->platform.capture == NULL)
        bench_fail("--launch graph and chain need a CUDA device");
    bench_progress_begin(o->type_count * o->size_count * o->pattern_count *
                         o->selectivity_count);
    for (unsigned t = 0; t < o->type_count; t++)
        for (unsigned z = 0; z < o->size_count; z++)
            for (unsigned p = 0; p < o->pattern_count; p++)
                for (unsigned s = 0; s < o->selectivity_count; s++) {
                    bench_cell cell = {
                        .type = o->types[t],
                        .n = o->sizes[z],
                        .selectivity = o->selectivities[s],
                        .pattern = &o->patterns[p],
                    };
                    if (o->sizes_in_bytes)
                        cell.n /= winnow_type_size(cell.type);
                    if (cell.n == 0)
                        bench_fail("--bytes is less than one %s",
                                   winnow_type_name(cell.type));
                    bench_progress_step(cell.type, cell.n, cell.pattern->name,
                                        cell.selectivity);
                    open_cell(run, &cell);
                    visit_all(run, &cell, visit, user);
                    winnow_predicate_destroy(cell.predicate);
                }
    bench_progress_end();
}
