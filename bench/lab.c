/*
 * What all experiments do: memory, measuring a variant, running those chosen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lab.h"

#include <stdlib.h>

uint64_t lab_random(uint64_t seed, uint64_t i) {
    return bench_random(seed, i);
}

int32_t lab_bound(double share) {
    const double bound = INT32_MIN + share * 4294967296.0;
    return bound < INT32_MAX ? (int32_t)bound : INT32_MAX;
}

/* ------------------------------------------------------------------ memory */

static void *keep(void **list, unsigned *count_p, void *memory) {
    if (*count_p == LAB_BUFFERS)
        bench_fail("an experiment has more than %d buffers", LAB_BUFFERS);
    list[(*count_p)++] = memory;
    return memory;
}

void *lab_device(bench_lab *lab, size_t bytes) {
    const bench_platform *platform = &lab->run->platform;
    void *const memory = keep(lab->device, &lab->device_count,
                              platform->alloc(bytes > 0 ? bytes : 1));
    platform->poison(memory, bytes);
    return memory;
}

void *lab_host(bench_lab *lab, size_t bytes) {
    return keep(lab->host, &lab->host_count,
                bench_alloc(bytes > 0 ? bytes : 1));
}

void *lab_send(bench_lab *lab, const void *from, size_t bytes) {
    void *const d_memory = lab_device(lab, bytes);
    lab->run->platform.store(d_memory, from, bytes);
    return d_memory;
}

void lab_fetch(const bench_lab *lab, void *to, const void *d_from,
               size_t bytes) {
    lab->run->platform.fetch(to, d_from, bytes);
}

void lab_free(bench_lab *lab) {
    while (lab->device_count > 0)
        lab->run->platform.release(lab->device[--lab->device_count]);
    while (lab->host_count > 0)
        free(lab->host[--lab->host_count]);
}

void lab_plan(bench_lab *lab, bench_call *call, const char *name,
              const void *state, winnow_launch *launch) {
    winnow_launch asked = *launch;
    winnow_plan plan;
    asked.d_workspace = NULL;
    asked.workspace_bytes = 0;
    bench_check(bench_plan(call, state, asked, &plan), name);
    if (plan.workspace_bytes <= launch->workspace_bytes)
        return;
    launch->workspace_bytes = plan.workspace_bytes;
    launch->d_workspace = lab_device(lab, plan.workspace_bytes);
}

/* --------------------------------------------------------------- measuring */

unsigned lab_sizes(const bench_lab *lab, const uint64_t *usual,
                   unsigned usual_count, const uint64_t **sizes_p) {
    const bench_options *options = &lab->run->options;
    if (options->sizes_in_bytes)
        bench_fail("%s: --sizes, not --bytes", lab->op);
    *sizes_p = options->size_count > 0 ? options->sizes : usual;
    return options->size_count > 0 ? options->size_count : usual_count;
}

unsigned lab_shares(const bench_lab *lab, const double *usual,
                    unsigned usual_count, const double **shares_p) {
    const bench_options *options = &lab->run->options;
    const bool given = options->selectivity_count > 0;
    *shares_p = given ? options->selectivities : usual;
    return given ? options->selectivity_count : usual_count;
}

typedef struct copy_job {
    const bench_platform *platform;
    unsigned shape;
    uint64_t vectors;
    void *d_from, *d_to;
} copy_job;

static void run_copy(void *state, winnow_stream stream) {
    const copy_job *copy = state;
    copy->platform->copy(copy->shape, copy->d_from, copy->d_to, copy->vectors,
                         stream);
}

double lab_copy(bench_lab *lab, uint64_t bytes) {
    const bench_run *run = lab->run;
    copy_job copy = {.platform = &run->platform, .vectors = (bytes + 31) / 32};
    double least = 0;
    copy.d_from = run->platform.alloc(copy.vectors * 16 + 1);
    copy.d_to = run->platform.alloc(copy.vectors * 16 + 1);
    for (; copy.shape < run->platform.copy_shapes; copy.shape++) {
        const bench_job job = {run_copy, &copy, 1};
        bench_times times;
        bench_measure(&run->platform, &job, 1, false, run->options.seconds,
                      BENCH_FEWEST_RUNS, &times);
        if (copy.shape == 0 || times.midmean < least)
            least = times.midmean;
    }
    run->platform.release(copy.d_from);
    run->platform.release(copy.d_to);
    return least;
}

void lab_measure(bench_lab *lab, const lab_row *row,
                 const lab_variant *variant) {
    bench_run *run = lab->run;
    const bench_job job = {variant->run, variant->state, 1};
    bench_times times;
    job.run(job.state, run->platform.stream);
    run->platform.synchronize();
    bool right = variant->right(variant->state);
    bench_measure(variant->on_host ? &lab->host_clock : &run->platform, &job, 1,
                  false, run->options.seconds, BENCH_FEWEST_RUNS, &times);
    right = variant->right(variant->state) && right;
    lab_report(lab, row, &times, right);
}

/* ----------------------------------------------------------------- running */

static double host_seconds(const bench_job *job, bool cold) {
    (void)cold;
    const double start = bench_now();
    job->run(job->state, NULL);
    return (bench_now() - start) / job->calls;
}

void lab_run(bench_run *run, const char *op, const lab_experiment *experiments,
             unsigned count, unsigned chosen) {
    for (unsigned i = 0; i < count; i++) {
        if (chosen != 0 && !(chosen >> i & 1))
            continue;
        bench_lab lab = {.run = run,
                         .op = op,
                         .experiment = experiments[i].name,
                         .host_clock = run->platform};
        lab.host_clock.time = host_seconds;
        experiments[i].run(&lab);
        lab_free(&lab);
    }
}
