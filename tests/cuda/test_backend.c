/*
 * The host's side of the CUDA backend, where a defect would leave the results
 * right on most devices: what is planned, what a launch comes with, what is
 * said when CUDA fails, and what is left behind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "copy/common.h"
#include "tile/shapes.h"
#include "cuda/plan.h"
#include "core/operation.h"
#include "kernels/core/clear.h"

#include "cut.h"
#include "part.h"
#include "rules.h"
#include "simt/simt.h"
#include "suite.h"

/* ------------------------------------------------------------------ plans */

static winnow__plan plan_call(const struct backend *backend, winnow_type type,
                              const winnow__operation *operation,
                              winnow_order order, uint64_t n,
                              winnow__constraints constraints) {
    const winnow_predicate predicate = {
        winnow__type(type), WINNOW__INTERVAL, {0}};
    winnow__query query = {
        .operation = operation,
        .context = backend->context,
        .predicate = &predicate,
        .type = predicate.type,
        .n = n,
        .launch = {.size = sizeof(query.launch), .order = order}};
    winnow__plan plan;

    constraints.located = true;
    cr_assert_eq(winnow__plan_query(&query, &constraints, &plan), WINNOW_OK,
                 "%s", winnow_last_error());
    return plan;
}

static winnow__plan plan_copy(const struct backend *backend, winnow_order order,
                              uint64_t n, winnow__constraints constraints) {
    return plan_call(backend, WINNOW_INT32, &winnow__copy_if_operation, order,
                     n, constraints);
}

static bool gets_cluster(const struct backend *backend, winnow_order order,
                         uint64_t n, winnow__constraints constraints) {
    return plan_copy(backend, order, n, constraints).mode == WINNOW__CLUSTER;
}

static uint64_t limit_of(const struct backend *backend, winnow__shape shape) {
    return cut_shapes(backend)->limits[shape][2];
}

/* A cluster is faster than clearing memory, as far as it goes; than memory that
 * is ready, up to the limit. */
GPU_TEST(backend, cluster_where_nothing_is_ready) {
    const uint64_t most = cut_at_most(UINT64_MAX, WINNOW__SHAPE_cluster_16);
    const winnow__constraints ready = {.exchange = true, .ready = true};
    const winnow__constraints none = {.exchange = true};
    const winnow__constraints apart = {.ready = true};

    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++) {
        const uint64_t limit =
            limit_of(backend, order == WINNOW_STABLE ? WINNOW__SHAPE_cluster_16
                                                     : WINNOW__SHAPE_cluster_4);
        const winnow_order wanted = (winnow_order)order;

        cr_assert(gets_cluster(backend, wanted, limit, ready));
        cr_assert_not(gets_cluster(backend, wanted, limit + 1, ready));
        cr_assert(gets_cluster(backend, wanted, most, none));
        cr_assert_not(gets_cluster(backend, wanted, most + 1, none));
        cr_assert_not(gets_cluster(backend, wanted, limit, apart));
    }
    cr_assert_lt(limit_of(backend, WINNOW__SHAPE_cluster_4), most);
}

/* Nor has a cluster more blocks than the device allows. */
Test(backend, small_clusters) {
    const winnow__constraints constraints = {.exchange = true};
    const unsigned most = WINNOW__MOST_CLUSTER / 2;
    struct backend backend;

    simt_settings.most_cluster = (int)most;
    backend_open_gpu(&backend);
    cut_into(&backend, WINNOW__SHAPE_cluster_16);
    for (uint64_t rows = 1024; rows <= 4096; rows *= 2)
        for (uint64_t tiles = 1; tiles <= WINNOW__MOST_CLUSTER; tiles++) {
            const winnow__plan plan =
                plan_copy(&backend, WINNOW_STABLE, tiles * rows, constraints);

            cr_assert_eq(plan.mode == WINNOW__CLUSTER,
                         tiles * rows <= most * UINT64_C(4096),
                         "%u tiles of %u", (unsigned)tiles, (unsigned)rows);
            if (plan.mode == WINNOW__CLUSTER)
                cr_assert_leq(plan.blocks, most);
        }
    backend_close(&backend);
}

