/*
 * What all experiments do: memory, and measuring a variant.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "seeds.h"

#include "../util.h"

#include <cuda_runtime_api.h>

#include <stdlib.h>

void seeds_must(int error) {
    if (error != cudaSuccess)
        bench_fail("launching a kernel: %s",
                   cudaGetErrorString((cudaError_t)error));
}

void seeds_clear(void *d_memory, size_t bytes, winnow_stream stream) {
    seeds_must(cudaMemsetAsync(d_memory, 0, bytes, stream));
}

uint64_t seeds_random(uint64_t seed, uint64_t i) {
    return bench_random(seed, i);
}

/* ------------------------------------------------------------------ memory */

static void *keep(void **list, unsigned *count_p, void *memory) {
    if (*count_p == SEEDS_BUFFERS)
        bench_fail("an experiment has more than %d buffers", SEEDS_BUFFERS);
    list[(*count_p)++] = memory;
    return memory;
}

void *seeds_device(seeds_lab *lab, size_t bytes) {
    const bench_platform *platform = &lab->run->platform;
    void *const memory = keep(lab->device, &lab->device_count,
                              platform->alloc(bytes > 0 ? bytes : 1));
    platform->poison(memory, bytes);
    return memory;
}

void *seeds_host(seeds_lab *lab, size_t bytes) {
    return keep(lab->host, &lab->host_count,
                bench_alloc(bytes > 0 ? bytes : 1));
}

void *seeds_send(seeds_lab *lab, const void *from, size_t bytes) {
    void *const d_memory = seeds_device(lab, bytes);
    lab->run->platform.store(d_memory, from, bytes);
    return d_memory;
}

void seeds_fetch(const seeds_lab *lab, void *to, const void *d_from,
                 size_t bytes) {
    lab->run->platform.fetch(to, d_from, bytes);
}

void seeds_free(seeds_lab *lab) {
    while (lab->device_count > 0)
        lab->run->platform.release(lab->device[--lab->device_count]);
    while (lab->host_count > 0)
        free(lab->host[--lab->host_count]);
}

/* --------------------------------------------------------------- measuring */

unsigned seeds_sizes(const seeds_lab *lab, const uint64_t *usual,
                     unsigned usual_count, const uint64_t **sizes_p) {
    const bench_options *options = &lab->run->options;
    if (options->sizes_in_bytes)
        bench_fail("seeds: --sizes, not --bytes");
    *sizes_p = options->size_count > 0 ? options->sizes : usual;
    return options->size_count > 0 ? options->size_count : usual_count;
}

void seeds_measure(seeds_lab *lab, const seeds_row *row,
                   const seeds_variant *variant) {
    bench_run *run = lab->run;
    const bench_job job = {variant->run, variant->state, 1};
    bench_times times;
    job.run(job.state, run->platform.stream);
    run->platform.synchronize();
    bool right = variant->right(variant->state);
    bench_measure(variant->on_host ? &lab->host_clock : &run->platform, &job, 1,
                  false, run->options.seconds, BENCH_FEWEST_RUNS, &times);
    right = variant->right(variant->state) && right;
    seeds_report(lab, row, &times, right);
}
