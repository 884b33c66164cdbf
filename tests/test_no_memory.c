/*
 * A host without memory: each allocation of a call fails once. The call then
 * says that there is no memory, or does without, and has freed what it had.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <winnow.h>

#include "calls/memory.h"
#include "failing_malloc.h"
#include "scenario/scenario.h"
#include "suite.h"

#ifdef FAILING_MALLOC
#define N 300000

/* What the calls below work on. */
struct work {
    winnow_context *context;
    winnow_condition *condition;
    int32_t in[N], out[N];
    uint32_t keys[N], keys_out[N];
    uint64_t count;
};
static struct work work;

static winnow_status create(const winnow_launch *launch) {
    winnow_context *context;
    (void)launch;
    winnow_status status = winnow_context_create(&context, WINNOW_DEVICE_HOST);
    if (status == WINNOW_OK)
        winnow_context_destroy(context);
    return status;
}

static winnow_status make_predicate(const winnow_launch *launch) {
    const int32_t least = 3, most = 7;
    winnow_predicate *predicate;
    (void)launch;
    winnow_status status =
        winnow_predicate_range(&predicate, WINNOW_INT32, &least, &most);
    if (status == WINNOW_OK)
        winnow_predicate_destroy(predicate);
    return status;
}

static winnow_status parse(const winnow_launch *launch) {
    const winnow_field fields[] = {{.name = "price", .type = WINNOW_INT32}};
    winnow_condition *condition;
    (void)launch;
    /* Nodes, numbers of a list, a set, and a part that is dropped. */
    winnow_status status = winnow_condition_parse(
        &condition, fields, 1,
        "price < 24 and \"price\" not in (1, 4, 8) or price in (1, 3, 5, 7, 9, "
        "21, 23, 25, 27, 29, 41, 43, 45, 47, 49, 61, 63, 65, 67, 69, 81, 83, "
        "85, 87, 89, 101, 103, 105, 107, 109, 121, 123, 125, 127, 129, 141, "
        "143, 145, 147, 149, 161, 163, 165, 167, 169, 181, 183, 185, 187, 189, "
        "201, 203, 205, 207, 209, 221, 223, 225, 227, 229, 241, 243, 245, 247) "
        "and price and price and price and price and price and price and "
        "price and price and price and price or (price in (7, 9) and false)");
    if (status == WINNOW_OK)
        winnow_condition_destroy(condition);
    return status;
}

/* So deep that the stacks of the parser grow, twice. */
static winnow_status parse_nested(const winnow_launch *launch) {
    const winnow_field fields[] = {{.name = "price", .type = WINNOW_INT32}};
    winnow_condition *condition;
    char text[400];
    (void)launch;
    memset(text, '(', 150);
    memcpy(text + 150, "price < 24", 10);
    memset(text + 160, ')', 150);
    text[310] = '\0';
    winnow_status status = winnow_condition_parse(&condition, fields, 1, text);
    if (status == WINNOW_OK)
        winnow_condition_destroy(condition);
    return status;
}

/* Sets of each kind of table: slots, bits, buckets. */
static winnow_status make_sets(const winnow_launch *launch) {
    static const uint64_t counts[] = {8, 300, 1000};
    winnow_status status = WINNOW_OK;
    (void)launch;
    for (int i = 0; i < 3 && status == WINNOW_OK; i++) {
        winnow_condition *condition;
        int32_t values[1000];
        for (int32_t k = 0; k < 1000; k++)
            values[k] = (i == 1 ? 7 : 2654435) * (1000 - k);
        status = winnow_condition_in(&condition, NULL, 0, WINNOW_INT32, values,
                                     counts[i]);
        if (status == WINNOW_OK)
            winnow_condition_destroy(condition);
    }
    return status;
}

/* Keys that are behind the condition's numbers. */
static winnow_status run_pipe(const winnow_launch *launch) {
    const winnow_pipe_input inputs[] = {{.element_bytes = 4},
                                        {.element_bytes = 4}};
    const winnow_pipe_column column = {.type = WINNOW_INT32};
    const winnow_pipe_output outputs[] = {
        {.input = 1, .memory = work.keys_out, .capacity = N},
        {.kind = WINNOW_PIPE_MASK, .memory = work.out, .capacity = N}};
    const void *const fed[] = {work.in, work.keys};
    winnow_pipe *pipe = NULL;
    (void)launch;
    winnow_status status =
        winnow_pipe_create(&pipe, work.context, work.condition, &column, 1,
                           inputs, 2, outputs, 2, NULL);
    if (status == WINNOW_OK)
        status = winnow_pipe_feed(pipe, fed, N);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, &work.count);
    winnow_pipe_destroy(pipe);
    return status;
}

static void open_work(unsigned threads) {
    const int32_t least = 3;
    winnow_predicate *predicate;

    cr_assert_eq(winnow_context_create(&work.context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(winnow_context_set_threads(work.context, threads), WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GE, &least),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&work.condition, 0, predicate),
                 WINNOW_OK);
    winnow_predicate_destroy(predicate);
}