/* The nodes of a call's graph: the memory is the context's. */
static size_t count_nodes(const struct trial *trial, uint64_t n) {
    const cudaStream_t stream = trial->backend->stream;
    cudaGraph_t graph;
    size_t nodes;

    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(winnow_copy_if(trial->backend->context, trial->predicate,
                                trial->rule.type, trial->in.base, n,
                                trial->out.base, WINNOW_NO_LIMIT,
                                (uint64_t *)trial->results.base,
                                WINNOW_LAUNCH(.stream = stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    GPU_MUST(cudaGraphDestroy(graph));
    return nodes;
}

/* So a captured call that has no workspace is one kernel, which needs none. */
GPU_TEST(backend, captured_cluster) {
    const uint64_t most = cut_at_most(UINT64_MAX, WINNOW__SHAPE_cluster_16);
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 41,
               most + 1, 0);
    cr_assert_eq(count_nodes(&trial, most), 1u);
    cr_assert_gt(count_nodes(&trial, most + 1), 1u);
    MUST(trial_close(&trial, report));
}

/* More blocks than there are words for, on a device that could run them. */
Test(backend, most_resident) {
    const uint64_t most =
        cut_at_most(UINT64_MAX, WINNOW__SHAPE_one_wave_striped_4);
    const winnow__constraints constraints = {.exchange = true, .ready = true};
    struct backend backend;
    winnow__plan plan;

    simt_settings.multiprocessors = 132;
    backend_open_gpu(&backend);
    cut_into(&backend, WINNOW__SHAPE_one_wave_striped_4);
    cut_shapes(&backend)->limits[WINNOW__SHAPE_one_wave_small][2] = UINT64_MAX;
    plan = plan_copy(&backend, WINNOW_STABLE, most, constraints);
    cr_assert_eq(plan.kernel, &winnow__one_wave_striped_4[2][0]);
    cr_assert_eq(plan.blocks, (unsigned)WINNOW__MOST_ONE_WAVE);
    cr_assert_eq(plan.groups, WINNOW__MOST_GROUPS * sizeof(winnow__group));
    plan = plan_copy(&backend, WINNOW_STABLE, most + 1, constraints);
    cr_assert_eq(plan.kernel, &winnow__one_wave_small[2][0]);
    cr_assert_leq(plan.groups, WINNOW__MOST_GROUPS * sizeof(winnow__group));
    backend_close(&backend);
}

/* Nor are there more elements than a word counts. */
Test(backend, most_counted) {
    const winnow__constraints constraints = {.exchange = true, .ready = true};
    const uint64_t most = UINT64_C(1) << WINNOW__EXCHANGE_BITS;
    struct backend backend;

    simt_settings.multiprocessors = 132;
    backend_open_gpu(&backend);
    cut_into(&backend, WINNOW__SHAPE_one_wave_large);
    for (uint64_t n = most; n <= most + 1; n++)
        cr_assert_eq(plan_call(&backend, WINNOW_UINT16,
                               &winnow__copy_if_operation, WINNOW_STABLE, n,
                               constraints)
                         .mode,
                     n == most ? WINNOW__TILE_PER_BLOCK : WINNOW__PERSISTENT);
    backend_close(&backend);
}

/* What clears the states stores two at a time. There is one for the tile more
 * that another address would make. */
GPU_TEST(backend, states_in_pairs) {
    const uint64_t tile = winnow__tile_scan_small[2][0].tile_bytes / 4;
    const struct rule rule = rules_plain(WINNOW_INT32);
    const winnow__constraints constraints = {.exchange = true, .ready = true};
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 42,
               5 * tile, 0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    for (uint64_t tiles = 1; tiles <= 5; tiles++) {
        const winnow__plan plan =
            plan_copy(backend, WINNOW_STABLE, tiles * tile, constraints);

        cr_assert_eq(plan.mode, WINNOW__PERSISTENT);
        cr_assert_eq(plan.cleared, 16 * ((tiles + 2) / 2), "%zu for %u tiles",
                     plan.cleared, (unsigned)tiles);
        MUST(cut_run(&trial, tiles * tile, false, report));
    }
    MUST(trial_close(&trial, report));
}

/* An input that begins within a vector may have a tile more: the workspace is
 * as large for one that does not. */
GPU_TEST(backend, workspace_of_any_address) {
    const uint64_t n = 4 * winnow__tile_scan_small[2][0].tile_bytes / 4;
    const struct rule rule = rules_plain(WINNOW_INT32);
    winnow_plan plan = {.size = sizeof(plan)};
    struct trial trial;
    size_t bytes;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 50, n, 0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    cr_assert_eq(
        winnow_copy_if(backend->context, trial.predicate, trial.rule.type, NULL,
                       n, NULL, WINNOW_NO_LIMIT, NULL,
                       WINNOW_LAUNCH(.order = WINNOW_STABLE, .plan = &plan)),
        WINNOW_OK, "%s", winnow_last_error());
    bytes = plan.workspace_bytes;
    for (size_t less = 0; less < 2; less++) {
        void *const workspace = gpu_alloc(bytes);

        cr_assert_eq(
            winnow_copy_if(backend->context, trial.predicate, trial.rule.type,
                           trial.in.base, n, trial.out.base, WINNOW_NO_LIMIT,
                           (uint64_t *)trial.results.base,
                           WINNOW_LAUNCH(.stream = backend->stream,
                                         .order = WINNOW_STABLE,
                                         .d_workspace = workspace,
                                         .workspace_bytes = bytes - less)),
            less == 0 ? WINNOW_OK : WINNOW_ERR_WORKSPACE, "%s",
            winnow_last_error());
        gpu_wait(backend->stream);
        gpu_free(workspace);
    }
    MUST(trial_close(&trial, report));
}

/* Every element of the sample has a thread: here the last one counts alone. */
GPU_TEST(backend, threads_of_an_estimate) {
    static const struct {
        uint64_t n;
        unsigned blocks;
    } cases[] = {{1, 1},       {256, 1},     {257, 2},
                 {4096, 16},   {4097, 17},   {65535, 256},
                 {65536, 256}, {65537, 256}, {UINT64_C(1) << 40, 256}};
    const winnow__constraints constraints = {.exchange = true, .ready = true};
    const int32_t zero = 0, one = 1;
    int32_t *const in = gpu_alloc(4097 * sizeof(*in));
    double *const result = gpu_alloc(sizeof(*result));
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_NE, &zero),
        WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint64_t n = cases[i].n;
        double seen;

        cr_assert_eq(plan_call(backend, WINNOW_INT32,
                               &winnow__estimate_operation, WINNOW_UNORDERED, n,
                               constraints)
                         .blocks,
                     cases[i].blocks, "n %llu", (unsigned long long)n);
        if (n > 4097)
            continue;
        GPU_MUST(cudaMemset(in, 0, 4097 * sizeof(*in)));
        gpu_copy(in + n - 1, &one, sizeof(one), NULL);
        cr_assert_eq(winnow_estimate_selectivity(
                         backend->context, predicate, WINNOW_INT32, in, n,
                         result, WINNOW_LAUNCH(.stream = backend->stream)),
                     WINNOW_OK, "%s", winnow_last_error());
        gpu_copy(&seen, result, sizeof(seen), backend->stream);
        cr_assert_eq(seen, 1.0 / (double)n, "n %llu: %g", (unsigned long long)n,
                     seen);
    }
    winnow_predicate_destroy(predicate);
    gpu_free(in);
    gpu_free(result);
}

