/*
 * A call and the device around it: the caller's current device, memory of every
 * kind that the device can reach, and no waiting.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "multiset.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* Every call of the family, good and bad, on one trial. */
static void run_family(struct trial *trial) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = trial->n;
    call.tolerance = 0.05;
    FOR_EACH_STRATEGY(row, true) {
        call.row = row;
        MUST(trial_run(trial, &call, report));
        MUST(trial_run(trial, &call, report)); /* the other workspace */
    }
    call.operation = COUNT_IF;
    MUST(trial_run(trial, &call, report));
    call.operation = ESTIMATE;
    MUST(trial_run(trial, &call, report));
    cr_assert_neq(winnow_count_if(trial->backend->context, trial->predicate,
                                  trial->in.base, trial->n, NULL, NULL, 0,
                                  trial->backend->stream),
                  WINNOW_OK);
}

static void expect_current(int device, const void *driver_context,
                           const char *when) {
    int current = -1;

    GPU_MUST(cudaGetDevice(&current));
    cr_assert_eq(current, device, "%s: device %d is current, and was %d", when,
                 current, device);
    cr_assert_eq(gpu_current_context(), driver_context,
                 "%s: the driver's current context is another one", when);
}

GPU_TEST(device, current_device_stays) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    int devices = 0, device = -1;
    const void *before;
    struct trial trial;

    GPU_MUST(cudaGetDevice(&device));
    before = gpu_current_context();
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 101, 70000,
               0);
    run_family(&trial);
    expect_current(device, before, "after the calls");

    GPU_MUST(cudaGetDeviceCount(&devices));
    for (int i = 0; i < devices; i++) {
        winnow_context *context;

        cr_assert_eq(winnow_context_create(&context, i), WINNOW_OK, "%s",
                     winnow_last_error());
        expect_current(device, before, "after winnow_context_create");
        winnow_context_destroy(context);
        expect_current(device, before, "after winnow_context_destroy");
    }
    if (devices > 1) { /* call for device 0 while device 1 is current */
        GPU_MUST(cudaSetDevice(1));
        before = gpu_current_context();
        run_family(&trial);
        expect_current(1, before, "after calls for another device");
        GPU_MUST(cudaSetDevice(device));
    } else {
        cr_log_info("one device: calls for another one were not tried");
    }
    MUST(trial_close(&trial, report));
}

/* ------------------------------------------------------- kinds of memory */

struct results {
    uint64_t count;
    double selectivity;
    int32_t strategy;
    int32_t poison;
};

static void run_results(const struct backend *backend, struct trial *trial,
                        struct results *results, const char *kind) {
    FOR_EACH_STRATEGY(row, true) {
        winnow_options options = WINNOW_OPTIONS_INIT;
        winnow_status status;

        *results = (struct results){77, 77, 77, 77};
        options.order = row->order;
        options.strategy = row->strategy;
        options.d_strategy = &results->strategy;
        status =
            winnow_copy_if(backend->context, trial->predicate, trial->in.base,
                           trial->n, trial->out.base, &results->count, &options,
                           NULL, 0, backend->stream);
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        status = winnow_estimate_selectivity(
            backend->context, trial->predicate, trial->in.base, trial->n,
            &results->selectivity, NULL, 0, backend->stream);
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        cr_assert_null(backend_wait(backend));
        cr_assert_eq(results->count, trial->kept[trial->n], "%s, %s: %zu", kind,
                     winnow_strategy_name(row->strategy),
                     (size_t)results->count);
        cr_assert(results->selectivity > 0 && results->selectivity < 1,
                  "%s: selectivity %g", kind, results->selectivity);
        if (row->strategy != WINNOW_AUTO)
            cr_assert_eq(results->strategy, (int32_t)row->strategy, "%s", kind);
        cr_assert_eq(results->poison, 77, "%s", kind);

        results->count = 77;
        status = winnow_count_if(backend->context, trial->predicate,
                                 trial->in.base, trial->n, &results->count,
                                 NULL, 0, backend->stream);
        cr_assert_eq(status, WINNOW_OK, "%s: %s", kind, winnow_last_error());
        cr_assert_null(backend_wait(backend));
        cr_assert_eq(results->count, trial->kept[trial->n], "%s", kind);
    }
}

GPU_TEST(device, results_in_host_and_managed_memory) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct results *pinned, *managed;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 102, 50000,
               0);
    GPU_MUST(
        cudaHostAlloc((void **)&pinned, sizeof(*pinned), cudaHostAllocDefault));
    run_results(backend, &trial, pinned, "pinned host memory");
    GPU_MUST(cudaFreeHost(pinned));
    GPU_MUST(cudaMallocManaged((void **)&managed, sizeof(*managed),
                               cudaMemAttachGlobal));
    run_results(backend, &trial, managed, "managed memory");
    GPU_MUST(cudaFree(managed));
    MUST(trial_close(&trial, report));
}

