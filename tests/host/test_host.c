/*
 * The host backend: the same for any number of threads, and bit for bit what a
 * GPU gives.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "selected.h"
#include "suite.h"
#include "tasks.h"
#include "trial.h"

static const struct strategy_row *host_row(void) {
    FOR_EACH_STRATEGY(row, false)
    if (row->strategy == WINNOW_HOST && row->order == WINNOW_STABLE)
        return row;
    return NULL;
}

/* ----------------------------------------------------------------- threads */

static void set_threads(const struct backend *backend, unsigned threads) {
    cr_assert_eq(winnow_context_set_threads(backend->context, threads),
                 WINNOW_OK, "%s", winnow_last_error());
}

/* Each on inputs that are worth several threads, and of many chunks. */
Test(host, any_number_of_threads) {
    static const unsigned threads[] = {1, 2, 3, 4, 7, 0};
    static const winnow_type types[] = {WINNOW_INT8, WINNOW_BFLOAT16,
                                        WINNOW_FLOAT32, WINNOW_UINT64};
    const uint64_t bytes = reduced_mode() ? 5 << 20 : 9 << 20;
    struct backend backend;

    backend_open_host(&backend);
    for (size_t t = 0; t < 4; t++) {
        const struct rule rule = rules_plain(types[t]);
        const uint64_t n = bytes / winnow_type_size(types[t]) + 1;
        struct trial trial;

        trial_open(&trial, &backend, &rule, pattern_named("runs:1024"), 91, n,
                   3);
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            struct trial_call call = TRIAL_CALL_INIT;

            set_threads(&backend, threads[i]);
            call.row = host_row();
            call.n = n;
            MUST(trial_run(&trial, &call, report));
            call.capacity = n / 5;
            MUST(trial_run(&trial, &call, report));
            call.in_place = true;
            MUST(trial_run(&trial, &call, report));
            call.capacity = WINNOW_NO_LIMIT;
            MUST(trial_run(&trial, &call, report));
            call.in_place = false;
            call.operation = COUNT_IF;
            MUST(trial_run(&trial, &call, report));
        }
        MUST(trial_close(&trial, report));
    }
    backend_close(&backend);
}

/* Zeros, which all pass. */
struct zeros {
    struct backend backend;
    winnow_predicate *predicate;
    unsigned char *in;
    uint64_t n;
};

static void zeros_open(struct zeros *zeros, uint64_t n) {
    const uint8_t zero = 0;

    backend_open_host(&zeros->backend);
    zeros->in = calloc(n, 1);
    zeros->n = n;
    cr_assert_not_null(zeros->in);
    cr_assert_eq(winnow_predicate_compare(&zeros->predicate, WINNOW_UINT8,
                                          WINNOW_EQ, &zero),
                 WINNOW_OK);
}

static void zeros_close(struct zeros *zeros) {
    winnow_predicate_destroy(zeros->predicate);
    free(zeros->in);
    backend_close(&zeros->backend);
}

static bool zeros_count(const struct zeros *zeros, uint64_t n) {
    uint64_t count = 99;

    return winnow_count_if(zeros->backend.context, zeros->predicate,
                           WINNOW_UINT8, zeros->in, n, &count,
                           NULL) == WINNOW_OK &&
           count == n;
}

static bool zeros_copy(const struct zeros *zeros, void *out) {
    uint64_t count = 99;

    return winnow_copy_if(zeros->backend.context, zeros->predicate,
                          WINNOW_UINT8, zeros->in, zeros->n, out,
                          WINNOW_NO_LIMIT, &count,
                          WINNOW_LAUNCH(.order = WINNOW_STABLE)) == WINNOW_OK &&
           count == zeros->n;
}

/* As many as the context wants, and no more than the library has room for. */
Test(host, number_of_threads) {
    const unsigned before = count_threads();
    struct zeros zeros;

    zeros_open(&zeros, reduced_mode() ? 8 << 20 : 301 << 20);
    if (before == 0)
        cr_skip_test("no /proc/self/task");
    set_threads(&zeros.backend, 3);
    cr_assert_eq(count_threads(), before, "threads of a context without work");
    cr_assert(zeros_count(&zeros, zeros.n));
    cr_assert_eq(count_threads(), before + 2);
    set_threads(&zeros.backend, 300);
    cr_assert(zeros_count(&zeros, zeros.n));
    cr_assert_eq(count_threads(), before + (reduced_mode() ? 7 : 255));
    zeros_close(&zeros);
    cr_assert(threads_become(before), "threads outlive their context");
}

