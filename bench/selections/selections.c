/*
 * The experiments by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "names.h"

#include "../util.h"

static const lab_experiment experiments[] = {
#define ENTRY(NAME, FUNCTION) {NAME, selections_##FUNCTION},
    SELECTIONS_EACH(ENTRY)
#undef ENTRY
};
#define EXPERIMENTS (sizeof experiments / sizeof experiments[0])

void bench_run_selections(bench_run *run) {
    lab_run(run, "selections", experiments, EXPERIMENTS,
            run->options.selections);
}

const selections_cub *selections_cub_of(const bench_lab *lab) {
    const bench_run *run = lab->run;
    const bool there = run->platform.ordinal != WINNOW_DEVICE_HOST &&
                       run->options.peers & BENCH_PEER_CUB;
    return there ? selections_peer : NULL;
}

void selections_must(int code, const char *call) {
    if (code != 0)
        bench_fail("%s: CUDA error %d", call, code);
}
