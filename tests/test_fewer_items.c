/*
 * launch->d_n of every call: what counts is the items before it alone. A selection
 * is of all n items all the same.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "calls/memory.h"
#include "reduced.h"
#include "suite.h"

enum {
    N = 9001
};

struct work {
    const struct backend *backend;
    struct call_memory memory;
    const struct call *call;
    struct arguments a;
    winnow_launch launch;
};

static void run(struct work *w, uint64_t number) {
    calls_set(&w->memory, w->memory.d_n, number);
    calls_prepare(&w->memory);
    cr_assert_eq(w->call->run(&w->a, &w->launch), WINNOW_OK, "%s: %s",
                 w->call->name, winnow_last_error());
    MUST(calls_check(&w->memory, w->call, &w->a, &w->launch, false, report));
}

/* The bytes that a plan asks for, which has no arrays. */
static size_t plan_of(const struct work *w) {
    const struct arguments none = calls_without_arrays(&w->a);
    winnow_launch launch = w->launch;
    winnow_plan plan = {.size = sizeof(plan)};

    launch.plan = &plan;
    cr_assert_eq(w->call->run(&none, &launch), WINNOW_OK, "%s: %s",
                 w->call->name, winnow_last_error());
    return plan.workspace_bytes;
}

static void run_each_way(struct work *w, uint64_t number) {
    const size_t bytes = plan_of(w);
    unsigned char *const d_workspace = backend_alloc(w->backend, bytes);

    /* The context's own memory. */
    run(w, number);
    /* The caller's: as much as the plan says, and no less. */
    w->launch.d_workspace = d_workspace;
    w->launch.workspace_bytes = bytes - 1;
    if (bytes != 0)
        cr_assert_eq(w->call->run(&w->a, &w->launch), WINNOW_ERR_WORKSPACE,
                     "%s: %zu bytes", w->call->name, bytes - 1);
    w->launch.workspace_bytes = bytes;
    run(w, number);
    /* The count takes the place of the number, or there is no count. */
    if ((w->call->takes & CALL_POSITION) != 0) {
        w->a.count = w->memory.d_n;
        run(w, number);
    }
    backend_free(w->backend, d_workspace);
}

/* Each call with several draws of its arguments, each of them with other numbers;
 * seed 0 has the plain ones. */
BACKEND_TEST(fewer_items, calls) {
    static const uint64_t numbers[] = {
        0, 1, 31, 32, 100, 4095, 4096, 4097, 8192, 9000, 9001, UINT64_MAX};
    const size_t step = reduced_mode() ? 6 : 3;
    const uint64_t seeds = reduced_mode() ? 2 : 5;
    size_t first = 0;
    struct work w = {.backend = backend};

    calls_open(&w.memory, backend, N);
    FOR_EACH_CALL(call) {
        for (uint64_t seed = 0; seed < seeds; seed++, first++)
            for (size_t i = first % step;
                 i < sizeof(numbers) / sizeof(numbers[0]); i += step) {
                w.call = call;
                w.a = calls_draw(&w.memory, call, N, seed);
                w.launch = (winnow_launch){.size = sizeof(w.launch),
                                           .stream = backend->stream,
                                           .order = WINNOW_STABLE,
                                           .d_n = w.memory.d_n};
                run_each_way(&w, numbers[i]);
            }
    }
    calls_close(&w.memory);
}