/* A call that one thread does at once starts none, and allocates nothing. */
Test(host, small_calls) {
    const unsigned before = count_threads();
    struct zeros zeros;

    zeros_open(&zeros, 1 << 20);
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
    const size_t used = mallinfo2().uordblks;
#endif
    cr_assert(zeros_count(&zeros, zeros.n));
    cr_assert(zeros_copy(&zeros, zeros.in));
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
    cr_assert_eq(mallinfo2().uordblks, used);
#endif
    cr_assert_eq(count_threads(), before);
    zeros_close(&zeros);
}

/* What a child of fork() does, with its parent's context and one of its own;
 * its exit status. A call that hangs is ended by the alarm. */
static int work_in_child(const struct zeros *zeros) {
    struct zeros own;

    alarm(60);
    if (!zeros_count(zeros, zeros->n) || !zeros_copy(zeros, zeros->in))
        return 1;
    zeros_open(&own, zeros->n);
    set_threads(&own.backend, 4);
    if (!zeros_count(&own, own.n) || !zeros_copy(&own, own.in))
        return 2;
    zeros_close(&own);
    winnow_context_destroy(zeros->backend.context);
    return 0;
}

#ifdef __SANITIZE_ADDRESS__
/* The switches that the other threads made of their own accord, where all of
 * them sleep; else -1. */
static long switches_of_sleepers(void) {
    DIR *const directory = opendir("/proc/self/task");
    long switches = 0;
    bool all_sleep = true;
    struct dirent *entry;

    cr_assert_not_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        char path[64], line[128];
        FILE *file;

        if (thread == 0 || thread == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)thread);
        file = fopen(path, "r");
        cr_assert_not_null(file);
        while (fgets(line, sizeof line, file) != NULL) {
            char state;
            long own;

            if (sscanf(line, "State: %c", &state) == 1)
                all_sleep = all_sleep && state == 'S';
            else if (sscanf(line, "voluntary_ctxt_switches: %ld", &own) == 1)
                switches += own;
        }
        fclose(file);
    }
    closedir(directory);
    return all_sleep ? switches : -1;
}
#endif

/* The sanitizer does not see to fork(): where a thread of the team is just
 * starting, the child may get the locks of its allocator locked, for ever. Who
 * sleeps at two looks, and did not wake up between them, holds none. */
static void let_threads_rest(void) {
#ifdef __SANITIZE_ADDRESS__
    for (long before = -1, now;; before = now) {
        now = switches_of_sleepers();
        if (now >= 0 && now == before)
            return;
        usleep(1000);
    }
#endif
}

Test(host, fork) {
    struct zeros zeros;
    int status = -1;

    zeros_open(&zeros, 1 << 22);
    set_threads(&zeros.backend, 4);
    cr_assert(zeros_count(&zeros, zeros.n));
    for (int i = 0; i < 3; i++) {
        pid_t child;

        let_threads_rest();
        child = fork();
        if (child == 0)
            _exit(work_in_child(&zeros));
        cr_assert_gt(child, 0);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0, "the child's status is %#x", (unsigned)status);
        cr_assert(zeros_count(&zeros, zeros.n), "the parent's next call");
    }
    zeros_close(&zeros);
}

static void *work_on_small_stack(void *argument) {
    const struct zeros *const zeros = argument;
    static unsigned char out[4 << 20];

    return zeros_copy(zeros, zeros->in) && zeros_copy(zeros, out) &&
                   zeros_count(zeros, zeros->n)
               ? NULL
               : argument;
}

Test(host, small_stack) {
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        pthread_attr_t attributes;
        struct zeros zeros;
        pthread_t thread;
        void *failed;

        zeros_open(&zeros, 4 << 20);
        set_threads(&zeros.backend, threads);
        pthread_attr_init(&attributes);
        cr_assert_eq(pthread_attr_setstacksize(&attributes, 64 << 10), 0);
        cr_assert_eq(
            pthread_create(&thread, &attributes, work_on_small_stack, &zeros),
            0);
        cr_assert_eq(pthread_join(thread, &failed), 0);
        cr_assert_null(failed);
        pthread_attr_destroy(&attributes);
        zeros_close(&zeros);
    }
}