/* --------------------------------------------------------------- clearing */

/* Several times what the threads store at once. */
GPU_TEST(backend, clears_all) {
    enum {
        WORDS = (1 << 20) / sizeof(uint64_t)
    };
    static uint64_t seen[WORDS];
    uint64_t *const memory = gpu_alloc(sizeof(seen));

    GPU_MUST(cudaMemset(memory, 0xff, sizeof(seen)));
    GPU_MUST(cudaDeviceSynchronize());
    GPU_MUST(winnow__clear(memory, sizeof(seen), backend->stream));
    gpu_copy(seen, memory, sizeof(seen), backend->stream);
    for (size_t i = 0; i < WORDS; i++)
        cr_assert_eq(seen[i], 0u, "word %zu", i);
    gpu_free(memory);
}

/* A stream that waits for no other finds what a context keeps ready cleared. */
GPU_TEST(backend, ready_from_the_first_call) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const struct strategy_row first = {WINNOW_GLOBAL_ATOMIC, WINNOW_UNORDERED,
                                       true, false, false};
    const uint64_t seed = simt_get_seed();
    struct backend another = *backend;
    struct trial trial;

    trial_open(&trial, &another, &rule, pattern_named("uniform:0.5"), 51, 5000,
               0);
    for (uint64_t i = 0; i < 20; i++) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.row = &first;
        call.n = trial.n;
        simt_seed(seed + i);
        MUST(trial_prepare(&trial, &call, report));
        GPU_MUST(cudaDeviceSynchronize());
        cr_assert_eq(winnow_context_create(&another.context, 0), WINNOW_OK);
        MUST(trial_enqueue(&trial, &call, report));
        MUST(trial_check(&trial, &call, report));
        winnow_context_destroy(another.context);
        another.context = backend->context;
    }
    simt_seed(seed);
    MUST(trial_close(&trial, report));
}

