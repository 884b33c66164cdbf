/*
 * What the last argument of every call promises: the table of calls, launched in one
 * way and another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/memory.h"
#include "data.h"
#include "reduced.h"
#include "suite.h"

enum {
    N = 1500, /* one block's: the calls in any order have one order, too */
    WORKSPACE_BYTES = 1 << 20
};

struct work {
    struct call_memory memory;
    unsigned char *workspace;
};

/* A call, with its plain arguments. */
#define FOR_EACH_CALL_OF(w, call, a)                                           \
    FOR_EACH_CALL(call)                                                        \
    for (struct arguments a = calls_draw(&(w)->memory, call, N, 0); a.n != 0;  \
         a.n = 0)

static void open_work(struct work *w, const struct backend *backend) {
    calls_open(&w->memory, backend, N);
    w->workspace = backend_alloc(backend, WORKSPACE_BYTES);
}

static void close_work(struct work *w) {
    backend_free(w->memory.backend, w->workspace);
    calls_close(&w->memory);
}

/* The launch makes of the outputs what the oracle says. */
static void expect(struct work *w, const struct call *call,
                   const struct arguments *a, const winnow_launch *launch,
                   const char *what) {
    calls_prepare(&w->memory);
    cr_assert_eq(call->run(a, launch), WINNOW_OK, "%s, %s: %s", call->name,
                 what, winnow_last_error());
    MUST(calls_check(&w->memory, call, a, launch, false, report));
}

static winnow_launch plain(const struct work *w) {
    return (winnow_launch){.size = sizeof(winnow_launch),
                           .stream = w->memory.backend->stream};
}

/* Refused, with a detail that names `member`; nothing is written. */
static void refuse(struct work *w, const struct call *call,
                   const struct arguments *a, const winnow_launch *launch,
                   winnow_status wanted, const char *member) {
    calls_prepare(&w->memory);
    cr_assert_eq(call->run(a, launch), wanted, "%s, %s: %s", call->name, member,
                 winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), member), "%s: %s",
                       call->name, winnow_last_error());
    MUST(calls_check_nothing(&w->memory, call, report));
}

/* ------------------------------------------------------------------ struct */

BACKEND_TEST(launch, null_is_zeros) {
    const winnow_launch zeros = {.size = sizeof(zeros)};
    struct backend default_stream = *backend;
    struct work w;

    default_stream.stream = NULL;
    open_work(&w, &default_stream);
    FOR_EACH_CALL_OF(&w, call, a) {
        expect(&w, call, &a, NULL, "no launch");
        expect(&w, call, &a, &zeros, "zeros are not the defaults");
    }
    close_work(&w);
}

BACKEND_TEST(launch, sizes) {
    static const size_t wrong[] = {0, 8, offsetof(winnow_launch, reserved) - 8,
                                   sizeof(winnow_launch) + 1, 1 << 20};
    union {
        winnow_launch launch;
        unsigned char bytes[sizeof(winnow_launch) + 64];
    } longer;
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        winnow_launch launch = plain(&w);

        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
            launch.size = wrong[i];
            refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT, "launch->size");
        }
        launch.size = offsetof(winnow_launch, reserved);
        memset(launch.reserved, 0xff, sizeof(launch.reserved));
        expect(&w, call, &a, &launch, "a shorter launch");
        memset(&longer, 0, sizeof(longer));
        longer.launch = plain(&w);
        longer.launch.size = sizeof(longer);
        expect(&w, call, &a, &longer.launch, "a longer launch");
        longer.bytes[sizeof(longer) - 1] = 1;
        refuse(&w, call, &a, &longer.launch, WINNOW_ERR_ARGUMENT,
               "launch->size");
    }
    close_work(&w);
}

BACKEND_TEST(launch, values) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        const winnow_launch good = plain(&w);
        winnow_launch launch;

#define WRONG(MEMBER, VALUE)                                                   \
    do {                                                                       \
        launch = good;                                                         \
        launch.MEMBER = (VALUE);                                               \
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,                     \
               "launch->" #MEMBER);                                            \
    } while (0)
        WRONG(order, (winnow_order)2);
        WRONG(order, (winnow_order)-1);
        WRONG(strategy, (winnow_strategy)99);
        WRONG(strategy, (winnow_strategy)-2);
        WRONG(selectivity, -DBL_MIN);
        WRONG(selectivity, 1 + DBL_EPSILON);
        WRONG(selectivity, (double)NAN);
        WRONG(reserved[0], 1);
        WRONG(reserved[3], UINT64_C(1) << 63);
