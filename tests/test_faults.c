/*
 * Each allocation of each call of the scenario fails once, with the backend of the
 * host and, on the CPU device, with that of CUDA: the call says that there is no
 * memory, or does without; it has written nothing and left nothing, and the next
 * call is right.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "failing_malloc.h"
#include "reduced.h"
#include "scenario/scenario.h"
#include "suite.h"

#ifdef FAILING_MALLOC
static struct scenario scenario;
static bool failed;

static void stop(void) {
    failed = failing_malloc_stop();
}

/* Whether the step has that many allocations. */
static bool fails(const struct scenario_step *step, long k) {
    const long before = failing_malloc_alive();
    failing_malloc_after(k);
    const winnow_status status = scenario_run(&scenario, step);
    cr_assert_str_eq(scenario.wrong, "", "%s, allocation %ld: %s", step->name,
                     k, scenario.wrong);
    if (status != WINNOW_OK) {
        cr_assert(failed, "%s: %s", step->name, winnow_last_error());
        cr_assert_eq(status, WINNOW_ERR_MEMORY, "%s, allocation %ld: %s: %s",
                     step->name, k, winnow_status_name(status),
                     winnow_last_error());
        cr_assert(strstr(winnow_last_error(), "memory") != NULL,
                  "%s, allocation %ld: %s", step->name, k, winnow_last_error());
        cr_assert(step->writes_early || scenario_is_clear(&scenario),
                  "%s, allocation %ld: something is written", step->name, k);
    }
    const long left = failing_malloc_alive() - before;
    /* A thread's own memory outlives it. */
    cr_assert(left == 0 || scenario.threads > 1,
              "%s, allocation %ld, %s: %ld pieces are left", step->name, k,
              winnow_status_name(status), left);
    return failed;
}

enum {
    FEWER = 8 /* one of this many allocations fails in the reduced mode */
};

/* From the k-th allocation on; `failures` counts. */
static void try_step(const struct scenario_step *step, long k, long stride,
                     unsigned *failures) {
    /* The first call makes what the context keeps. */
    cr_assert_eq(scenario_run(&scenario, step), WINNOW_OK, "%s: %s", step->name,
                 winnow_last_error());
    cr_assert_str_eq(scenario.wrong, "", "%s: %s", step->name, scenario.wrong);
    for (; fails(step, k); k += stride)
        ++*failures;
}

static void try_all(long stride) {
    const struct scenario_step *step;
    unsigned failures = 0;
    long steps = 0;
    scenario.called = stop;
    for (; (step = scenario_step_at(&scenario, (size_t)steps)) != NULL; steps++)
        try_step(step, steps % stride, stride, &failures);
    cr_assert_gt(steps, 40);
    cr_assert_gt(failures, 40 / (unsigned)stride);
}

#ifdef WINNOW_SIMT
Test(faults, each_allocation_gpu) {
    scenario_open(&scenario, true, 300);
    try_all(reduced_mode() ? FEWER : 1);
    scenario_close(&scenario);
}
#else
Test(faults, each_allocation) {
    for (unsigned threads = 1; threads <= 2; threads++) {
        scenario_open(&scenario, false, threads > 1 ? SCENARIO_MOST : 5000);
        cr_assert_eq(
            winnow_context_set_threads(scenario.backend.context, threads),
            WINNOW_OK);
        scenario.threads = threads;
        try_all(1);
        scenario_close(&scenario);
    }
}
#endif
#endif
