/*
 * The experiments by name.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "selections.h"

#include "names.h"

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
