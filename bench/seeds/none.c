/*
 * In place of the experiments, in a build without CUDA.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../run.h"
#include "../util.h"

void bench_run_seeds(bench_run *run) {
    (void)run;
    bench_fail("seeds needs a CUDA device, and a build with CUDA");
}
