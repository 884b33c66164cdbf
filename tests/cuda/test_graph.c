/*
 * CUDA graphs: every call can be captured, and its replays are right on data
 * that came later, whichever strategy AUTO then chooses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

/* What the data turns into from replay to replay. */
static const char *const later[] = {"none",      "uniform:0.01", "all",
                                    "runs:1024", "uniform:0.99", "uniform:0.5"};
#define REPLAYS (sizeof(later) / sizeof(later[0]))

/* Capture one call. Global mode: nothing that might synchronise is allowed. */
static cudaGraph_t capture(struct trial *trial, const struct trial_call *call) {
    const cudaStream_t stream = trial->backend->stream;
    cudaGraph_t graph;

    MUST(trial_prepare(trial, call, report));
    GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(trial_enqueue(trial, call, report));
    GPU_MUST(cudaStreamEndCapture(stream, &graph));
    cr_assert_not_null(graph, "the capture came to nothing");
    return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;

    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static void replay(struct trial *trial, const struct trial_call *call,
                   cudaGraphExec_t exec) {
    MUST(trial_prepare(trial, call, report));
    GPU_MUST(cudaGraphLaunch(exec, trial->backend->stream));
    MUST(trial_check(trial, call, report));
}

/* Capture once, replay on other data each time, and with another bound. */
static void run_graph(struct trial *trial, const struct trial_call *call) {
    const cudaGraph_t graph = capture(trial, call);
    const cudaGraphExec_t exec = instantiate(graph);

    struct trial_call again = *call;

    for (size_t i = 0; i < REPLAYS; i++) {
        trial_reload(trial, pattern_named(later[i]), 40 + i);
        again.d_n = data_random(41, i) % (call->n + 2);
        replay(trial, &again, exec);
    }
    replay(trial, &again, exec); /* and twice on the same */
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
}

static void run_graphs(const struct backend *backend, winnow_type type,
                       uint64_t n, enum workspace workspace) {
    static const double hints[] = {0, 1e-9, 0.01, 1};
    const struct rule rule = rules_plain(type);
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 31, n, 1);
    FOR_EACH_STRATEGY(row, true) {
        const size_t hint_count = row->strategy == WINNOW_AUTO ? 4 : 1;

        for (size_t i = 0; i < hint_count; i++) {
            struct trial_call call = TRIAL_CALL_INIT;
            call.row = row;
            call.n = n;
            call.workspace = workspace;
            call.hint = hints[i];
            run_graph(&trial, &call);
            call.capacity = n / 4;
            call.in_place = row->order == WINNOW_STABLE;
            run_graph(&trial, &call);
            call.operation = COPY_INDEX;
            call.in_place = false;
            run_graph(&trial, &call);
            if (!strategy_is_bounded(row))
                continue;
            call.bound = i % 2 == 0 ? BOUND_IN_COUNT : BOUND_APART;
            run_graph(&trial, &call);
            call.operation = COPY_IF;
            run_graph(&trial, &call);
        }
    }
    for (enum operation operation = COUNT_IF; operation <= ESTIMATE;
         operation++) {
        struct trial_call call = TRIAL_CALL_INIT;
        call.operation = operation;
        call.n = n;
        call.workspace = workspace;
        call.tolerance = 0.05;
        run_graph(&trial, &call);
        call.bound = BOUND_APART;
        run_graph(&trial, &call);
    }
    MUST(trial_close(&trial, report));
}

/* Many tiles, a cluster of them, a single one, and none. */
static void run_graph_sizes(const struct backend *backend,
                            enum workspace workspace) {
    const uint64_t n = reduced_mode() ? 3000 : 300011;

    run_graphs(backend, WINNOW_INT32, n, workspace);
    run_graphs(backend, WINNOW_UINT8, n / 10, workspace);
    run_graphs(backend, WINNOW_INT16, n / 100, workspace);
    run_graphs(backend, WINNOW_INT64, 0, workspace);
}

GPU_TEST(graph, LONG(workspace_given)) {
    run_graph_sizes(backend, WORKSPACE_GIVEN);
}

GPU_TEST(graph, LONG(workspace_of_context)) {
    run_graph_sizes(backend, WORKSPACE_OF_CONTEXT);
}

/* A context that is created while a stream is captured, and the first calls with
 * it are the ones that are captured. */
GPU_TEST(graph, context_of_a_capture) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = 30001;
    struct backend own = *backend;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 33, n, 0);
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;
        cudaStream_t const stream = backend->stream;
        cudaGraphExec_t exec;
        cudaGraph_t graph;

        call.row = row;
        call.n = n;
        call.workspace = WORKSPACE_OF_CONTEXT;
        MUST(trial_prepare(&trial, &call, report));
        GPU_MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        cr_assert_eq(winnow_context_create(&own.context, 0), WINNOW_OK, "%s",
                     winnow_last_error());
        trial.backend = &own;
        MUST(trial_enqueue(&trial, &call, report));
        trial.backend = backend;
        GPU_MUST(cudaStreamEndCapture(stream, &graph));
        exec = instantiate(graph);
        GPU_MUST(cudaGraphDestroy(graph));
        replay(&trial, &call, exec);
        GPU_MUST(cudaGraphExecDestroy(exec));
        winnow_context_destroy(own.context);
    }
    MUST(trial_close(&trial, report));
}