#undef WRONG
        launch = good;
        launch.workspace_bytes = 16;
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
               "launch->d_workspace");
        launch.d_workspace = w.workspace + 8;
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
               "launch->d_workspace");
        launch = good;
        launch.d_n = (uint64_t *)(void *)((char *)w.memory.d_n + 4);
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT, "launch->d_n");
    }
    close_work(&w);
}

/* What would change a result, and cannot be honoured. */
BACKEND_TEST(launch, refused) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        winnow_launch launch = plain(&w);

        launch.d_position = w.memory.d_position;
        if ((call->takes & CALL_POSITION) == 0)
            refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED,
                   "launch->d_position");
        launch = plain(&w);
        if ((call->takes & CALL_STRATEGY) != 0) {
            launch.order = WINNOW_STABLE;
            launch.strategy = WINNOW_GLOBAL_ATOMIC;
            refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED,
                   "global_atomic");
            continue;
        }
        launch.strategy = WINNOW_TILE_SCAN;
        refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED,
               "launch->strategy");
        launch = plain(&w);
        launch.d_strategy = w.memory.d_strategy;
        refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED,
               "launch->d_strategy");
    }
    close_work(&w);
}

/* CUB's kernels read neither word. In place, nothing has a position. */
BACKEND_TEST(launch, refused_copies) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        winnow_launch launch = plain(&w);

        if ((call->takes & CALL_STRATEGY) == 0)
            continue;
        launch.strategy = WINNOW_CUB_SCAN;
        launch.d_n = w.memory.d_n;
        refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED, "cub_scan");
        launch.d_n = NULL;
        launch.d_position = w.memory.d_position;
        refuse(&w, call, &a, &launch, WINNOW_ERR_UNSUPPORTED, "cub_scan");
    }
    const struct call *const call = call_named("copy_if");
    struct arguments a = calls_draw(&w.memory, call, N, 0);
    winnow_launch launch = plain(&w);

    launch.d_position = w.memory.d_position;
    a.capacity = WINNOW_NO_LIMIT;
    refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT, "capacity");
    launch.order = WINNOW_STABLE;
    a.capacity = N;
    a.out = (void *)(uintptr_t)a.in;
    refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
           "without launch->d_position");
    close_work(&w);
}

BACKEND_TEST(launch, init) {
    unsigned char bytes[sizeof(winnow_launch) + 16];
    const winnow_launch zeros = {.size = sizeof(zeros)};
    winnow_launch launch;

    (void)backend;
    memset(&launch, 0xff, sizeof(launch));
    cr_assert_eq(winnow_launch_init(&launch, sizeof(launch)), WINNOW_OK);
    cr_assert_eq(memcmp(&launch, &zeros, sizeof(launch)), 0);
    memset(bytes, 0xff, sizeof(bytes));
    cr_assert_eq(
        winnow_launch_init((winnow_launch *)(void *)bytes, sizeof(launch) + 8),
        WINNOW_OK);
    cr_assert_eq(bytes[sizeof(launch) + 7], 0, "all of a later struct");
    cr_assert_eq(bytes[sizeof(launch) + 8], 0xff, "and no more");
    cr_assert_eq(winnow_launch_init(NULL, sizeof(launch)), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_launch_init(&launch, 0), WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_launch_init(&launch, sizeof(launch) - 4),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(memcmp(&launch, &zeros, sizeof(launch)), 0);
}

/* ---------------------------------------------------------------- honoured */

/* One struct serves a chain: what a call has no use for changes nothing. */
BACKEND_TEST(launch, hints) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        winnow_launch launch = plain(&w);

        launch.d_workspace = w.workspace;
        launch.workspace_bytes = WORKSPACE_BYTES;
        expect(&w, call, &a, &launch, "with a workspace");
        launch.selectivity = 0.25;
        expect(&w, call, &a, &launch, "with a hint");
        launch.strategy = backend->gpu ? WINNOW_AUTO : WINNOW_HOST;
        launch.order = WINNOW_STABLE;
        expect(&w, call, &a, &launch, "in a stable order");
    }
    close_work(&w);
}

BACKEND_TEST(launch, no_count) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        const winnow_launch launch = plain(&w);

        if ((call->takes & CALL_COUNTS) == 0)
            continue;
        a.count = NULL;
        expect(&w, call, &a, &launch, "without d_count");
    }
    close_work(&w);
}