/* A large expression, by threads that the library starts. */
Test(host, expressions_in_threads) {
    enum {
        ITEMS = 1 << 20
    };
    const winnow_field fields[] = {{.name = "x", .type = WINNOW_INT32},
                                   {.name = "y", .type = WINNOW_INT32}};
    const char *const text = "x * y + 3 * (x - y) < 700 or "
                             "(x + 1) * (y + 2) % 7 = 3";
    int32_t *const values = must_alloc(2 * ITEMS * sizeof(*values));
    const winnow_in columns[] = {
        {.type = WINNOW_INT32, .d_base = values},
        {.type = WINNOW_INT32, .d_base = values + ITEMS}};
    void *const selection = must_alloc(ITEMS);
    uint64_t wanted = 0, count = 0;
    winnow_condition *condition;
    struct backend backend;

    for (int i = 0; i < ITEMS; i++) {
        const int64_t x = i % 1009, y = i % 773;

        values[i] = (int32_t)x;
        values[ITEMS + i] = (int32_t)y;
        wanted += x * y + 3 * (x - y) < 700 || (x + 1) * (y + 2) % 7 == 3;
    }
    backend_open_host(&backend);
    set_threads(&backend, 4);
    cr_assert_eq(winnow_condition_parse(&condition, fields, 2, text),
                 WINNOW_OK);
    for (int call = 0; call < 20; call++) {
        cr_assert_eq(winnow_select_where(backend.context, condition, columns, 2,
                                         ITEMS, selection, ITEMS, NULL),
                     WINNOW_OK);
        cr_assert_eq(winnow_selection_count(backend.context, selection, ITEMS,
                                            &count, NULL),
                     WINNOW_OK);
        cr_assert_eq(count, wanted);
    }
    winnow_condition_destroy(condition);
    backend_close(&backend);
    free(selection);
    free(values);
}

/* Processes that are busy: one for each CPU. */
struct busy {
    int number;
    pid_t processes[16];
};

static void begin_busy(struct busy *busy) {
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    busy->number = cpus > 0 && cpus < 16 ? (int)cpus : 16;
    for (int i = 0; i < busy->number; i++) {
        busy->processes[i] = fork();
        cr_assert_geq(busy->processes[i], 0);
        if (busy->processes[i] == 0) {
            alarm(60); /* if nobody ends it */
            for (;;)
                continue;
        }
    }
}

static void end_busy(const struct busy *busy) {
    for (int i = 0; i < busy->number; i++) {
        kill(busy->processes[i], SIGKILL);
        waitpid(busy->processes[i], NULL, 0);
    }
}

static double used(void) {
    struct timespec time;

    cr_assert_eq(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time), 0);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Processor time that a call takes, as the mean of some. */
static double seconds_per_call(const struct zeros *zeros, unsigned threads) {
    const int calls = 40;
    double start;

    set_threads(&zeros->backend, threads);
    cr_assert(zeros_copy(zeros, zeros->in));
    start = used();
    for (int i = 0; i < calls; i++)
        cr_assert(zeros_copy(zeros, zeros->in));
    return (used() - start) / calls;
}

/* A thread that waits for another leaves it the CPU: where all are busy with
 * something else, many threads use little more of it than one. The clock on the
 * wall would tell how busy the machine is. */
Test(host, beside_busy_processes) {
    struct busy busy;
    struct zeros zeros;
    double alone, together;

    zeros_open(&zeros, 16 << 20);
    begin_busy(&busy);
    alone = seconds_per_call(&zeros, 1);
    together = seconds_per_call(&zeros, 4);
    end_busy(&busy);
    cr_log_info("%g ms with one thread, %g with four", 1e3 * alone,
                1e3 * together);
    /* Waking up takes some; who waits busily takes all turns of 3 ms and more. */
    cr_assert_lt(together, 2 * alone + 0.002);
    zeros_close(&zeros);
}

/* ------------------------------------------------------------ instructions */