/* Captured, on other data each time: the states are cleared in the graph. Only
 * a block that looks back early would find those of the replay before. */
static void replay_scan(struct trial *trial, const struct strategy_row *row) {
    static const char *const later[] = {"uniform:0.5", "none", "all"};
    const cudaStream_t stream = trial->backend->stream;
    struct trial_call call = TRIAL_CALL_INIT;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    call.row = row;
    call.n = trial->n;
    call.workspace = WORKSPACE_OF_CONTEXT;
    MUST(trial_prepare(trial, &call, report));
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(trial_enqueue(trial, &call, report));
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t i = 0; i < 12; i++) {
        trial_reload(trial, pattern_named(later[i % 3]), 47 + i);
        MUST(trial_prepare(trial, &call, report));
        GPU_MUST(cudaGraphLaunch(exec, stream));
        MUST(trial_check(trial, &call, report));
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

/* More than a cluster, which needs none. */
GPU_TEST(backend, states_of_a_graph) {
    const uint64_t n = cut_at_most(UINT64_MAX, WINNOW__SHAPE_cluster_16) + 5000;
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 46, n, 0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    FOR_EACH_STRATEGY(row, true) {
        if (cut_is_ours(row) && row->strategy == WINNOW_TILE_SCAN)
            replay_scan(&trial, row);
    }
    MUST(trial_close(&trial, report));
}

/* --------------------------------------------------------------- launches */

/* Do the strategy's kernels wait by themselves for what comes before? */
static bool waits_itself(const struct strategy_row *row) {
    return row->strategy == WINNOW_AUTO ||
           row->strategy == WINNOW_TILE_AGGREGATED ||
           row->strategy == WINNOW_TILE_SCAN;
}

/* With memory of both kinds. */
static unsigned count_early_launches(struct trial *trial,
                                     const struct strategy_row *row) {
    const unsigned before = simt_early_launches();
    struct trial_call call = TRIAL_CALL_INIT;

    call.row = row;
    call.n = trial->n;
    MUST(trial_run(trial, &call, report));
    MUST(trial_run_in_place_too(trial, &call, report));
    return simt_early_launches() - before;
}

/* A kernel that does not itself wait may not begin early, and none does that
 * was compiled for an older device. */
Test(backend, early_launches) {
    const struct rule rule = rules_plain(WINNOW_INT32);

    for (int version = 80; version <= 90; version += 10) {
        struct backend backend;
        struct trial trial;

        simt_settings.ptx_version = version;
        backend_open_gpu(&backend);
        trial_open(&trial, &backend, &rule, pattern_named("uniform:0.5"), 43,
                   5000, 0);
        FOR_EACH_STRATEGY(row, true) {
            cr_assert_eq(count_early_launches(&trial, row) != 0,
                         version == 90 && waits_itself(row), "%s",
                         winnow_strategy_name(row->strategy));
        }
        MUST(trial_close(&trial, report));
        backend_close(&backend);
    }
}

/* CUB has what is behind the cursor: the CPU device's writes to all of that. */
GPU_TEST(backend, workspace_for_cub) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 44, 2000,
               0);
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;

        if (row->strategy != WINNOW_CUB_SCAN)
            continue;
        call.row = row;
        call.n = trial.n;
        call.workspace = WORKSPACE_GIVEN;
        MUST(trial_run_in_place_too(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------------- out of memory */

static char unwritten;

static void expect_no_context(const char *function, cudaError_t error,
                              winnow_status wanted) {
    winnow_context *const before = (winnow_context *)(void *)&unwritten;
    winnow_context *context = before;

    simt_fail(function, error, 0);
    cr_assert_eq(winnow_context_create(&context, 0), wanted, "%s: %s", function,
                 winnow_last_error());
    cr_assert_eq(context, before, "%s", function);
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "%s: an error is left to the caller", function);
}

/* Nor is anything left of a context that there is no memory for. */
Test(backend, no_memory_for_a_context) {
    expect_no_context("cudaMemPoolCreate", cudaErrorMemoryAllocation,
                      WINNOW_ERR_MEMORY);
    cr_assert_eq(simt_calls("cudaMemPoolDestroy"), 0u);
    expect_no_context("cudaMalloc", cudaErrorMemoryAllocation,
                      WINNOW_ERR_MEMORY);
    expect_no_context("cudaMalloc", cudaErrorUnknown, WINNOW_ERR_CUDA);
    cr_assert_eq(simt_calls("cudaFree"), 0u);
    expect_no_context("cudaStreamCreateWithFlags", cudaErrorUnknown,
                      WINNOW_ERR_CUDA);
    expect_no_context("cudaMemsetAsync", cudaErrorUnknown, WINNOW_ERR_CUDA);
    expect_no_context("cudaStreamSynchronize", cudaErrorUnknown,
                      WINNOW_ERR_CUDA);
    cr_assert_eq(simt_calls("cudaFree"), 3u);
    cr_assert_eq(simt_calls("cudaMemPoolCreate"), 6u);
    cr_assert_eq(simt_calls("cudaMemPoolDestroy"), 5u);
}

/* Nor of one for a device that the driver refuses, and the detail says what was
 * asked. */
Test(backend, refused_device) {
    static const struct {
        const char *function, *what;
    } cases[] = {
        {"cudaInitDevice", "starting the device"},
        {"cuDeviceGet", "asking for the device's context"},
        {"cuDevicePrimaryCtxRetain", "asking for the device's context"},
        {"cuDevicePrimaryCtxRelease", "asking for the device's context"},
        {"cudaDeviceGetAttribute", "asking about the device"},
        {"cuDeviceGetName", "asking for the device's name"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_no_context(cases[i].function, cudaErrorUnknown, WINNOW_ERR_CUDA);
        cr_assert_not_null(strstr(winnow_last_error(), cases[i].what), "%s: %s",
                           cases[i].function, winnow_last_error());
    }
}

/* A call that clears memory of the pool's, which there is none of. */
static void expect_no_workspace(const struct trial *trial, cudaError_t error,
                                winnow_status wanted) {
    const unsigned launches =
        simt_calls("cudaLaunchKernelExC") + simt_calls("cudaLaunchKernel");
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = trial->backend->stream,
                            .order = WINNOW_STABLE};

    simt_fail("cudaMallocFromPoolAsync", error, 0);
    cr_assert_eq(winnow_copy_if(trial->backend->context, trial->predicate,
                                trial->rule.type, trial->in.base, trial->n,
                                trial->out.base, WINNOW_NO_LIMIT,
                                (uint64_t *)trial->results.base, &launch),
                 wanted, "%s", winnow_last_error());
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    cr_assert_eq(simt_calls("cudaLaunchKernelExC") +
                     simt_calls("cudaLaunchKernel"),
                 launches);
}

/* The next call finds all as it was. */
GPU_TEST(backend, no_memory_for_a_call) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 45, 20000,
               0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    for (int i = 0; i < 2; i++) {
        expect_no_workspace(&trial, cudaErrorMemoryAllocation,
                            WINNOW_ERR_MEMORY);
        cr_assert_not_null(strstr(winnow_last_error(), "out of device memory"),
                           "%s", winnow_last_error());
        MUST(cut_run(&trial, trial.n, false, report));
        expect_no_workspace(&trial, cudaErrorUnknown, WINNOW_ERR_CUDA);
        MUST(cut_run(&trial, trial.n, false, report));
    }
    MUST(trial_close(&trial, report));
}