/* The same survivors, one behind the other. */
BACKEND_TEST(launch, position) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        winnow_launch launch = plain(&w);

        if ((call->takes & CALL_POSITION) == 0)
            continue;
        launch.order = WINNOW_STABLE;
        launch.d_position = w.memory.d_position;
        calls_prepare(&w.memory);
        for (unsigned i = 0; i < 2; i++) {
            cr_assert_eq(call->run(&a, &launch), WINNOW_OK, "%s: %s",
                         call->name, winnow_last_error());
            MUST(calls_check(&w.memory, call, &a, &launch, true, report));
        }
    }
    close_work(&w);
}

/* ------------------------------------------------------------------- plans */

/* The bytes of a plan serve the call, and fewer do not. */
static void run_plan(struct work *w, const struct call *call,
                     const struct arguments *a) {
    const struct arguments none = calls_without_arrays(a);
    winnow_launch launch = plain(w);
    winnow_plan plan = {.size = sizeof(plan)}, known;

    calls_prepare(&w->memory);
    launch.plan = &plan;
    cr_assert_eq(call->run(a, &launch), WINNOW_OK, "%s: %s", call->name,
                 winnow_last_error());
    known = plan;
    memset(&plan, 0, sizeof(plan));
    plan.size = sizeof(plan);
    cr_assert_eq(call->run(&none, &launch), WINNOW_OK, "%s: %s", call->name,
                 winnow_last_error());
    cr_assert_eq(memcmp(&plan, &known, sizeof(plan)), 0,
                 "%s: a plan depends on addresses", call->name);
    MUST(calls_check_nothing(&w->memory, call, report));
    launch.plan = NULL;
    launch.d_workspace = w->workspace;
    cr_assert_leq(plan.workspace_bytes, WORKSPACE_BYTES);
    launch.workspace_bytes = plan.workspace_bytes;
    expect(w, call, a, &launch, "with the plan's workspace");
    if (plan.workspace_bytes != 0) {
        launch.workspace_bytes = 0;
        refuse(w, call, a, &launch, WINNOW_ERR_WORKSPACE, "workspace_bytes");
        launch.workspace_bytes = plan.workspace_bytes - 1;
        refuse(w, call, a, &launch, WINNOW_ERR_WORKSPACE, "workspace_bytes");
    }
}

BACKEND_TEST(launch, plan) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        run_plan(&w, call, &a);
    }
    close_work(&w);
}

BACKEND_TEST(launch, text_of_a_plan) {
    struct work w;

    open_work(&w, backend);
    FOR_EACH_CALL_OF(&w, call, a) {
        char text[4096], begin[64];
        winnow_launch launch = plain(&w);
        winnow_plan plan = {
            .size = sizeof(plan), .text = text, .text_bytes = sizeof(text)};
        size_t length;

        snprintf(begin, sizeof(begin), "call: %s of %d ", call->name, N);
        launch.plan = &plan;
        cr_assert_eq(call->run(&a, &launch), WINNOW_OK, "%s: %s", call->name,
                     winnow_last_error());
        length = plan.text_length;
        cr_assert_eq(length, strlen(text), "%s", call->name);
        cr_assert_eq(strncmp(text, begin, strlen(begin)), 0, "%s", text);
        memset(text, 'x', sizeof(text));
        plan.text_bytes = 6;
        cr_assert_eq(call->run(&a, &launch), WINNOW_OK);
        cr_assert_str_eq(text, "call:");
        cr_assert_eq(text[6], 'x', "%s: the text is not cut", call->name);
        cr_assert_eq(plan.text_length, length, "%s", call->name);
        plan.text = NULL;
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
               "launch->plan->text");
        plan.text_bytes = 0;
        plan.reserved[1] = 1;
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
               "launch->plan->reserved");
        plan.reserved[1] = 0;
        plan.size = 0;
        refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
               "launch->plan->size");
    }
    close_work(&w);
}

/* ------------------------------------------------------------------- types */

/* A predicate of another type is seen. */
BACKEND_TEST(launch, wrong_type) {
    static const uint32_t low = 1;
    winnow_predicate *predicate;
    struct work w;

    open_work(&w, backend);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_FLOAT32, WINNOW_GT, &low),
        WINNOW_OK);
    FOR_EACH_CALL_OF(&w, call, a) {
        const winnow_launch launch = plain(&w);

        a.predicate = predicate;
        if ((call->takes & CALL_TYPED) != 0)
            refuse(&w, call, &a, &launch, WINNOW_ERR_ARGUMENT,
                   "type is uint32, and the predicate is of float32");
    }
    winnow_predicate_destroy(predicate);
    close_work(&w);
}

/* ------------------------------------------------------------------ chains */

#ifdef WINNOW_CUDA

/* Filters of elements whose bits are all set. */
enum {
    FILTERS = 3,
    CHAIN = 20000
};
static const uint32_t masks[FILTERS] = {0x1, 0x10, 0x400};

