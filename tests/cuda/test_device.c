/*
 * A call and the device around it: the caller's current device, and no waiting.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "gate.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

#include <string.h>

static void expect_current(int device, const void *driver_context,
                           const char *when) {
    int current = -1;

    GPU_MUST(cudaGetDevice(&current));
    cr_assert_eq(current, device, "%s: device %d is current, and was %d", when,
                 current, device);
    cr_assert_eq(gpu_current_context(), driver_context,
                 "%s: the driver's current context is another one", when);
}

/* One call, while that device is current. Memory comes from the device that is
 * current before. */
static void run_while_current(int device, struct trial *trial,
                              const struct trial_call *call) {
    int own = -1;
    const void *before;

    GPU_MUST(cudaGetDevice(&own));
    MUST(trial_prepare(trial, call, report));
    GPU_MUST(cudaSetDevice(device));
    before = gpu_current_context();
    MUST(trial_enqueue(trial, call, report));
    expect_current(device, before, "after a call");
    GPU_MUST(cudaSetDevice(own));
    MUST(trial_check(trial, call, report));
}

/* Two that fail: at once, and when the device has been asked about memory. */
static void fail_while_current(int device, const struct trial *trial) {
    winnow_context *const context = trial->backend->context;
    const cudaStream_t stream = trial->backend->stream;
    int own = -1;
    const void *before;

    GPU_MUST(cudaGetDevice(&own));
    GPU_MUST(cudaSetDevice(device));
    before = gpu_current_context();
    cr_assert_eq(winnow_count_if(context, trial->predicate, trial->rule.type,
                                 trial->in.base, trial->n, NULL,
                                 WINNOW_LAUNCH(.stream = stream)),
                 WINNOW_ERR_ARGUMENT);
    expect_current(device, before, "after a call without a count");
    cr_assert_eq(winnow_count_if(context, trial->predicate, trial->rule.type,
                                 trial->in.base, trial->n + 1,
                                 (uint64_t *)trial->results.base,
                                 WINNOW_LAUNCH(.stream = stream)),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "past the end"), "%s",
                       winnow_last_error());
    expect_current(device, before, "after a call for one element too many");
    GPU_MUST(cudaSetDevice(own));
}

/* Every call of the family, good and bad, on one trial. */
static void run_family(int device, struct trial *trial) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = trial->n;
    call.tolerance = 0.05;
    FOR_EACH_STRATEGY(row, true) {
        call.row = row;
        run_while_current(device, trial, &call);
        run_while_current(device, trial, &call); /* the other workspace */
    }
    call.operation = COUNT_IF;
    run_while_current(device, trial, &call);
    call.operation = ESTIMATE;
    run_while_current(device, trial, &call);
    fail_while_current(device, trial);
}

GPU_TEST(device, LONG(current_device_stays)) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    int devices = 0, device = -1;
    const void *before;
    struct trial trial;

    GPU_MUST(cudaGetDevice(&device));
    before = gpu_current_context();
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 101, 70000,
               0);
    run_family(device, &trial);
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
    MUST(trial_close(&trial, report));
}

/* Calls for device 0 while device 1 is current. */
GPU_TEST(device, LONG(another_device_is_current)) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    int devices = 0;
    struct trial trial;

    GPU_MUST(cudaGetDeviceCount(&devices));
    if (devices < 2)
        cr_skip_test("there is one device");
    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 106, 70000,
               0);
    run_family(1, &trial);
    MUST(trial_close(&trial, report));
}

/* The default stream, which is NULL. */
GPU_TEST(device, LONG(default_stream)) {
    const struct rule rule = rules_plain(WINNOW_FLOAT64);
    struct backend on_default = *backend;
    struct trial trial;

    on_default.stream = NULL;
    trial_open(&trial, &on_default, &rule, pattern_named("uniform:0.5"), 104,
               70000, 0);
    run_family(0, &trial);
    MUST(trial_close(&trial, report));
}

/* ------------------------------------------------------------- no waiting */

static void run_behind_gate(struct trial *trial,
                            const struct trial_call *call) {
    struct gate gate;

    MUST(
        trial_run(trial, call, report)); /* loads the kernels, which may wait */
    MUST(trial_prepare(trial, call, report));
    gate_close(&gate, trial->backend->stream);
    MUST(trial_enqueue(trial, call, report));
    cr_assert(!atomic_load(&gate.impatient),
              "the call waited for its stream (operation %d, %s)",
              (int)call->operation,
              call->row ? winnow_strategy_name(call->row->strategy) : "");
    cr_assert_eq(cudaStreamQuery(trial->backend->stream), cudaErrorNotReady,
                 "the stream was not held up: the test shows nothing");
    gate_open(&gate);
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