/* Around the sizes of vectors, of steps and of what is counted at a time. */
static void run_isa(const struct backend *backend, const struct rule *rule) {
    static const uint64_t beyond[] = {4095, 4096, 4097, 9999};
    const uint64_t most = reduced_mode() ? 200 : 1050;
    struct trial trial;

    trial_open(&trial, backend, rule, pattern_named("uniform:0.5"), 93, 9999,
               1);
    for (uint64_t n = 0; n < most + 4; n += n < 140 || n >= most ? 1 : 37) {
        struct trial_call call = TRIAL_CALL_INIT;

        call.row = host_row();
        call.n = n < most ? n : beyond[(n - most) % 4];
        MUST(trial_run_in_place_too(&trial, &call, report));
        call.capacity = call.n / 3;
        MUST(trial_run(&trial, &call, report));
        call.capacity = WINNOW_NO_LIMIT;
        call.operation = COUNT_IF;
        MUST(trial_run(&trial, &call, report));
        call.operation = COPY_INDEX;
        call.wide = n % 2 == 1;
        MUST(trial_run(&trial, &call, report));
    }
    MUST(trial_close(&trial, report));
}

/* Bits, of whole words and of fewer. */
static void select_by_isa(const struct backend *backend,
                          const struct rule *rule) {
    static const uint64_t sizes[] = {1, 31, 32, 33, 1000};
    static unsigned char values[8 * 1000];
    static uint8_t keep[1000];
    const size_t bytes = element_size(rule->type);
    winnow_predicate *predicate;
    struct selected selected;

    cr_assert_eq(rule_create(rule, &predicate), WINNOW_OK);
    data_fill(rule, pattern_named("uniform:0.5"), 94, 1000, values);
    for (size_t i = 0; i < 1000; i++)
        keep[i] =
            oracle_keeps(rule, element_load(rule->type, values + i * bytes));
    selected_open(&selected, backend, 1000);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        selected_prepare(&selected, sizes[i]);
        cr_assert_eq(winnow_select_if(backend->context, predicate, rule->type,
                                      values, sizes[i], selected.d_selection,
                                      selected.bytes, NULL),
                     WINNOW_OK, "%s", winnow_last_error());
        MUST(selected_check(&selected, keep, report));
    }
    selected_close(&selected);
    winnow_predicate_destroy(predicate);
}