static void close_work(void) {
    winnow_condition_destroy(work.condition);
    winnow_context_destroy(work.context);
}

/* ------------------------------------------------------------------ the table */

static struct call_memory memory;
static struct arguments arguments;
static const struct call *called;

static winnow_status call(const winnow_launch *launch) {
    arguments.context = work.context;
    return called->run(&arguments, launch);
}

static size_t plan_of(const uint64_t *d_n) {
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_launch launch = {
        .size = sizeof(launch), .plan = &plan, .d_n = d_n};

    cr_assert_eq(call(&launch), WINNOW_OK, "%s: %s", called->name,
                 winnow_last_error());
    return plan.workspace_bytes;
}

static void prepare(const struct call *which, uint64_t n) {
    called = which;
    arguments = calls_draw(&memory, which, n, 0);
    calls_prepare(&memory);
}

/* Each allocation fails once. */
static void fail_each(const char *name, unsigned threads,
                      winnow_status (*run)(const winnow_launch *launch),
                      bool allocates) {
    bool failed = true, refused = false;

    for (long k = 0; failed; k++) {
        const long before = failing_malloc_alive();

        open_work(threads);
        failing_malloc_after(k);
        const winnow_status status = run(NULL);
        failed = failing_malloc_stop();
        cr_assert(status == WINNOW_OK ||
                      (failed && status == WINNOW_ERR_MEMORY),
                  "%s, allocation %ld: %s", name, k, winnow_last_error());
        cr_assert(status == WINNOW_OK ||
                      strstr(winnow_last_error(), "memory") != NULL,
                  "%s: %s", name, winnow_last_error());
        refused |= status == WINNOW_ERR_MEMORY;
        close_work();
        /* A thread's own memory outlives it. */
        cr_assert(threads > 1 || failing_malloc_alive() == before,
                  "%s, allocation %ld: %ld pieces are left", name, k,
                  failing_malloc_alive() - before);
    }
    cr_assert(refused || !allocates, "%s needs no memory", name);
}

Test(no_memory, each_allocation) {
    static const struct {
        const char *name;
        winnow_status (*run)(const winnow_launch *launch);
    } cases[] = {
        {"context_create", create},  {"predicate_range", make_predicate},
        {"condition_parse", parse},  {"condition_parse, nested", parse_nested},
        {"condition_in", make_sets}, {"pipe", run_pipe},
    };

    for (int i = 0; i < N; i++)
        work.in[i] = (int)(work.keys[i] = (uint32_t)i * 7 / 3 % 8);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
            fail_each(cases[i].name, threads, cases[i].run, true);
}

Test(no_memory, each_allocation_of_a_call) {
    struct backend backend;

    backend_open_host(&backend);
    calls_open(&memory, &backend, N);
    FOR_EACH_CALL(which) {
        prepare(which, N);
        for (unsigned threads = 1; threads <= 2; threads++) {
            open_work(threads);
            const bool allocates = plan_of(NULL) > 4096;

            close_work();
            fail_each(which->name, threads, call, allocates);
        }
    }
    calls_close(&memory);
    backend_close(&backend);
}

static void expect_allocations(const winnow_launch *launch,
                               unsigned long wanted) {
    failing_malloc_reset();
    cr_assert_eq(call(launch), WINNOW_OK, "%s: %s", called->name,
                 winnow_last_error());
    cr_assert_eq(failing_malloc_count(), wanted,
                 "%s of %d allocates %lu times, not %lu", called->name,
                 (int)arguments.n, failing_malloc_count(), wanted);
}

/* Its workspace has the registers of expressions. */
static bool has_registers(const struct call *which) {
    return strcmp(which->name, "reduce_where") == 0 ||
           strcmp(which->name, "accumulate_where") == 0;
}

/* What winnow(7) promises of a thread alone: no call allocates where its plan
 * says 4096 bytes or less, nor any with a workspace. */
Test(no_memory, promised) {
    static const uint64_t sizes[] = {0, 100, 10000, N};
    static _Alignas(16) unsigned char workspace[16 * N];
    struct backend backend;

    backend_open_host(&backend);
    calls_open(&memory, &backend, N);
    open_work(1);
    FOR_EACH_CALL(which) {
        for (size_t k = 0; k < 2 * sizeof(sizes) / sizeof(sizes[0]); k++) {
            winnow_launch launch = {.size = sizeof(launch)};

            prepare(which, sizes[k / 2]);
            launch.d_n = k % 2 != 0 ? memory.d_n : NULL;
            const size_t bytes = plan_of(launch.d_n);

            cr_assert_leq(bytes, sizeof(workspace));
            cr_assert(sizes[k / 2] > 100 || bytes <= 4096 ||
                          has_registers(which),
                      "%s of %d: %zu", which->name, (int)arguments.n, bytes);
            expect_allocations(&launch, bytes <= 4096 ? 0 : 1);
            launch.d_workspace = workspace;
            launch.workspace_bytes = bytes;
            expect_allocations(&launch, 0);
        }
    }
    close_work();
    calls_close(&memory);
    backend_close(&backend);
}
#endif
