/*
 * Each call of CUDA's that the scenario makes fails once: there is an error that
 * says so, nothing is left, nothing is written where CUDA was not at work yet,
 * and the next call is right; also in a graph whose capture goes on. Where each
 * fails for want of memory, in a new context too, the error says that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <string.h>

#include <cuda_runtime_api.h>

#include "gpu.h"
#include "reduced.h"
#include "scenario/scenario.h"
#include "simt/simt.h"
#include "suite.h"

enum {
    N = 300,
    FEWER = 16 /* one of this many calls fails in the reduced mode */
};

static struct scenario scenario;
static const char *failed;

static void stop(void) {
    failed = simt_failed();
    simt_fail_any(-1);
}

/* What makes a thing, and what ends it. */
static const char *const pairs[][2] = {
    {"cudaMalloc", "cudaFree"},
    {"cudaMallocAsync", "cudaFreeAsync"},
    {"cudaMallocFromPoolAsync", "cudaFreeAsync"},
    {"cudaMallocHost", "cudaFreeHost"},
    {"cudaMemPoolCreate", "cudaMemPoolDestroy"},
    {"cudaEventCreateWithFlags", "cudaEventDestroy"},
    {"cudaStreamCreateWithFlags", "cudaStreamDestroy"}};
enum {
    PAIRS = sizeof pairs / sizeof pairs[0]
};

/* Of all of them together, for memory from a pool is freed as other memory is. */
static int count_alive(void) {
    int alive = 0;
    for (int p = 0; p < PAIRS; p++) {
        alive += (int)simt_calls(pairs[p][0]);
        if (p != 1) /* the same as of the next */
            alive -= (int)simt_calls(pairs[p][1]);
    }
    return alive;
}

static int makes(const char *function) {
    for (int p = 0; p < PAIRS; p++)
        if (strcmp(function, pairs[p][0]) == 0)
            return 1;
    return 0;
}

static bool is_right(winnow_status status) {
    return status == WINNOW_ERR_MEMORY || status == WINNOW_ERR_CUDA ||
           status == WINNOW_ERR_NO_DEVICE;
}

/* Whether the step has that many calls of CUDA's. */
static bool fails(const struct scenario_step *step, int k) {
    const int before = count_alive();
    simt_fail_any(k);
    const winnow_status status = scenario_run(&scenario, step);
    const int alive = count_alive() - before - (failed ? makes(failed) : 0);
    cr_assert(scenario.wrong[0] == '\0', "%s, call %d, %s: %s", step->name, k,
              failed ? failed : "none", scenario.wrong);
    if (status != WINNOW_OK) {
        cr_assert(failed != NULL, "%s: %s", step->name, winnow_last_error());
        cr_assert(is_right(status), "%s, call %d, %s: %s: %s", step->name, k,
                  failed, winnow_status_name(status), winnow_last_error());
        cr_assert(winnow_last_error()[0] != '\0');
        cr_assert(status == WINNOW_ERR_CUDA || step->writes_early ||
                      scenario_is_clear(&scenario),
                  "%s, call %d, %s: something is written", step->name, k,
                  failed);
    }
    cr_assert_eq(alive, 0, "%s, call %d, %s: %d are left", step->name, k,
                 failed ? failed : "none", alive);
    return failed != NULL;
}

static void must_run(const struct scenario_step *step) {
    const winnow_status status = scenario_run(&scenario, step);
    cr_assert(status == WINNOW_OK && scenario.wrong[0] == '\0', "%s: %s; %s",
              step->name, winnow_last_error(), scenario.wrong);
}

/* ---------------------------------------------------------------------- memory
 */

/* Behind a launch an error is WINNOW_ERR_CUDA, whatever it was: outputs may have
 * been written. */
static bool lacked_memory(winnow_status status) {
    return status == WINNOW_ERR_MEMORY ||
           (status == WINNOW_ERR_CUDA &&
            strstr(winnow_last_error(), "were enqueued before") != NULL &&
            strstr(winnow_last_error(), "out of device memory") != NULL);
}

/* A call of the runtime's or the driver's that lacks memory is no other error to
 * the library, and never a wrong result: in a context that is new, so that what it
 * keeps is made. Whether the step has that many calls. */
static bool lacks_memory(const struct scenario_step *step, int k) {
    scenario_reopen(&scenario);
    simt_fail_any_by(k, cudaErrorMemoryAllocation);
    const winnow_status status = scenario_run(&scenario, step);
    const char *const call = failed ? failed : "none";
    cr_assert(scenario.wrong[0] == '\0', "%s, call %d, %s: %s", step->name, k,
              call, scenario.wrong);
    cr_assert(status == WINNOW_OK || (failed != NULL && lacked_memory(status)),
              "%s, call %d, %s: %s: %s", step->name, k, call,
              winnow_status_name(status), winnow_last_error());
    cr_assert(cudaGetLastError() == cudaSuccess || status == WINNOW_OK,
              "%s, call %d, %s", step->name, k, call);
    return failed != NULL;
}

