/*
 * Seed 001, figures 1 to 6: bandwidth of a filter against the fraction kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "seeds.h"

#include "../contender.h"
#include "../peer.h"
#include "../util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 100 Mi integers, as in the seed. */
#define USUAL_ELEMENTS (UINT64_C(100) << 20)

static const char *const names[SEEDS_FILTER_FORMS] = {
    [SEEDS_FILTER_GLOBAL] = "global atomics",
    [SEEDS_FILTER_GLOBAL_EACH] = "global atomics, not aggregated",
    [SEEDS_FILTER_SHARED] = "shared atomics",
    [SEEDS_FILTER_WARP] = "warp-aggregated atomics",
    [SEEDS_FILTER_WARP_GROUP] = "warp-aggregated atomics, cooperative groups",
    [SEEDS_FILTER_WARP_SHARED] = "warp-aggregated shared atomics",
};

typedef struct filter {
    bench_lab *lab;
    const bench_cell *cell;
    seeds_filter_form form;
    /* of the host */
    int32_t *in;
    int32_t *out;
    uint64_t kept;
} filter;

static void run_form(void *state, winnow_stream stream) {
    const filter *f = state;
    bench_run *run = f->lab->run;
    seeds_count *const d_count = (seeds_count *)run->d_count;
    seeds_clear(d_count, sizeof *d_count, stream);
    seeds_must(seeds_gpu_filter(f->form, run->d_in, f->cell->n, run->d_out,
                                d_count, stream));
}

static bool form_is_right(void *state) {
    const filter *f = state;
    bench_run *run = f->lab->run;
    const bench_expected *expected = &f->cell->expected;
    uint64_t kept;
    run->platform.fetch(&kept, run->d_count, sizeof kept);
    const bool right =
        kept == expected->kept &&
        run->platform.sum(run->d_out, sizeof(int32_t), kept) == expected->sum;
    run->platform.poison(run->d_out, (size_t)f->cell->n * sizeof(int32_t));
    return right;
}

/* The seed's loop. */
static void run_on_host(void *state, winnow_stream stream) {
    (void)stream;
    filter *f = state;
    const int32_t *const in = f->in;
    int32_t *const out = f->out;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < f->cell->n; i++)
        if (in[i] < 0)
            out[kept++] = in[i];
    f->kept = kept;
}

static bool host_is_right(void *state) {
    const filter *f = state;
    const bench_expected *expected = &f->cell->expected;
    return f->kept == expected->kept &&
           bench_data_sum(f->out, sizeof(int32_t), f->kept) == expected->sum;
}

static lab_row row_of(const bench_cell *cell, const char *variant,
                      const bench_baseline *baseline) {
    return (lab_row){.variant = variant,
                     .type = "int32",
                     .n = cell->n,
                     .x_name = "fraction",
                     .x = (double)cell->expected.kept / (double)cell->n,
                     .bytes = (cell->n + cell->expected.kept) * sizeof(int32_t),
                     .results_p = &cell->expected.kept,
                     .copy_s = baseline->copy_s};
}

/* The library's strategies, CUB and Thrust. */
static void measure_contenders(bench_lab *lab, const bench_cell *cell,
                               const bench_baseline *baseline) {
    bench_run *run = lab->run;
    bench_contender *list = bench_alloc(BENCH_CONTENDERS * sizeof *list);
    const unsigned count = bench_contenders(run, cell, BENCH_COPY_IF, list);
    for (unsigned i = 0; i < count; i++) {
        bench_contender *c = &list[i];
        bench_times times;
        char name[96];
        bench_contender_prepare(c);
        bench_measure(&run->platform, &c->job, 1, cell->cold,
                      run->options.seconds, BENCH_FEWEST_RUNS, &times);
        bench_contender_release(c);
        const char *const peer = bench_contender_peer(c);
        if (peer != NULL)
            snprintf(name, sizeof name, "%s", peer);
        else
            snprintf(name, sizeof name, "winnow %s, %s",
                     winnow_strategy_name(c->launch.strategy),
                     winnow_order_name(c->launch.order));
        const lab_row row = row_of(cell, name, baseline);
        lab_report(lab, &row, &times, c->right);
    }
    free(list);
}

static void visit(bench_run *run, const bench_cell *cell, void *user) {
    filter f = {.lab = user, .cell = cell};
    if (cell->type != WINNOW_INT32)
        bench_fail("seeds filter: int32 alone");
    const bench_baseline baseline = bench_baseline_of(
        run, cell, (cell->n + cell->expected.kept) * sizeof(int32_t));
    for (unsigned form = 0; form < SEEDS_FILTER_FORMS; form++) {
        const lab_variant variant = {run_form, form_is_right, &f, false};
        const lab_row row = row_of(cell, names[form], &baseline);
        f.form = (seeds_filter_form)form;
        lab_measure(f.lab, &row, &variant);
    }
    measure_contenders(f.lab, cell, &baseline);

    const size_t bytes = (size_t)cell->n * sizeof(int32_t);
    f.in = lab_host(f.lab, bytes);
    f.out = lab_host(f.lab, bytes);
    lab_fetch(f.lab, f.in, run->d_in, bytes);
    const lab_variant host = {run_on_host, host_is_right, &f, true};
    const lab_row row = row_of(cell, "CPU, one thread", &baseline);
    lab_measure(f.lab, &row, &host);
    lab_free(f.lab);
}

void seeds_filter(bench_lab *lab) {
    bench_run *run = lab->run;
    const bench_options given = run->options;
    const uint64_t usual[] = {USUAL_ELEMENTS};
    const uint64_t *sizes;
    const unsigned count = LAB_SIZES(lab, usual, &sizes);
    memmove(run->options.sizes, sizes, count * sizeof *sizes);
    run->options.size_count = count;
    run->options.caches = BENCH_WARM;
    run->options.launches = BENCH_PLAIN;
    bench_run_each_cell(run, visit, lab);
    run->options = given;
}