/* Of nothing, which may be nowhere. */
static void run_nowhere(const struct backend *backend) {
    const struct rule rule = rules_plain(WINNOW_INT16);
    winnow_predicate *predicate;
    uint64_t count = 99;

    cr_assert_eq(rule_create(&rule, &predicate), WINNOW_OK);
    cr_assert_eq(winnow_count_if(backend->context, predicate, WINNOW_INT16,
                                 NULL, 0, &count, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(count, 0u);
    count = 99;
    cr_assert_eq(winnow_copy_if(backend->context, predicate, WINNOW_INT16, NULL,
                                0, NULL, WINNOW_NO_LIMIT, &count, NULL),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(count, 0u);
    winnow_predicate_destroy(predicate);
}

Test(host, instructions) {
    unsigned run = 0;

    for (size_t i = 0; i < BACKEND_ISAS; i++) {
        struct backend backend;

        if (!backend_open_isa(&backend, backend_isas[i])) {
            /* With a warning Criterion's exit status would be 1. */
            cr_log_info("not tested: %s", winnow_last_error());
            continue;
        }
        run++;
        run_nowhere(&backend);
        FOR_EACH_TYPE(type) {
            struct rule rules[RULES_MOST];
            const size_t number = rules_all(type, rules);

            for (size_t r = 0; r < number; r += reduced_mode() ? 7 : 1) {
                run_isa(&backend, &rules[r]);
                select_by_isa(&backend, &rules[r]);
            }
        }
        backend_close(&backend);
    }
    cr_assert_geq(run, 1u);
}

/* Much is written past the caches, from and to every place in a line. */
Test(host, streamed) {
    const uint64_t bytes = reduced_mode() ? 0 : 40 << 20;

    for (size_t i = 0; i < BACKEND_ISAS && bytes; i++) {
        const struct rule rule = rules_plain(WINNOW_INT32);
        struct trial_call call = TRIAL_CALL_INIT;
        struct backend backend;
        struct trial trial;

        if (!backend_open_isa(&backend, backend_isas[i]))
            continue;
        call.row = host_row();
        call.n = bytes / 4;
        trial_open(&trial, &backend, &rule, pattern_named("uniform:0.5"), 94,
                   call.n, 1);
        for (unsigned threads = 1; threads <= 3; threads++) {
            set_threads(&backend, threads);
            call.out_offset = 5 * threads;
            MUST(trial_run_in_place_too(&trial, &call, report));
        }
        MUST(trial_close(&trial, report));
        backend_close(&backend);
    }
}

Test(host, unknown_instructions) {
    struct backend backend;

    cr_assert_not(backend_open_isa(&backend, "mmx"));
    cr_assert_not_null(strstr(winnow_last_error(), "'mmx'"), "%s",
                       winnow_last_error());
    cr_assert(backend_open_isa(&backend, ""));
    backend_close(&backend);
}

/* The call works before it returns: there is no stream to wait for. */
Test(host, synchronous) {
    const uint16_t in[] = {5, 1, 4, 1, 5, 9, 2, 6};
    const uint16_t four = 4;
    uint16_t out[8] = {0};
    uint64_t count = 99;
    int32_t ran = 99;
    winnow_predicate *predicate;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT16, WINNOW_GE, &four),
        WINNOW_OK);
    cr_assert_eq(winnow_copy_if(context, predicate, WINNOW_UINT16, in, 8, out,
                                WINNOW_NO_LIMIT, &count,
                                WINNOW_LAUNCH(.d_strategy = &ran)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(count, 5);
    cr_assert_eq(ran, WINNOW_HOST);
    cr_assert(memcmp(out, (uint16_t[]){5, 4, 5, 9, 6, 0, 0, 0}, 16) == 0);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

#ifdef WINNOW_CUDA
static void expect_equal(const struct trial *host, const struct trial *gpu,
                         size_t bytes, const char *what) {
    char rule[128];

    rule_describe(&host->rule, rule, sizeof(rule));
    cr_assert(memcmp(host->out.seen + REGION_GUARD,
                     gpu->out.seen + REGION_GUARD, bytes) == 0,
              "%s, n %zu, %s: the outputs differ", rule, (size_t)host->n, what);
}

/* The same call on both contexts: the bytes of the output and of the estimate,
 * which looks at the same sample everywhere. */
static void compare(const struct backend *host, const struct backend *gpu,
                    const struct rule *rule, const char *pattern, uint64_t n) {
    struct trial on_host, on_gpu;
    struct trial_call call = TRIAL_CALL_INIT;

    call.n = n;
    call.tolerance = 0.05;
    trial_open(&on_host, host, rule, pattern_named(pattern), 92, n, 0);
    trial_open(&on_gpu, gpu, rule, pattern_named(pattern), 92, n, 0);
    call.row = host_row();
    MUST(trial_run(&on_host, &call, report));
    FOR_EACH_STRATEGY(row, true) {
        if (row->stable) {
            call.row = row;
            MUST(trial_run(&on_gpu, &call, report));
            expect_equal(&on_host, &on_gpu, on_host.kept[n] * on_host.size,
                         winnow_strategy_name(row->strategy));
        }
    }
    call.operation = ESTIMATE;
    MUST(trial_run(&on_host, &call, report));
    MUST(trial_run(&on_gpu, &call, report));
    cr_assert(memcmp(trial_selectivity_seen(&on_host),
                     trial_selectivity_seen(&on_gpu), 8) == 0,
              "n %zu, %s: the estimates differ", (size_t)n, pattern);
    MUST(trial_close(&on_host, report));
    MUST(trial_close(&on_gpu, report));
}

GPU_TEST(host, equals_gpu) {
    static const uint64_t sizes[] = {0, 1, 1000, 65537, 400009};
    const size_t size_count = reduced_mode() ? 3 : 5;
    struct backend host;

    backend_open_host(&host);
    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t s = 0; s < size_count; s++) {
            compare(&host, backend, &rules[s], "uniform:0.5", sizes[s]);
            compare(&host, backend, &rules[6], "runs:32", sizes[s]);
            compare(&host, backend, &rules[7], "runs:1024", sizes[s]);
        }
    }
    backend_close(&host);
}
#endif