static bool context_lacks_memory(int k) {
    winnow_context *context = NULL;
    simt_fail_any_by(k, cudaErrorMemoryAllocation);
    const winnow_status status = winnow_context_create(&context, 0);
    stop();
    cr_assert(status == WINNOW_OK ||
                  (failed != NULL && status == WINNOW_ERR_MEMORY),
              "call %d, %s: %s: %s", k, failed ? failed : "none",
              winnow_status_name(status), winnow_last_error());
    cr_assert(cudaGetLastError() == cudaSuccess || status == WINNOW_OK,
              "call %d, %s", k, failed ? failed : "none");
    winnow_context_destroy(context);
    return failed != NULL;
}

static int lost; /* contexts */

/* A kernel that failed before, as each call of CUDA's says from then on, is no
 * device that is missing. */
static bool context_is_lost(int k) {
    winnow_context *context = NULL;
    simt_fail_any_by(k, cudaErrorIllegalAddress);
    const winnow_status status = winnow_context_create(&context, 0);
    stop();
    /* What fails on the way out leaves the context as it is. */
    cr_assert(status == WINNOW_OK || (failed && status == WINNOW_ERR_CUDA),
              "call %d, %s: %s: %s", k, failed ? failed : "none",
              winnow_status_name(status), winnow_last_error());
    winnow_context_destroy(context);
    lost += status == WINNOW_ERR_CUDA;
    return failed != NULL;
}

static int stride(void) {
    return reduced_mode() ? FEWER : 1;
}

/* The first call of a step that fails. */
static int first_of(size_t step) {
    return (int)(step % (size_t)stride());
}

static void open_scenario(void) {
    scenario_open(&scenario, true, N);
    scenario.called = stop;
}

Test(faults, each_call_long_gpu) {
    const struct scenario_step *step;
    size_t i;
    unsigned failures = 0;
    open_scenario();
    for (i = 0; (step = scenario_step_at(&scenario, i)) != NULL; i++) {
        int k = first_of(i);
        must_run(step); /* it makes what the context keeps */
        for (; fails(step, k); k += stride())
            failures++;
        must_run(step);
    }
    cr_assert(i > 40 && failures > 20, "%u calls fail", failures);
    scenario_close(&scenario);
}

Test(faults, no_memory_for_each_call_gpu) {
    const struct scenario_step *step;
    unsigned failures = 0;
    open_scenario();
    for (size_t i = 0; (step = scenario_step_at(&scenario, i)) != NULL; i++)
        for (int k = first_of(i); lacks_memory(step, k); k += stride())
            failures++;
    cr_assert(failures > 20, "%u calls fail", failures);
    scenario_close(&scenario);
}

Test(faults, no_memory_for_a_context_gpu) {
    int k = 0;
    while (context_lacks_memory(k))
        k++;
    cr_assert(k > 20, "%d calls fail", k);
}

/* --------------------------------------------------------------------- capture
 */

/* Allocations of a workspace that failed while a stream was captured. */
static unsigned no_workspace;

/* A call fails while its stream is captured, then it is made again: what is
 * captured is right. */
static bool captured(const struct scenario_step *step, int k) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    scenario_clear(&scenario);
    GPU_MUST(cudaStreamBeginCapture(scenario.backend.stream,
                                    cudaStreamCaptureModeGlobal));
    simt_fail_any(k);
    winnow_status status = step->call(&scenario);
    stop();
    const bool again = status != WINNOW_OK;
    cr_assert(!again || (failed != NULL && is_right(status)),
              "%s, call %d, %s: %s", step->name, k, failed ? failed : "none",
              winnow_last_error());
    if (again && makes(failed)) {
        cr_assert_eq(status, WINNOW_ERR_MEMORY, "%s, call %d, %s: %s",
                     step->name, k, failed, winnow_last_error());
        no_workspace++;
    }
    if (again)
        status = step->call(&scenario);
    cr_assert_eq(status, WINNOW_OK, "%s, call %d, %s: %s", step->name, k,
                 failed ? failed : "none", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(scenario.backend.stream, &graph));
    GPU_MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    GPU_MUST(cudaGraphLaunch(exec, scenario.backend.stream));
    gpu_wait(scenario.backend.stream);
    step->check(&scenario);
    cr_assert(scenario.wrong[0] == '\0', "%s, call %d, %s: %s", step->name, k,
              failed ? failed : "none", scenario.wrong);
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    return failed != NULL;
}

Test(faults, lost_context_gpu) {
    int k = 0;
    while (context_is_lost(k))
        k++;
    cr_assert(lost > 20, "%d of %d calls fail", lost, k);
}

Test(faults, captured_gpu) {
    const struct scenario_step *step;
    unsigned failures = 0;
    open_scenario();
    for (size_t i = 0; (step = scenario_step_at(&scenario, i)) != NULL; i++) {
        int k = first_of(i);
        /* Sums are added to, also by what was captured before it failed. */
        if (!step->captured || strncmp(step->name, "accumulate", 10) == 0)
            continue;
        must_run(step);
        for (; captured(step, k); k += stride())
            failures++;
    }
    cr_assert(failures > 10, "%u calls fail", failures);
    cr_assert(reduced_mode() || no_workspace > 0);
    scenario_close(&scenario);
}
