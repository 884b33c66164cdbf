/*
 * One context under many threads and streams at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "trial.h"

#define THREADS 8
#define STREAMS 2

struct worker {
    struct backend backend; /* the shared context, a stream of two */
    winnow_type type;
    uint64_t n;
    int rounds;
    bool ok;
    struct report report;
    pthread_t thread;
};

/* Every call of the family in turn, on data of the thread's own. */
static bool run_calls(struct worker *worker, struct trial *trial, int round) {
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = worker->n - (uint64_t)round;
    call.tolerance = 0.05;
    FOR_EACH_STRATEGY(row, worker->backend.gpu) {
        call.row = row;
        if (!trial_run(trial, &call, &worker->report))
            return false;
    }
    call.operation = COUNT_IF;
    if (!trial_run(trial, &call, &worker->report))
        return false;
    call.operation = ESTIMATE;
    return trial_run(trial, &call, &worker->report);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    const struct rule rule = rules_plain(worker->type);
    struct trial trial;

    trial_open(&trial, &worker->backend, &rule, pattern_named("runs:32"),
               (uint64_t)worker->type, worker->n, 1);
    worker->ok = true;
    for (int round = 0; worker->ok && round < worker->rounds; round++)
        worker->ok = run_calls(worker, &trial, round);
    if (worker->ok)
        worker->ok = trial_close(&trial, &worker->report);
    return NULL;
}

static void run_on(const struct backend *backend, const winnow_stream *streams,
                   uint64_t n, int rounds) {
    struct worker workers[THREADS] = {{.ok = false}};

    for (int i = 0; i < THREADS; i++) {
        struct worker *worker = &workers[i];

        worker->backend = *backend;
        worker->backend.stream = streams[i % STREAMS];
        worker->type = element_type((uint64_t)i);
        worker->n = n + (uint64_t)i * 1000;
        worker->rounds = rounds;
        cr_assert_eq(pthread_create(&worker->thread, NULL, work, worker), 0);
    }
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        cr_assert(workers[i].ok, "thread %d: %s", i, workers[i].report.text);
}

static void run_threads(const struct backend *backend, uint64_t n, int rounds) {
    winnow_stream streams[STREAMS] = {NULL, NULL};

#ifdef WINNOW_CUDA
    for (int i = 0; backend->gpu && i < STREAMS; i++)
        streams[i] = gpu_stream_create();
#endif
    run_on(backend, streams, n, rounds);
#ifdef WINNOW_CUDA
    for (int i = 0; backend->gpu && i < STREAMS; i++)
        gpu_stream_destroy(streams[i]);
#endif
}

BACKEND_TEST(concurrency, eight_threads_small) {
    run_threads(backend, 3000, reduced_mode() ? 2 : 60);
}

BACKEND_TEST(concurrency, eight_threads_large) {
    run_threads(backend, reduced_mode() ? 10000 : 500000,
                reduced_mode() ? 1 : 8);
}

/* One predicate that all threads use while others are made and freed. */
struct sharer {
    struct trial *trial;
    uint64_t count[2]; /* poison behind the count */
    uint64_t wanted;
    bool ok;
    pthread_t thread;
};

static void *share(void *argument) {
    struct sharer *sharer = argument;
    const struct trial *trial = sharer->trial;

    sharer->ok = true;
    for (int i = 0; sharer->ok && i < 200; i++) {
        winnow_predicate *other = NULL;

        sharer->count[0] = sharer->count[1] = UINT64_MAX;
        sharer->ok = rule_create(&trial->rule, &other) == WINNOW_OK &&
                     winnow_count_if(trial->backend->context, trial->predicate,
                                     trial->rule.type, trial->in.base, trial->n,
                                     &sharer->count[0], NULL) == WINNOW_OK &&
                     sharer->count[0] == sharer->wanted &&
                     sharer->count[1] == UINT64_MAX;
        winnow_predicate_destroy(other);
    }
    return NULL;
}

