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
        worker->type = (winnow_type)i;
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
        sharer->ok =
            rule_create(&trial->rule, &other) == WINNOW_OK &&
            winnow_count_if(trial->backend->context, trial->predicate,
                            trial->in.base, trial->n, &sharer->count[0], NULL,
                            0, NULL) == WINNOW_OK &&
            sharer->count[0] == sharer->wanted &&
            sharer->count[1] == UINT64_MAX;
        winnow_predicate_destroy(other);
    }
    return NULL;
}

Test(concurrency, one_predicate_host, .timeout = SUITE_TIMEOUT) {
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

/*
 * More streams than anybody would keep something ready for, all in flight
 * before the first is looked at, and some of them destroyed and made anew.
 */
GPU_TEST(concurrency, many_streams) {
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