static void run_pinned(const struct backend *backend, uint64_t n) {
    const struct rule rule = rules_plain(WINNOW_UINT16);
    uint16_t *in, *out;
    uint64_t *count;
    uint32_t *kept = must_alloc((n + 1) * sizeof(*kept));
    uint16_t *expected = must_alloc(n * sizeof(*expected));
    uint64_t *sorted;
    winnow_predicate *predicate;

    GPU_MUST(cudaHostAlloc((void **)&in, n * 2, cudaHostAllocDefault));
    GPU_MUST(cudaHostAlloc((void **)&out, n * 2, cudaHostAllocDefault));
    GPU_MUST(cudaHostAlloc((void **)&count, 8, cudaHostAllocDefault));
    data_fill(&rule, pattern_named("uniform:0.5"), 103, n, in);
    oracle_filter(&rule, in, n, expected, kept);
    sorted = multiset_sort(rule.type, expected, kept[n]);
    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    FOR_EACH_STRATEGY(row, true) {
        const char *name = winnow_strategy_name(row->strategy);
        winnow_options options = WINNOW_OPTIONS_INIT;
        winnow_status status;
        uint64_t *got;

        options.order = row->order;
        options.strategy = row->strategy;
        memset(out, 0, n * 2);
        *count = 77;
        status = winnow_copy_if(backend->context, predicate, in, n, out, count,
                                &options, NULL, 0, backend->stream);
        cr_assert_eq(status, WINNOW_OK, "%s: %s", name, winnow_last_error());
        cr_assert_null(backend_wait(backend));
        cr_assert_eq(*count, kept[n]);
        got = multiset_sort(rule.type, out, kept[n]);
        cr_assert(multiset_contains(sorted, kept[n], got, kept[n]),
                  "%s: the survivors are wrong", name);
        free(got);
        if (row->order == WINNOW_STABLE)
            cr_assert_eq(memcmp(out, expected, kept[n] * 2), 0,
                         "%s: the order is wrong", name);
    }
    winnow_predicate_destroy(predicate);
    GPU_MUST(cudaFreeHost(in));
    GPU_MUST(cudaFreeHost(out));
    GPU_MUST(cudaFreeHost(count));
    free(kept);
    free(expected);
    free(sorted);
}

/* All of a call in pinned host memory, input and output as well: one tile, and
 * as many as tell each other their counts, which takes long over the bus. */
GPU_TEST(device, everything_in_pinned_memory) {
    run_pinned(backend, 1001);
    run_pinned(backend, 4001);
    if (!reduced_mode()) {
        run_pinned(backend, 300001);
        run_pinned(backend, 4000001);
    }
}

/* The default stream, which is NULL. */
GPU_TEST(device, default_stream) {
    const struct rule rule = rules_plain(WINNOW_FLOAT64);
    struct backend on_default = *backend;
    struct trial trial;

    on_default.stream = NULL;
    trial_open(&trial, &on_default, &rule, pattern_named("uniform:0.5"), 104,
               70000, 0);
    run_family(&trial);
    MUST(trial_close(&trial, report));
}

/* ------------------------------------------------------------- no waiting */

/* A stream that is held up until somebody opens the gate. Patience runs out
 * after a while, so that a call that waits fails its test and does not hang. */
struct gate {
    atomic_bool open;
    atomic_bool impatient;
};
#define PATIENCE_SECONDS 20

static void CUDART_CB wait_at_gate(void *argument) {
    const struct timespec nap = {.tv_nsec = 1000000};
    const time_t start = time(NULL);
    struct gate *gate = argument;

    while (!atomic_load(&gate->open)) {
        if (time(NULL) - start > PATIENCE_SECONDS) {
            atomic_store(&gate->impatient, true);
            return;
        }
        nanosleep(&nap, NULL);
    }
}

static void run_behind_gate(struct trial *trial,
                            const struct trial_call *call) {
    struct gate gate;

    atomic_init(&gate.open, false);
    atomic_init(&gate.impatient, false);
    MUST(
        trial_run(trial, call, report)); /* loads the kernels, which may wait */
    MUST(trial_prepare(trial, call, report));
    GPU_MUST(cudaLaunchHostFunc(trial->backend->stream, wait_at_gate, &gate));
    MUST(trial_enqueue(trial, call, report));
    cr_assert(!atomic_load(&gate.impatient),
              "the call waited for its stream (operation %d, %s)",
              (int)call->operation,
              call->row ? winnow_strategy_name(call->row->strategy) : "");
    cr_assert_eq(cudaStreamQuery(trial->backend->stream), cudaErrorNotReady,
                 "the stream was not held up: the test shows nothing");
    atomic_store(&gate.open, true);
    MUST(trial_check(trial, call, report));
}

GPU_TEST(device, no_call_waits) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 3000 : 600000;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 105, n, 0);
    for (enum workspace workspace = WORKSPACE_GIVEN;
         workspace <= WORKSPACE_OF_CONTEXT; workspace++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.n = n;
        call.tolerance = 0.05;
        call.workspace = workspace;
        FOR_EACH_STRATEGY(row, true) {
            call.row = row;
            run_behind_gate(&trial, &call);
        }
        call.operation = COUNT_IF;
        run_behind_gate(&trial, &call);
        call.operation = ESTIMATE;
        run_behind_gate(&trial, &call);
    }
    MUST(trial_close(&trial, report));
}