Test(concurrency, one_predicate_host) {
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct sharer sharers[THREADS];
    struct backend backend;
    struct trial trial;

    backend_open_host(&backend);
    trial_open(&trial, &backend, &rule, pattern_named("uniform:0.5"), 71, 9999,
               0);
    for (int i = 0; i < THREADS; i++) {
        sharers[i].trial = &trial;
        sharers[i].wanted = trial.kept[trial.n];
        cr_assert_eq(
            pthread_create(&sharers[i].thread, NULL, share, &sharers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(pthread_join(sharers[i].thread, NULL), 0);
        cr_assert(sharers[i].ok, "thread %d: %s", i, winnow_last_error());
    }
    MUST(trial_close(&trial, report));
    backend_close(&backend);
}

#ifdef WINNOW_CUDA
/* One handle that means another stream in each thread. */
GPU_TEST(concurrency, a_stream_per_thread) {
    const winnow_stream streams[STREAMS] = {cudaStreamPerThread,
                                            cudaStreamPerThread};

    run_on(backend, streams, 3000, reduced_mode() ? 2 : 60);
}

/* A thread that has nothing to do with CUDA but for its calls of winnow. */
struct newcomer {
    struct trial *trial;
    const struct trial_call *call; /* NULL: it asks for workspaces alone */
    bool ok;
    const void *driver_context; /* that it has afterwards */
    struct report report;
};

static bool ask(const struct trial *trial) {
    FOR_EACH_STRATEGY(row, true) {
        winnow_plan plan = {.size = sizeof(plan)};

        if (winnow_copy_if(
                trial->backend->context, trial->predicate, trial->rule.type,
                NULL, trial->n, NULL, WINNOW_NO_LIMIT, NULL,
                WINNOW_LAUNCH(.order = row->order, .strategy = row->strategy,
                              .plan = &plan)) != WINNOW_OK)
            return false;
    }
    return true;
}

static void *come(void *argument) {
    struct newcomer *newcomer = argument;

    newcomer->ok =
        newcomer->call == NULL
            ? ask(newcomer->trial)
            : trial_enqueue(newcomer->trial, newcomer->call, &newcomer->report);
    newcomer->driver_context = gpu_current_context();
    /* Such a thread must not end while its stream is busy: winnow(7). */
    if (newcomer->trial->backend->stream == cudaStreamPerThread)
        newcomer->ok = newcomer->ok && cudaStreamSynchronize(
                                           cudaStreamPerThread) == cudaSuccess;
    return NULL;
}

static void run_newcomer(struct trial *trial, const struct trial_call *call) {
    struct newcomer newcomer = {.trial = trial, .call = call};
    pthread_t thread;

    cr_assert_eq(pthread_create(&thread, NULL, come, &newcomer), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert(newcomer.ok, "%s", newcomer.report.text);
    cr_assert_null(newcomer.driver_context, "it was left a context of CUDA's");
}

/* Each call is the first that its thread makes, on streams of every kind. */
GPU_TEST(concurrency, new_threads) {
    const winnow_stream streams[] = {backend->stream, NULL, cudaStreamLegacy,
                                     cudaStreamPerThread};
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 20000 : 200000;
    struct backend another = *backend;
    struct trial trial;

    trial_open(&trial, &another, &rule, pattern_named("uniform:0.5"), 90, n, 0);
    run_newcomer(&trial, NULL); /* who has to ask the device, for the context */
    for (size_t s = 0; s < sizeof(streams) / sizeof(streams[0]); s++)
        FOR_EACH_STRATEGY(row, true) {
            struct trial_call call = TRIAL_CALL_INIT;

            call.row = row;
            call.n = n;
            MUST(trial_prepare(&trial, &call, report));
            GPU_MUST(cudaDeviceSynchronize());
            another.stream = streams[s];
            run_newcomer(&trial, &call);
            another.stream = backend->stream;
            GPU_MUST(cudaDeviceSynchronize());
            MUST(trial_check(&trial, &call, report));
        }
    MUST(trial_close(&trial, report));
}

/* A context, a call that is refused, and the context's end, in a thread that
 * has done nothing else with CUDA. */
static void *make_a_context(void *argument) {
    struct newcomer *newcomer = argument;
    const struct trial *trial = newcomer->trial;
    winnow_context *context = NULL;
    int32_t of_the_host = 0;
    uint64_t count = 0;

    newcomer->ok =
        winnow_context_create(&context, 0) == WINNOW_OK &&
        winnow_count_if(context, trial->predicate, trial->rule.type,
                        &of_the_host, 1, &count, NULL) == WINNOW_ERR_ARGUMENT &&
        winnow_count_if(context, trial->predicate, trial->rule.type,
                        trial->in.base, 1, NULL, NULL) == WINNOW_ERR_ARGUMENT;
    winnow_context_destroy(context);
    newcomer->driver_context = gpu_current_context();
    return NULL;
}

GPU_TEST(concurrency, new_thread_makes_a_context) {
    const struct rule rule = rules_plain(WINNOW_INT32);
    struct newcomer newcomer = {.ok = false};
    struct trial trial;
    pthread_t thread;

    trial_open(&trial, backend, &rule, pattern_named("uniform:0.5"), 91, 1000,
               0);
    newcomer.trial = &trial;
    cr_assert_eq(pthread_create(&thread, NULL, make_a_context, &newcomer), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert(newcomer.ok);
    cr_assert_null(newcomer.driver_context, "it was left a context of CUDA's");
    MUST(trial_close(&trial, report));
}

/*
 * More streams than anybody would keep something ready for, all in flight
 * before the first is looked at, and some of them destroyed and made anew.
 */
GPU_TEST(concurrency, LONG(many_streams)) {
    enum {
        MANY = 100
    };
    static struct backend backends[MANY];
    static struct trial trials[MANY];
    const struct rule rule = rules_plain(WINNOW_INT32);
    const uint64_t n = reduced_mode() ? 1000 : 20000;

    for (int i = 0; i < MANY; i++) {
        backends[i] = *backend;
        backends[i].stream = gpu_stream_create();
        trial_open(&trials[i], &backends[i], &rule,
                   pattern_named("uniform:0.5"), (uint64_t)i, n, 0);
    }
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.row = row;
        call.n = n;
        call.workspace = WORKSPACE_OF_CONTEXT;
        for (int i = 0; i < MANY; i++)
            MUST(trial_prepare(&trials[i], &call, report));
        for (int i = 0; i < MANY; i++)
            MUST(trial_enqueue(&trials[i], &call, report));
        for (int i = 0; i < MANY; i++)
            MUST(trial_check(&trials[i], &call, report));
        for (int i = 0; i < MANY; i += 3) {
            gpu_stream_destroy(backends[i].stream);
            backends[i].stream = gpu_stream_create();
        }
    }
    for (int i = 0; i < MANY; i++) {
        MUST(trial_close(&trials[i], report));
        gpu_stream_destroy(backends[i].stream);
    }
}

/* Calls that follow each other on a stream without a wait between them. */
GPU_TEST(concurrency, back_to_back) {
    enum {
        CALLS = 16
    };
    static struct trial trials[CALLS];
    const struct rule rule = rules_plain(WINNOW_UINT16);
    const uint64_t n = reduced_mode() ? 1000 : 50000;

    for (int i = 0; i < CALLS; i++)
        trial_open(&trials[i], backend, &rule, pattern_named("uniform:0.5"),
                   80 + (uint64_t)i, n, 0);
    FOR_EACH_STRATEGY(row, true) {
        struct trial_call calls[CALLS];

        for (int i = 0; i < CALLS; i++) {
            calls[i] = (struct trial_call)TRIAL_CALL_INIT;
            calls[i].row = row;
            calls[i].n = n - (uint64_t)i;
            calls[i].operation = i % 4 == 3 ? COUNT_IF : COPY_IF;
            calls[i].workspace = WORKSPACE_OF_CONTEXT;
            MUST(trial_prepare(&trials[i], &calls[i], report));
        }
        for (int i = 0; i < CALLS; i++)
            MUST(trial_enqueue(&trials[i], &calls[i], report));
        for (int i = 0; i < CALLS; i++)
            MUST(trial_check(&trials[i], &calls[i], report));
    }
    for (int i = 0; i < CALLS; i++)
        MUST(trial_close(&trials[i], report));
}
#endif
