/*
 * The ways in which a GPU adds by key, each over the grids of calls that
 * test_accumulate_by_key.c has. tests/simt/test_accumulate.c tests which of
 * them a call takes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include "accumulate_ways.h"
#include "suite.h"

static bool run(struct accumulate *t, const struct backend *backend, int step,
                struct report *report) {
    for (t->way = WINNOW__WAY_AUTO; t->way <= WINNOW__WAY_SHARED;
         t->way += step) {
        t->seed++;
        if (!accumulated_run_way(t, backend, NULL, report))
            return false;
    }
    return true;
}

static bool run_all(struct accumulate *t, const struct backend *backend,
                    struct report *report) {
    return run(t, backend, 1, report);
}

/* AUTO, runs and shared memory: those that know of runs. */
static bool run_some(struct accumulate *t, const struct backend *backend,
                     struct report *report) {
    return run(t, backend, WINNOW__WAY_RUNS, report);
}

GPU_TEST(accumulate_ways, LONG(types)) {
    MUST(accumulated_types(backend, run_all, report));
}

GPU_TEST(accumulate_ways, LONG(keys)) {
    MUST(accumulated_keys(backend, run_all, report));
}

GPU_TEST(accumulate_ways, components) {
    MUST(accumulated_components(backend, run_all, report));
}

GPU_TEST(accumulate_ways, neighbours) {
    MUST(accumulated_neighbours(backend, run_some, report));
}

GPU_TEST(accumulate_ways, bounds) {
    MUST(accumulated_bounds(backend, run_all, report));
}

GPU_TEST(accumulate_ways, sizes) {
    MUST(accumulated_sizes(backend, run_all, report));
}

GPU_TEST(accumulate_ways, LONG(items)) {
    MUST(accumulated_items(backend, run_all, report));
}

GPU_TEST(accumulate_ways, LONG(wide)) {
    MUST(accumulated_wide(backend, run_all, report));
}