/* One graph, two instances, launched in turn. */
GPU_TEST(graph, two_instances) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 3000 : 300007;
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 32, n, 0);
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;
        cudaGraphExec_t first, second;
        cudaGraph_t graph;

        call.row = row;
        call.n = n;
        /* CUDA instantiates a graph that allocates only once at a time. */
        call.workspace = WORKSPACE_GIVEN;
        graph = capture(&trial, &call);
        first = instantiate(graph);
        second = instantiate(graph);
        GPU_MUST(cudaGraphDestroy(graph));
        for (size_t i = 0; i < REPLAYS; i++) {
            trial_reload(&trial, pattern_named(later[i]), 50 + i);
            replay(&trial, &call, i & 1 ? first : second);
            replay(&trial, &call, i & 1 ? second : first);
        }
        GPU_MUST(cudaGraphExecDestroy(first));
        GPU_MUST(cudaGraphExecDestroy(second));
    }
    MUST(trial_close(&trial, report));
}

/*
 * Two graphs captured on one stream, with memory of the context's or with
 * workspaces of their own, running at once on two streams, while plain calls
 * use the context on a third: what they took must not be shared.
 */
static void run_at_the_same_time(const struct backend *backend,
                                 enum workspace workspace) {
    const struct rule rule = rules_plain(WINNOW_UINT32);
    const uint64_t n = reduced_mode() ? 3000 : 1000003;
    const int rounds = reduced_mode() ? 2 : 8;
    struct trial trials[3];
    cudaStream_t streams[2];

    for (int i = 0; i < 3; i++)
        trial_open(&trials[i], backend, &rule, pattern_named(later[3 + i]),
                   60 + (uint64_t)i, n, 0);
    for (int i = 0; i < 2; i++)
        streams[i] = gpu_stream_create();
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;
        cudaGraphExec_t execs[2];

        call.row = row;
        call.n = n;
        call.workspace = workspace;
        for (int i = 0; i < 2; i++) {
            const cudaGraph_t graph = capture(&trials[i], &call);
            execs[i] = instantiate(graph);
            GPU_MUST(cudaGraphDestroy(graph));
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 3; i++)
                MUST(trial_prepare(&trials[i], &call, report));
            for (int i = 0; i < 2; i++)
                GPU_MUST(cudaGraphLaunch(execs[i], streams[i]));
            MUST(trial_enqueue(&trials[2], &call, report));
            for (int i = 0; i < 2; i++)
                gpu_wait(streams[i]);
            for (int i = 0; i < 3; i++)
                MUST(trial_check(&trials[i], &call, report));
        }
        for (int i = 0; i < 2; i++)
            GPU_MUST(cudaGraphExecDestroy(execs[i]));
    }
    for (int i = 0; i < 2; i++)
        gpu_stream_destroy(streams[i]);
    for (int i = 0; i < 3; i++)
        MUST(trial_close(&trials[i], report));
}

GPU_TEST(graph, at_the_same_time) {
    run_at_the_same_time(backend, WORKSPACE_OF_CONTEXT);
}

GPU_TEST(graph, at_the_same_time_in_workspaces) {
    run_at_the_same_time(backend, WORKSPACE_GIVEN);
}

/*
 * More workspaces captured than anybody would keep something ready for, their
 * graphs all alive and launched one after the other; twice.
 */
GPU_TEST(graph, LONG(many_workspaces)) {
    enum {
        MANY = 300
    };
    static cudaGraphExec_t execs[MANY];
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 6000 : 20000;
    const cudaStream_t stream = backend->stream;
    const winnow_order orders[] = {WINNOW_UNORDERED, WINNOW_STABLE};
    struct trial trial;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 33, n, 0);
    uint64_t *const d_counts = gpu_alloc(MANY * sizeof(*d_counts));
    for (int o = reduced_mode() ? 1 : 0; o < 2; o++) {
        winnow_plan plan = {.size = sizeof(plan)};
        uint64_t counts[MANY];
        size_t bytes;

        cr_assert_eq(
            winnow_copy_if(backend->context, trial.predicate, WINNOW_INT32,
                           NULL, n, NULL, WINNOW_NO_LIMIT, NULL,
                           WINNOW_LAUNCH(.order = orders[o], .plan = &plan)),
            WINNOW_OK);
        bytes = (plan.workspace_bytes + 255) / 256 * 256;
        char *const workspaces = gpu_alloc(MANY * bytes);
        GPU_MUST(cudaMemset(workspaces, 0xa5, MANY * bytes));
        for (int i = 0; i < MANY; i++) {
            cudaGraph_t graph;

            GPU_MUST(
                cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            cr_assert_eq(
                winnow_copy_if(
                    backend->context, trial.predicate, WINNOW_INT32,
                    trial.in.base, n, trial.out.base, WINNOW_NO_LIMIT,
                    d_counts + i,
                    WINNOW_LAUNCH(.stream = stream, .order = orders[o],
                                  .d_workspace = workspaces + i * bytes,
                                  .workspace_bytes = bytes)),
                WINNOW_OK, "%s", winnow_last_error());
            GPU_MUST(cudaStreamEndCapture(stream, &graph));
            execs[i] = instantiate(graph);
            GPU_MUST(cudaGraphDestroy(graph));
        }
        for (int round = 0; round < 2; round++) {
            GPU_MUST(cudaMemset(d_counts, 0xa5, sizeof(counts)));
            GPU_MUST(cudaDeviceSynchronize());
            for (int i = 0; i < MANY; i++)
                GPU_MUST(cudaGraphLaunch(execs[i], stream));
            gpu_copy(counts, d_counts, sizeof(counts), stream);
            gpu_wait(stream);
            for (int i = 0; i < MANY; i++)
                cr_assert_eq(counts[i], trial.kept[n], "graph %d", i);
        }
        for (int i = 0; i < MANY; i++)
            GPU_MUST(cudaGraphExecDestroy(execs[i]));
        gpu_free(workspaces);
    }
    gpu_free(d_counts);
    MUST(trial_close(&trial, report));
}