/* ----------------------------------------------------- calls that go wrong */

/* A call that takes memory of the pool's, and gives it back. */
static winnow_status run_scan(const struct trial *trial) {
    const unsigned taken = simt_calls("cudaMallocFromPoolAsync");
    winnow_launch launch = {.size = sizeof(launch),
                            .stream = trial->backend->stream,
                            .order = WINNOW_STABLE};
    winnow_status status;

    status = winnow_copy_if(trial->backend->context, trial->predicate,
                            trial->rule.type, trial->in.base, trial->n,
                            trial->out.base, WINNOW_NO_LIMIT,
                            (uint64_t *)trial->results.base, &launch);
    cr_assert_eq(simt_calls("cudaMallocFromPoolAsync"), taken + 1);
    cr_assert_eq(simt_calls("cudaFreeAsync"), taken + 1);
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
    return status;
}

/* What the pool does not take back is no error of the call, which is enqueued.
 */
GPU_TEST(backend, errors_of_a_call) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 48, 20000,
               0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    cr_assert_eq(run_scan(&trial), WINNOW_OK, "%s", winnow_last_error());
    simt_fail("cudaLaunchKernelExC", cudaErrorMemoryAllocation, 0);
    cr_assert_eq(run_scan(&trial), WINNOW_ERR_MEMORY);
    simt_fail("cudaFreeAsync", cudaErrorUnknown, 0);
    cr_assert_eq(run_scan(&trial), WINNOW_OK, "%s", winnow_last_error());
    simt_fail("cudaLaunchKernelExC", cudaErrorMemoryAllocation, 0);
    simt_fail("cudaFreeAsync", cudaErrorUnknown, 0);
    cr_assert_eq(run_scan(&trial), WINNOW_ERR_MEMORY);
    cr_assert_eq(run_scan(&trial), WINNOW_OK, "%s", winnow_last_error());
    gpu_wait(backend->stream);
    MUST(trial_close(&trial, report));
}