struct chain {
    uint32_t *d_in, *d_out[2];
    uint64_t *d_count;
    winnow_reduction *d_result;
    winnow_predicate *predicates[FILTERS];
    winnow_order order;
};

/* `filters` of them, the last of which reduces what the others leave: each
 * reads its number of items from where the one before has written its count. */
static void enqueue_chain(const struct backend *backend, const struct chain *c,
                          unsigned filters) {
    const winnow_launch launch = {.size = sizeof(launch),
                                  .stream = backend->stream,
                                  .order = c->order,
                                  .d_n = c->d_count};
    const uint32_t *from = c->d_in;

    for (unsigned i = 0; i + 1 < filters; i++) {
        cr_assert_eq(winnow_copy_if(backend->context, c->predicates[i],
                                    WINNOW_UINT32, from, CHAIN, c->d_out[i % 2],
                                    CHAIN, c->d_count, &launch),
                     WINNOW_OK, "%s", winnow_last_error());
        from = c->d_out[i % 2];
    }
    cr_assert_eq(winnow_reduce_if(backend->context, c->predicates[filters - 1],
                                  WINNOW_UINT32, from, CHAIN,
                                  WINNOW_REDUCE_SUM | WINNOW_REDUCE_MAXIMUM,
                                  c->d_result, &launch),
                 WINNOW_OK, "%s", winnow_last_error());
}

static void check_chain(const struct backend *backend, const struct chain *c,
                        unsigned filters, const uint32_t *in, uint64_t n) {
    winnow_reduction wanted = {.maximum = {.uint64 = 0}}, seen;
    uint64_t left = 0, count;

    for (uint64_t i = 0; i < n; i++) {
        unsigned passed = 0;

        while (passed < filters && (in[i] & masks[passed]) == masks[passed])
            passed++;
        left += passed >= filters - 1;
        if (passed < filters)
            continue;
        wanted.count++;
        wanted.sum.uint64 += in[i];
        if (in[i] > wanted.maximum.uint64)
            wanted.maximum.uint64 = in[i];
    }
    cr_assert_null(backend_wait(backend));
    backend_download(backend, &seen, c->d_result, sizeof(seen));
    backend_download(backend, &count, c->d_count, sizeof(count));
    cr_assert_eq(count, left);
    cr_assert_eq(seen.count, wanted.count);
    cr_assert_eq(seen.sum.uint64, wanted.sum.uint64);
    cr_assert_eq(seen.maximum.uint64, wanted.maximum.uint64);
}

/* Captured once, replayed on other data, and on other numbers of it. */
static void run_chain(const struct backend *backend, const struct chain *c,
                      unsigned filters) {
    static const uint64_t numbers[] = {CHAIN, CHAIN / 3, 1, 0, UINT64_MAX};
    uint32_t *const in = must_alloc(CHAIN * sizeof(*in));
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    enqueue_chain(backend, c, filters);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        for (uint64_t k = 0; k < CHAIN; k++)
            in[k] = (uint32_t)data_random(60 + i, k);
        backend_upload(backend, c->d_in, in, CHAIN * sizeof(*in));
        backend_upload(backend, c->d_count, &numbers[i], sizeof(numbers[i]));
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        check_chain(backend, c, filters, in,
                    numbers[i] < CHAIN ? numbers[i] : CHAIN);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    free(in);
}

GPU_TEST(launch, chain_in_a_graph) {
    struct chain c = {.d_in = backend_alloc(backend, CHAIN * 4),
                      .d_out = {backend_alloc(backend, CHAIN * 4),
                                backend_alloc(backend, CHAIN * 4)},
                      .d_count = backend_alloc(backend, sizeof(uint64_t)),
                      .d_result =
                          backend_alloc(backend, sizeof(winnow_reduction))};

    for (unsigned i = 0; i < FILTERS; i++)
        cr_assert_eq(winnow_predicate_bits(&c.predicates[i], WINNOW_UINT32,
                                           masks[i], masks[i]),
                     WINNOW_OK);
    for (int order = WINNOW_UNORDERED; order <= WINNOW_STABLE; order++)
        for (unsigned filters = 2; filters <= FILTERS; filters++) {
            c.order = (winnow_order)order;
            run_chain(backend, &c, filters);
        }
    for (unsigned i = 0; i < FILTERS; i++)
        winnow_predicate_destroy(c.predicates[i]);
    backend_free(backend, c.d_in);
    backend_free(backend, c.d_out[0]);
    backend_free(backend, c.d_out[1]);
    backend_free(backend, c.d_count);
    backend_free(backend, c.d_result);
}

#endif
