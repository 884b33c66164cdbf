/*
 * The experiments by name, and running those that are asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "seeds.h"

#include "../util.h"
#include "names.h"

static const struct {
    const char *name;
    void (*run)(seeds_lab *lab);
} experiments[] = {
#define ENTRY(NAME, FUNCTION) {NAME, seeds_##FUNCTION},
    SEEDS_EACH(ENTRY)
#undef ENTRY
};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

static double host_seconds(const bench_job *job, bool cold) {
    (void)cold;
    const double start = bench_now();
    job->run(job->state, NULL);
    return (bench_now() - start) / job->calls;
}

void bench_run_seeds(bench_run *run) {
    if (run->platform.ordinal == WINNOW_DEVICE_HOST)
        bench_fail("seeds needs a CUDA device");
    for (unsigned i = 0; i < EXPERIMENTS; i++) {
        if (run->options.seeds != 0 && !(run->options.seeds >> i & 1))
            continue;
        seeds_lab lab = {.run = run,
                         .experiment = experiments[i].name,
                         .host_clock = run->platform};
        lab.host_clock.time = host_seconds;
        experiments[i].run(&lab);
        seeds_free(&lab);
    }
}