/* --------------------------------------------------- devices and contexts */

/* A count of ten zeros in memory of device 0, and one that is refused when the
 * device is current already. */
struct count {
    const struct backend *backend;
    const winnow_predicate *predicate;
    const int32_t *in;
    uint64_t *result;
    winnow_status status, refusal;
    void *before, *after; /* the current context */
};

static void *run_count(void *argument) {
    struct count *const count = argument;

    count->before = gpu_current_context();
    count->status = winnow_count_if(
        count->backend->context, count->predicate, WINNOW_INT32, count->in, 10,
        count->result, WINNOW_LAUNCH(.stream = count->backend->stream));
    count->refusal = winnow_count_if(
        count->backend->context, count->predicate, WINNOW_INT32, count->in, 11,
        count->result, WINNOW_LAUNCH(.stream = count->backend->stream));
    count->after = gpu_current_context();
    return NULL;
}

static void expect_count(const struct count *count) {
    uint64_t seen;

    cr_assert_eq(count->status, WINNOW_OK);
    cr_assert_eq(count->refusal, WINNOW_ERR_ARGUMENT);
    cr_assert_eq(count->after, count->before, "another context is current");
    gpu_copy(&seen, count->result, sizeof(seen), count->backend->stream);
    cr_assert_eq(seen, 10u);
    cr_assert_eq(simt_calls("cuCtxPushCurrent"), simt_calls("cuCtxPopCurrent"));
    cr_assert_eq(simt_device("cudaLaunchKernelExC"), 0);
}

/* The device's own context is current, or a part's of it, or another device's,
 * or, in a new thread, none. */
GPU_TEST(backend, current_context_stays) {
    const int32_t zero = 0;
    int32_t *const in = gpu_alloc(10 * sizeof(*in));
    uint64_t *const result = gpu_alloc(sizeof(*result));
    struct count count = {.backend = backend, .in = in, .result = result};
    winnow_predicate *predicate;
    struct part part;
    unsigned pushes;
    pthread_t thread;

    GPU_MUST(cudaMemset(in, 0, 10 * sizeof(*in)));
    GPU_MUST(cudaDeviceSynchronize());
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_EQ, &zero),
        WINNOW_OK);
    count.predicate = predicate;
    pushes = simt_calls("cuCtxPushCurrent");
    run_count(&count);
    expect_count(&count);
    cr_assert_eq(simt_calls("cuCtxPushCurrent"), pushes);
    cr_assert(part_open(&part, 1));
    part_enter(&part);
    run_count(&count);
    cr_assert_eq(simt_calls("cuCtxPushCurrent"), ++pushes);
    part_leave();
    part_close(&part);
    expect_count(&count);
    GPU_MUST(cudaSetDevice(1));
    run_count(&count);
    GPU_MUST(cudaSetDevice(0));
    expect_count(&count);
    cr_assert_eq(simt_calls("cuCtxPushCurrent"), pushes + 2);
    cr_assert_eq(pthread_create(&thread, NULL, run_count, &count), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_null(count.before);
    expect_count(&count);
    cr_assert_eq(simt_calls("cuCtxPushCurrent"), pushes + 4);
    winnow_predicate_destroy(predicate);
    gpu_free(in);
    gpu_free(result);
}

