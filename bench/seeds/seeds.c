/*
 * The experiments by name, and running those that are asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "seeds.h"

#include "../util.h"
#include "names.h"

#include <cuda_runtime_api.h>

void seeds_must(int error) {
    if (error != cudaSuccess)
        bench_fail("launching a kernel: %s",
                   cudaGetErrorString((cudaError_t)error));
}

void seeds_clear(void *d_memory, size_t bytes, winnow_stream stream) {
    seeds_must(cudaMemsetAsync(d_memory, 0, bytes, stream));
}

static const lab_experiment experiments[] = {
#define ENTRY(NAME, FUNCTION) {NAME, seeds_##FUNCTION},
    SEEDS_EACH(ENTRY)
#undef ENTRY
};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

void bench_run_seeds(bench_run *run) {
    if (run->platform.ordinal == WINNOW_DEVICE_HOST)
        bench_fail("seeds needs a CUDA device");
    lab_run(run, "seeds", experiments, EXPERIMENTS, run->options.seeds);
}
