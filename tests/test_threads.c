/*
 * Many threads and one context: each thread runs the scenario on arrays of its
 * own, while others make and destroy contexts, change the number of the context's
 * threads, and fork: the child makes a call with the same context, whatever the
 * others are in the middle of. Without a test framework, for ThreadSanitizer and for hours
 * (tools/soak): then memory has to stay flat. ThreadSanitizer goes along with fork()
 * where the child starts no threads, and nobody's locks are held in it: a child that
 * hangs there waits for a lock of the library's.
 *
 * usage: test_threads [THREADS [SECONDS [SEED]]]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scenario/scenario.h"

/* clang has no such macro. */
#ifdef __has_feature
#define SANITIZED __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum {
    MOST_THREADS = 64,
    MOST_MORE = 16 << 20 /* bytes that the process may grow by */
};

static struct worker {
    struct scenario scenario;
    pthread_t thread;
    uint64_t state, calls;
} workers[MOST_THREADS];

static winnow_context *shared;
static unsigned seconds;
static time_t end;
static atomic_bool over;

static uint64_t draw(struct worker *worker, uint64_t below) {
    uint64_t x = worker->state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % below;
}

static void fail(const struct scenario_step *step, const char *what) {
    fprintf(stderr, "test_threads: %s: %s\n", step->name, what);
    exit(1);
}

static void run_step(struct worker *worker, const struct scenario_step *step) {
    if (scenario_run(&worker->scenario, step) != WINNOW_OK)
        fail(step, winnow_last_error());
    if (worker->scenario.wrong[0] != '\0')
        fail(step, worker->scenario.wrong);
    worker->calls++;
}

/* All steps; for as long as there is time, any. */
static void *work(void *argument) {
    struct worker *const worker = argument;
    struct scenario *const s = &worker->scenario;
    const struct scenario_step *step;
    winnow_context *const own = s->backend.context;
    size_t steps = 0;
    s->backend.context = shared;
    while ((step = scenario_step_at(s, steps)) != NULL) {
        run_step(worker, step);
        steps++;
    }
    while (time(NULL) < end)
        run_step(worker, scenario_step_at(s, draw(worker, steps)));
    s->backend.context = own;
    return NULL;
}

static struct scenario of_children;
static size_t steps_of_children;

/* A step in a child. What hangs there is ended by the alarm. */
static int run_in_child(const struct scenario_step *step) {
    alarm(120);
    const winnow_status status = scenario_run(&of_children, step);
    if (status != WINNOW_OK || of_children.wrong[0] != '\0') {
        fprintf(stderr, "test_threads: a child: %s: %s; %s\n", step->name,
                winnow_last_error(), of_children.wrong);
        return 1;
    }
    return 0;
}

static void fork_and_run(unsigned number) {
    const struct scenario_step *step =
        scenario_step_at(&of_children, number % steps_of_children);
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(run_in_child(step));
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "test_threads: %s in a child: status %#x\n", step->name,
                (unsigned)status);
        exit(1);
    }
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument) {
    if (pthread_create(thread, NULL, run, argument) != 0) {
        perror("test_threads: a thread");
        exit(1);
    }
}

/* A lock of the library's own, which two threads have nearly always: the child is
 * not to wait for it. */
static atomic_bool locking = true;

static void *use_lock(void *unused) {
    while (atomic_load(&locking))
        if (winnow_cache_set(NULL, 0) != WINNOW_OK)
            exit(1);
    return unused;
}

static void fork_at_locks(void) {
    pthread_t users[2];
    for (int i = 0; i < 2; i++)
        start(&users[i], use_lock, NULL);
    for (int i = 0; i < 100; i++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            _exit(winnow_cache_set(NULL, 0) != WINNOW_OK);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "test_threads: a child: status %#x\n",
                    (unsigned)status);
            exit(1);
        }
    }
    atomic_store(&locking, false);
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
}

/* What a program may do beside them. */
static void *disturb(void *unused) {
    winnow_context *const own = of_children.backend.context;
    (void)unused;
    of_children.backend.context = shared;
    for (unsigned i = 0; !atomic_load(&over); i++) {
        winnow_context *context;
        if (winnow_context_set_threads(shared, i % 5) != WINNOW_OK ||
            winnow_context_create(&context, WINNOW_DEVICE_HOST) != WINNOW_OK)
            exit(1);
        winnow_context_destroy(context);
        fork_and_run(i);
        usleep(2000);
    }
    of_children.backend.context = own;
    return NULL;
}

static uint64_t resident(void) {
    FILE *const file = fopen("/proc/self/statm", "r");
    unsigned long long all, pages = 0;
    if (file == NULL || fscanf(file, "%llu %llu", &all, &pages) != 2)
        exit(1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Everything is in use by the first minute. */
static void watch_memory(void) {
    const unsigned first = seconds < 120 ? seconds / 2 : 60;
    if (seconds < 20)
        return;
    sleep(first);
    const uint64_t before = resident();
    sleep(seconds - first);
    const uint64_t after = resident();
    printf("test_threads: %" PRIu64 " bytes are resident, %" PRIu64
           " at the end\n",
           before, after);
    if (after > before + MOST_MORE)
        exit(1);
}

int main(int argc, char **argv) {
    const unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 32;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    pthread_t disturber;
    uint64_t calls = 0;
    seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    if (winnow_context_create(&shared, WINNOW_DEVICE_HOST) != WINNOW_OK)
        return 1;
    fork_at_locks();
    end = seconds > 0 ? time(NULL) + (time_t)seconds : 0;
    for (unsigned i = 0; i < threads; i++) {
        workers[i].state = seed << 8 | i;
        scenario_open(&workers[i].scenario, false,
                      seconds > 0 ? 1 + draw(&workers[i], SCENARIO_MOST)
                                  : 500 + 100 * i);
        start(&workers[i].thread, work, &workers[i]);
    }
    scenario_open(&of_children, false, 300);
#if SANITIZED
    of_children.threads = 1; /* it starts no thread in a child of threads */
#endif
    while (scenario_step_at(&of_children, steps_of_children) != NULL)
        steps_of_children++;
    start(&disturber, disturb, NULL);
    watch_memory();
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        scenario_close(&workers[i].scenario);
        calls += workers[i].calls;
    }
    atomic_store(&over, true);
    pthread_join(disturber, NULL);
    scenario_close(&of_children);
    winnow_context_destroy(shared);
    printf("test_threads: %u threads, seed %" PRIu64 ": %" PRIu64
           " calls were right\n",
           threads, seed, calls);
    return 0;
}