/* Nor does it change where a call is not run, and the device is asked. */
GPU_TEST(backend, current_context_stays_in_plans) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    winnow_plan plan = {.size = sizeof(plan)};
    const void *before;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 49, 1, 0);
    cut_into(backend, WINNOW__SHAPE_tile_scan_small);
    GPU_MUST(cudaSetDevice(1));
    before = gpu_current_context();
    cr_assert_eq(
        winnow_copy_if(backend->context, trial.predicate, trial.rule.type, NULL,
                       20000, NULL, WINNOW_NO_LIMIT, NULL,
                       WINNOW_LAUNCH(.order = WINNOW_STABLE, .plan = &plan)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(simt_device("cudaOccupancyMaxActiveBlocksPerMultiprocessor"),
                 0);
    cr_assert_eq(gpu_current_context(), before, "another context is current");
    GPU_MUST(cudaSetDevice(0));
    MUST(trial_close(&trial, report));
}

/* The runtime holds the primary context, and the library need not. */
GPU_TEST(backend, primary_context) {
    cr_assert_not_null(backend->context);
    cr_assert_eq(simt_calls("cuDevicePrimaryCtxRetain"), 1u);
    cr_assert_eq(simt_calls("cuDevicePrimaryCtxRelease"), 1u);
}

static void expect_no_device(int device, const char *detail) {
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, device), WINNOW_ERR_NO_DEVICE,
                 "%s", winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), detail), "%s",
                       winnow_last_error());
    cr_assert_eq(cudaGetLastError(), cudaSuccess,
                 "an error is left to the caller");
}

/* The last device is one, and the next is none. */
Test(backend, last_device) {
    for (int devices = 2; devices > 0; devices--) {
        winnow_context *context;

        simt_settings.devices = devices;
        cr_assert_eq(winnow_context_create(&context, devices - 1), WINNOW_OK,
                     "%s", winnow_last_error());
        winnow_context_destroy(context);
        expect_no_device(devices, devices == 2
                                      ? "device 2 does not exist: there are 2"
                                      : "device 1 does not exist: there is 1");
    }
    simt_settings.devices = 0;
    expect_no_device(0, "no CUDA device");
}

/* A context's memory is its device's, whichever is current. */
Test(backend, pool_of_the_device) {
    for (int device = 0; device < 2; device++) {
        winnow_context *context;

        cr_assert_eq(winnow_context_create(&context, device), WINNOW_OK, "%s",
                     winnow_last_error());
        cr_assert_eq(simt_pool_device(), device);
        winnow_context_destroy(context);
    }
}

/* All that is called has to be there. */
Test(backend, driver_too_old) {
    static const char *const functions[] = {"cuStreamGetId", "cuDeviceGet"};

    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        char detail[100];

        simt_settings.lacks = functions[i];
        snprintf(detail, sizeof(detail),
                 "the CUDA driver is too old: it has no %s", functions[i]);
        expect_no_device(0, detail);
    }
}

/* Memory of a device that cannot be made current any more is gone, and is not
 * given back; another device's would be. */
Test(backend, device_that_is_gone) {
    winnow_context *context;
    const void *before;

    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_OK, "%s",
                 winnow_last_error());
    GPU_MUST(cudaSetDevice(1));
    before = gpu_current_context();
    simt_fail("cuCtxPushCurrent", cudaErrorContextIsDestroyed, 0);
    winnow_context_destroy(context);
    cr_assert_eq(simt_calls("cudaFree"), 0u);
    cr_assert_eq(simt_calls("cudaMemPoolDestroy"), 0u);
    cr_assert_eq(gpu_current_context(), before);

    cr_assert_eq(winnow_context_create(&context, 0), WINNOW_OK, "%s",
                 winnow_last_error());
    winnow_context_destroy(context);
    cr_assert_eq(simt_calls("cudaFree"), 1u);
    cr_assert_eq(simt_device("cudaFree"), 0);
    cr_assert_eq(simt_calls("cudaMemPoolDestroy"), 1u);
    cr_assert_eq(gpu_current_context(), before);
}
