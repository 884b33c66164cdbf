/*
 * Bad input: each gives its status, a detail that names what was wrong, and
 * nothing is written anywhere. One good call is spoiled in one place at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "region.h"
#include "strategies.h"
#include "suite.h"

/* The memory of a call: places in one region, poison everywhere else. */
#define N 1000 /* int32 */
#define IN_AT 0
#define OUT_AT 8192
#define COUNT_AT 16384
#define STRATEGY_AT 16448
#define SELECTIVITY_AT 16512
#define N_AT 16576
#define POSITION_AT 16640
#define WORKSPACE_AT 16704
#define WORKSPACE_ROOM 16384
#define MEMORY_BYTES (WORKSPACE_AT + WORKSPACE_ROOM)

/* The arguments of any call of the family. */
struct arguments {
    winnow_context *context;
    const winnow_predicate *predicate;
    winnow_type type;
    unsigned char *in;
    uint64_t n;
    unsigned char *out;
    uint64_t capacity;
    unsigned char *count; /* or the selectivity */
    winnow_launch launch;
};

enum call {
    CALL_COPY = 1,
    CALL_COUNT = 2,
    CALL_ESTIMATE = 4,
    CALL_INDEX = 8,
    CALL_SELECT = CALL_COPY | CALL_INDEX,
    CALL_SINGLE = CALL_COUNT | CALL_ESTIMATE, /* a word is the output */
    CALL_ALL = 15
};
static const char *const call_names[] = {
    [CALL_COPY] = "copy_if",
    [CALL_COUNT] = "count_if",
    [CALL_ESTIMATE] = "estimate_selectivity",
    [CALL_INDEX] = "copy_index_if",
};

enum where {
    ON_HOST = 1,
    ON_GPU = 2,
    ANYWHERE = 3,
    APART = 4 /* on a GPU that does not reach the host's memory as it is */
};

/* The base of the region, for those who point elsewhere in it. */
static unsigned char *memory;

static void context_null(struct arguments *a) {
    a->context = NULL;
}
static void predicate_null(struct arguments *a) {
    a->predicate = NULL;
}
static void in_null(struct arguments *a) {
    a->in = NULL;
}
static void out_null(struct arguments *a) {
    a->out = NULL;
}
static void out_null_capacity_1(struct arguments *a) {
    a->out = NULL;
    a->capacity = 1;
}
static void count_null(struct arguments *a) {
    a->count = NULL;
}
static void n_overflows(struct arguments *a) {
    a->n = UINT64_MAX / 4 + 1;
}
static void n_largest(struct arguments *a) {
    a->n = UINT64_MAX;
}
static void n_past_the_end(struct arguments *a) {
    a->n = UINT64_MAX / 4 - 1;
}
static void in_misaligned(struct arguments *a) {
    a->in += 2;
}
static void out_misaligned(struct arguments *a) {
    a->out += 1;
}
static void count_misaligned(struct arguments *a) {
    a->count += 4;
}
static void strategy_misaligned(struct arguments *a) {
    a->launch.d_strategy = (int32_t *)(void *)(memory + STRATEGY_AT + 2);
}
static void workspace_misaligned(struct arguments *a) {
    a->launch.d_workspace = memory + WORKSPACE_AT + 8;
    a->launch.workspace_bytes = WORKSPACE_ROOM - 8;
}
static void in_place_unordered(struct arguments *a) {
    a->out = a->in;
}
static void out_overlaps_later(struct arguments *a) {
    a->out = a->in + 4;
    a->launch.order = WINNOW_STABLE;
}
static void out_overlaps_earlier(struct arguments *a) {
    a->in += 4;
    a->out = a->in - 4;
    a->launch.order = WINNOW_STABLE;
}
static void out_overlaps_first(struct arguments *a) {
    a->in = a->out + (N - 1) * 4;
}
static void out_overlaps_last(struct arguments *a) {
    a->out = a->in + (N - 1) * 4;
}
static void count_in_input(struct arguments *a) {
    a->count = a->in + 80;
}
static void count_in_output(struct arguments *a) {
    a->count = a->out + 80;
}
static void strategy_in_output(struct arguments *a) {
    a->launch.d_strategy = (int32_t *)(void *)(a->out + 80);
}
static void strategy_in_count(struct arguments *a) {
    a->launch.d_strategy = (int32_t *)(void *)(a->count + 4);
}
static void workspace_over_input(struct arguments *a) {
    a->launch.d_workspace = a->in + 16;
}
static void workspace_over_output(struct arguments *a) {
    a->launch.d_workspace = a->out + 16;
}
/* Beside what the call needs, which is nothing on the host. */
static void spare_workspace_over_input(struct arguments *a) {
    a->launch.d_workspace = a->in + 16;
    a->launch.workspace_bytes = 4096;
}
static void workspace_past_the_end(struct arguments *a) {
    a->launch.workspace_bytes = SIZE_MAX;
}
static void null_with_bytes(struct arguments *a) {
    a->launch.d_workspace = NULL;
    a->launch.workspace_bytes = 64;
}
static void empty_in_misaligned(struct arguments *a) {
    a->in += 2;
    a->n = 0;
}
static void type_unknown(struct arguments *a) {
    a->type = (winnow_type)99;
}
static void type_negative(struct arguments *a) {
    a->type = (winnow_type)-1;
}
static void type_opaque(struct arguments *a) {
    a->type = WINNOW_OPAQUE;
}
static void n_misaligned(struct arguments *a) {
    a->launch.d_n = (const uint64_t *)(void *)(memory + N_AT + 4);
}
static void n_in_output(struct arguments *a) {
    a->launch.d_n = (const uint64_t *)(void *)(a->out + 80);
}
static void n_in_half_of_count(struct arguments *a) {
    a->count = memory + COUNT_AT;
    a->launch.d_n = (const uint64_t *)(void *)(a->count + 4);
}
static void with_position(struct arguments *a) {
    a->launch.d_position = (uint64_t *)(void *)(memory + POSITION_AT);
    a->launch.order = WINNOW_STABLE;
    a->capacity = N;
}
static void position_misaligned(struct arguments *a) {
    with_position(a);
    a->launch.d_position = (uint64_t *)(void *)(memory + POSITION_AT + 4);
}
static void position_in_count(struct arguments *a) {
    with_position(a);
    a->launch.d_position = (uint64_t *)(void *)a->count;
}
static void position_is_d_n(struct arguments *a) {
    with_position(a);
    a->launch.d_n = a->launch.d_position;
}
static void with_d_strategy(struct arguments *a) {
    a->launch.d_strategy = (int32_t *)(void *)(memory + STRATEGY_AT);
}
/* Each in turn of those that cannot keep the order. */
static winnow_strategy without_order;
static void stable_without_order(struct arguments *a) {
    a->launch.order = WINNOW_STABLE;
    a->launch.strategy = without_order;
}
static void gpu_strategy(struct arguments *a) {
    a->launch.strategy = WINNOW_WARP_SHARED;
}
static void host_strategy(struct arguments *a) {
    a->launch.strategy = WINNOW_HOST;
}
static void workspace_null_with_bytes(struct arguments *a) {
    a->launch.d_workspace = NULL;
}
static void workspace_too_small(struct arguments *a) {
    a->launch.workspace_bytes--;
}
static void workspace_empty(struct arguments *a) {
    a->launch.workspace_bytes = 0;
}
static void stream_on_host(struct arguments *a) {
    a->launch.stream = (winnow_stream)(void *)memory;
}
/* Static, so that it is where the device cannot reach: a plain pointer. */
static _Alignas(16) unsigned char plain[16384];
static void in_plain(struct arguments *a) {
    a->in = plain;
}
static void out_plain(struct arguments *a) {
    a->out = plain;
}
static void count_plain(struct arguments *a) {
    a->count = plain;
}
static void strategy_plain(struct arguments *a) {
    a->launch.d_strategy = (int32_t *)(void *)plain;
}
static void n_plain(struct arguments *a) {
    a->launch.d_n = (const uint64_t *)(void *)plain;
}
static void position_plain(struct arguments *a) {
    with_position(a);
    a->launch.d_position = (uint64_t *)(void *)plain;
}
static void workspace_plain(struct arguments *a) {
    a->launch.d_workspace = plain;
    a->launch.workspace_bytes = sizeof(plain);
}

#define ARGUMENT WINNOW_ERR_ARGUMENT
#define UNSUPPORTED WINNOW_ERR_UNSUPPORTED
#define WORKSPACE WINNOW_ERR_WORKSPACE

/* NAMES: the detail is to name the output of the call, whichever it is. */
#define NAMES_OUTPUT ""

static const struct spoiler {
    const char *name;
    void (*spoil)(struct arguments *);
    int calls, where;
    winnow_status status;
    const char *detail;
    bool of_plan; /* a plan refuses it too */
} spoilers[] = {
#define SPOIL(f) #f, f
    {SPOIL(context_null), CALL_ALL, ANYWHERE, ARGUMENT, "context", true},
    {SPOIL(predicate_null), CALL_ALL, ANYWHERE, ARGUMENT, "predicate", true},
    {SPOIL(in_null), CALL_ALL, ANYWHERE, ARGUMENT, "d_in", false},
    {SPOIL(out_null), CALL_SELECT, ANYWHERE, ARGUMENT, "d_out", false},
    {SPOIL(out_null_capacity_1), CALL_SELECT, ANYWHERE, ARGUMENT, "d_out",
     false},
    {SPOIL(count_null), CALL_SINGLE, ANYWHERE, ARGUMENT, NAMES_OUTPUT, false},
    {SPOIL(n_overflows), CALL_ALL, ANYWHERE, ARGUMENT, "n is", true},
    {SPOIL(n_largest), CALL_ALL, ANYWHERE, ARGUMENT, "n is", true},
    {SPOIL(n_past_the_end), CALL_ALL, ANYWHERE, ARGUMENT, "n is", false},
    {SPOIL(in_misaligned), CALL_ALL, ANYWHERE, ARGUMENT, "d_in", false},
    {SPOIL(out_misaligned), CALL_SELECT, ANYWHERE, ARGUMENT, "d_out", false},
    {SPOIL(count_misaligned), CALL_ALL, ANYWHERE, ARGUMENT, NAMES_OUTPUT,
     false},
    {SPOIL(strategy_misaligned), CALL_SELECT, ANYWHERE, ARGUMENT, "d_strategy",
     false},
    {SPOIL(workspace_misaligned), CALL_ALL, ANYWHERE, ARGUMENT, "d_workspace",
     false},
    {SPOIL(in_place_unordered), CALL_COPY, ANYWHERE, ARGUMENT, "WINNOW_STABLE",
     false},
    {SPOIL(out_overlaps_later), CALL_SELECT, ANYWHERE, ARGUMENT, "overlap",
     false},
    {SPOIL(out_overlaps_earlier), CALL_SELECT, ANYWHERE, ARGUMENT, "overlap",
     false},
    {SPOIL(out_overlaps_first), CALL_SELECT, ANYWHERE, ARGUMENT, "overlap",
     false},
    {SPOIL(out_overlaps_last), CALL_SELECT, ANYWHERE, ARGUMENT, "overlap",
     false},
    {SPOIL(count_in_input), CALL_ALL, ANYWHERE, ARGUMENT, "overlap", false},
    {SPOIL(count_in_output), CALL_SELECT, ANYWHERE, ARGUMENT, "d_count", false},
    {SPOIL(strategy_in_output), CALL_SELECT, ANYWHERE, ARGUMENT, "d_strategy",
     false},
    {SPOIL(strategy_in_count), CALL_SELECT, ANYWHERE, ARGUMENT, "d_strategy",
     false},
    {SPOIL(workspace_over_input), CALL_ALL, ON_GPU, ARGUMENT, "d_workspace",
     false},
    {SPOIL(workspace_over_output), CALL_SELECT, ON_GPU, ARGUMENT, "d_workspace",
     false},
    {SPOIL(spare_workspace_over_input), CALL_ALL, ANYWHERE, ARGUMENT,
     "d_workspace", false},
    {SPOIL(workspace_past_the_end), CALL_ALL, ANYWHERE, ARGUMENT,
     "workspace_bytes is too large", false},
    {SPOIL(null_with_bytes), CALL_ALL, ANYWHERE, ARGUMENT, "workspace_bytes",
     false},
    {SPOIL(empty_in_misaligned), CALL_ALL, ANYWHERE, ARGUMENT, "d_in", false},
    {SPOIL(type_unknown), CALL_ALL, ANYWHERE, ARGUMENT,
     "type 99 is no winnow_type", true},
    {SPOIL(type_negative), CALL_ALL, ANYWHERE, ARGUMENT,
     "type -1 is no winnow_type", true},
    {SPOIL(type_opaque), CALL_ALL, ANYWHERE, ARGUMENT,
     "type 0 is no winnow_type", true},
    {SPOIL(n_misaligned), CALL_ALL, ANYWHERE, ARGUMENT, "launch->d_n", false},
    {SPOIL(n_in_output), CALL_SELECT, ANYWHERE, ARGUMENT, "launch->d_n", false},
    {SPOIL(n_in_half_of_count), CALL_SELECT | CALL_COUNT, ANYWHERE, ARGUMENT,
     "launch->d_n", false},
    {SPOIL(position_misaligned), CALL_SELECT, ANYWHERE, ARGUMENT,
     "launch->d_position", false},
    {SPOIL(position_in_count), CALL_SELECT, ANYWHERE, ARGUMENT,
     "launch->d_position", false},
    {SPOIL(position_is_d_n), CALL_SELECT, ANYWHERE, ARGUMENT,
     "launch->d_position", false},
    {SPOIL(gpu_strategy), CALL_SELECT, ON_HOST, UNSUPPORTED, "warp_shared",
     true},
    {SPOIL(host_strategy), CALL_ALL, ON_GPU, UNSUPPORTED, "host", true},
    {SPOIL(workspace_null_with_bytes), CALL_ALL, ON_GPU, ARGUMENT,
     "d_workspace", false},
    {SPOIL(workspace_too_small), CALL_ALL, ON_GPU, WORKSPACE, "workspace_bytes",
     false},
    {SPOIL(workspace_empty), CALL_ALL, ON_GPU, WORKSPACE, "workspace_bytes",
     false},
    {SPOIL(stream_on_host), CALL_ALL, ON_HOST, ARGUMENT, "stream", false},
    {SPOIL(in_plain), CALL_ALL, APART, ARGUMENT, "d_in", false},
    {SPOIL(out_plain), CALL_SELECT, APART, ARGUMENT, "d_out", false},
    {SPOIL(count_plain), CALL_ALL, APART, ARGUMENT, NAMES_OUTPUT, false},
    {SPOIL(strategy_plain), CALL_SELECT, APART, ARGUMENT, "d_strategy", false},
    {SPOIL(n_plain), CALL_ALL, APART, ARGUMENT, "launch->d_n", false},
    {SPOIL(position_plain), CALL_SELECT, APART, ARGUMENT, "launch->d_position",
     false},
    {SPOIL(workspace_plain), CALL_ALL, APART, ARGUMENT, "d_workspace", false},
};
#define SPOILERS (sizeof(spoilers) / sizeof(spoilers[0]))

static winnow_status invoke(enum call call, const struct arguments *a) {
    switch (call) {
    case CALL_COPY:
        return winnow_copy_if(a->context, a->predicate, a->type, a->in, a->n,
                              a->out, a->capacity, (uint64_t *)(void *)a->count,
                              &a->launch);
    case CALL_INDEX:
        return winnow_copy_index_if(a->context, a->predicate, a->type, a->in,
                                    a->n, WINNOW_UINT32, a->out, a->capacity,
                                    (uint64_t *)(void *)a->count, &a->launch);
    case CALL_COUNT:
        return winnow_count_if(a->context, a->predicate, a->type, a->in, a->n,
                               (uint64_t *)(void *)a->count, &a->launch);
    default:
        return winnow_estimate_selectivity(
            a->context, a->predicate, a->type, a->in, a->n,
            (double *)(void *)a->count, &a->launch);
    }
}

/* The plan of the call, of which the arrays may be NULL. */
static winnow_status ask_plan(enum call call, const struct arguments *a,
                              winnow_plan *plan) {
    struct arguments planned = *a;

    planned.in = planned.out = planned.count = NULL;
    planned.launch.plan = plan;
    return invoke(call, &planned);
}

static size_t bytes_needed(enum call call, const struct arguments *a) {
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_status status = ask_plan(call, a, &plan);

    cr_assert_eq(status, WINNOW_OK, "%s: the plan: %s: %s", call_names[call],
                 winnow_status_name(status), winnow_last_error());
    return plan.workspace_bytes;
}

static struct arguments good_arguments(const struct backend *backend,
                                       const winnow_predicate *predicate,
                                       enum call call) {
    struct arguments a = {
        .context = backend->context,
        .predicate = predicate,
        .type = WINNOW_INT32,
        .in = memory + IN_AT,
        .n = N,
        .out = memory + OUT_AT,
        .capacity = WINNOW_NO_LIMIT,
        .count = memory + (call == CALL_ESTIMATE ? SELECTIVITY_AT : COUNT_AT),
        .launch = {.size = sizeof(a.launch),
                   .stream = backend->stream,
                   .d_workspace = memory + WORKSPACE_AT},
    };

    if (((int)call & CALL_SELECT) != 0)
        with_d_strategy(&a);
    a.launch.workspace_bytes = bytes_needed(call, &a);
    cr_assert_leq(a.launch.workspace_bytes, WORKSPACE_ROOM);
    return a;
}

static void expect_refusal(winnow_status status, winnow_status wanted,
                           const char *detail, const char *what) {
    cr_assert_eq(status, wanted, "%s: %s, wanted %s", what,
                 winnow_status_name(status), winnow_status_name(wanted));
    cr_assert(strstr(winnow_last_error(), detail),
              "%s: the detail \"%s\" lacks \"%s\"", what, winnow_last_error(),
              detail);
}

static void expect_unwritten(const struct backend *backend,
                             struct region *region, const char *what) {
    const char *error = backend_wait(backend);
    struct report report;

    cr_assert_null(error, "%s: %s", what, error);
    region_fetch(region, region->bytes);
    cr_assert(region_untouched(region, "the memory of the call", 0, 0,
                               region->bytes, &report),
              "%s: %s", what, report.text);
    for (size_t i = 0; i < sizeof(plain); i++)
        cr_assert_eq(plain[i], 0, "%s: byte %zu of plain memory was written",
                     what, i);
}

static void run_spoiler(const struct backend *backend, struct region *region,
                        const winnow_predicate *predicate, enum call call,
                        const struct spoiler *spoiler) {
    struct arguments a = good_arguments(backend, predicate, call);
    const char *detail = spoiler->detail;
    const size_t needed = a.launch.workspace_bytes;
    winnow_plan plan = {.size = sizeof(plan), .workspace_bytes = 12345};
    char what[128], digits[32];

    snprintf(what, sizeof(what), "%s %s %s", backend->name, call_names[call],
             spoiler->name);
    if (strcmp(detail, NAMES_OUTPUT) == 0)
        detail = call == CALL_ESTIMATE ? "d_selectivity" : "d_count";
    if (call == CALL_INDEX && strcmp(detail, "d_out") == 0)
        detail = "d_indices";
    spoiler->spoil(&a);
    expect_refusal(invoke(call, &a), spoiler->status, detail, what);
    if (spoiler->status == WORKSPACE) { /* how many bytes are needed? */
        snprintf(digits, sizeof(digits), "%zu", needed);
        expect_refusal(WORKSPACE, WORKSPACE, digits, what);
    }
    if (spoiler->of_plan) {
        expect_refusal(ask_plan(call, &a, &plan), spoiler->status, detail,
                       what);
        cr_assert_eq(plan.workspace_bytes, 12345, "%s: the plan was written",
                     what);
    }
    expect_unwritten(backend, region, what);
}

static void run_without_order(const struct backend *backend,
                              struct region *region,
                              const winnow_predicate *predicate) {
    FOR_EACH_STRATEGY(row, true) {
        if (!row->stable && row->strategy != WINNOW_AUTO) {
            const struct spoiler spoiler = {SPOIL(stable_without_order),
                                            CALL_COPY,
                                            ANYWHERE,
                                            UNSUPPORTED,
                                            winnow_strategy_name(row->strategy),
                                            true};

            without_order = row->strategy;
            run_spoiler(backend, region, predicate, CALL_COPY, &spoiler);
        }
    }
}

/* Every strategy refuses less than it asks for. */
static void run_small_workspaces(const struct backend *backend,
                                 struct region *region,
                                 const winnow_predicate *predicate) {
    FOR_EACH_STRATEGY(row, true) {
        struct arguments a = good_arguments(backend, predicate, CALL_COPY);
        const char *name = winnow_strategy_name(row->strategy);
        size_t needed;
        char digits[32];

        a.launch.order = row->order;
        a.launch.strategy = row->strategy;
        needed = bytes_needed(CALL_COPY, &a);
        cr_assert_gt(needed, 0);
        snprintf(digits, sizeof(digits), "%zu", needed);
        a.launch.workspace_bytes = needed;
        while (a.launch.workspace_bytes-- > 0) {
            expect_refusal(invoke(CALL_COPY, &a), WORKSPACE, digits, name);
            /* The first 256 are ours, and what follows is CUB's. */
            if (a.launch.workspace_bytes > 258)
                a.launch.workspace_bytes = 258;
        }
        expect_unwritten(backend, region, name);
    }
}

static void expect_good(const struct backend *backend, enum call call,
                        const struct arguments *a, const char *what) {
    const winnow_status status = invoke(call, a);
    const char *error = backend_wait(backend);

    cr_assert_eq(status, WINNOW_OK, "%s %s: %s", call_names[call], what,
                 winnow_last_error());
    cr_assert_null(error, "%s %s: %s", call_names[call], what, error);
}

/* The memory of the calls, poisoned; and their predicate. */
static winnow_predicate *open_memory(struct region *region,
                                     const struct backend *backend) {
    const int32_t zero = 0;
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_NE, &zero),
        WINNOW_OK);
    region_open(region, backend, MEMORY_BYTES);
    region_poison(region, MEMORY_BYTES);
    memory = region->base;
    return predicate;
}

static void close_memory(struct region *region, winnow_predicate *predicate) {
    region_close(region);
    winnow_predicate_destroy(predicate);
}

static int where_is(const struct backend *backend) {
    int pageable = 0;

    if (!backend->gpu)
        return ON_HOST;
#ifdef WINNOW_CUDA
    GPU_MUST(
        cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
#endif
    return pageable ? ON_GPU : ON_GPU | APART;
}

BACKEND_TEST(errors, bad_arguments) {
    const int where = where_is(backend);
    winnow_predicate *predicate;
    struct region region;

    predicate = open_memory(&region, backend);
    for (size_t i = 0; i < SPOILERS; i++)
        for (enum call call = CALL_COPY; call <= CALL_INDEX; call <<= 1)
            if (spoilers[i].calls & (int)call && spoilers[i].where & where)
                run_spoiler(backend, &region, predicate, call, &spoilers[i]);

    run_without_order(backend, &region, predicate);
    if (backend->gpu)
        run_small_workspaces(backend, &region, predicate);

    /* The calls that were spoiled are good ones: else this proves nothing. */
    for (enum call call = CALL_COPY; call <= CALL_INDEX; call <<= 1) {
        const struct arguments a = good_arguments(backend, predicate, call);

        expect_good(backend, call, &a, "as it is");
    }
    close_memory(&region, predicate);
}

/* Next to each other is not over each other, with nothing in between. */
BACKEND_TEST(errors, neighbours) {
    winnow_predicate *predicate;
    struct region region;
    struct arguments a;

    predicate = open_memory(&region, backend);
    for (int before = 0; before < 2; before++) {
        a = good_arguments(backend, predicate, CALL_COPY);
        a.in = memory + 4000; /* 4000 bytes, like the output */
        a.out = before ? a.in - 4000 : a.in + 4000;
        a.count = a.in + (before ? 4000 : -8);
        expect_good(backend, CALL_COPY, &a, "beside each other");
    }
    close_memory(&region, predicate);
}

/* What is empty lies over nothing, wherever it begins: it may be inside of what
 * is not, and what is not inside of it. */
BACKEND_TEST(errors, empty_overlaps_nothing) {
    winnow_predicate *predicate;
    struct region region;

    predicate = open_memory(&region, backend);
    for (enum call call = CALL_COPY; call <= CALL_INDEX; call <<= 1) {
        struct arguments a = good_arguments(backend, predicate, call);

        a.n = 0;
        a.in = a.count + 4;
        expect_good(backend, call, &a, "with an empty input in its output");
        a = good_arguments(backend, predicate, call);
        a.out = a.in + 80;
        a.capacity = 0;
        expect_good(backend, call, &a, "with no room inside its input");
    }
    close_memory(&region, predicate);
}

/* Pointers that n == 0 does not need. */
BACKEND_TEST(errors, empty_input) {
    winnow_predicate *predicate;
    struct region region;

    predicate = open_memory(&region, backend);
    for (enum call call = CALL_COPY; call <= CALL_INDEX; call <<= 1) {
        struct arguments a = good_arguments(backend, predicate, call);

        a.n = 0;
        a.in = NULL;
        a.out = NULL;
        a.launch.d_workspace = NULL;
        a.launch.workspace_bytes = 0;
        expect_good(backend, call, &a, "of nothing");
    }
    region_fetch(&region, MEMORY_BYTES);
    for (int i = 0; i < 8; i++) { /* a count of 0, a selectivity of 0.0 */
        cr_assert_eq(region.seen[COUNT_AT + i], 0);
        cr_assert_eq(region.seen[SELECTIVITY_AT + i], 0);
    }
    close_memory(&region, predicate);
}

static char unwritten;

static void expect_no_context(int device) {
    winnow_context *const before = (winnow_context *)(void *)&unwritten;
    winnow_context *context = before;
    char what[64];

    snprintf(what, sizeof(what), "winnow_context_create(%d)", device);
    expect_refusal(winnow_context_create(&context, device),
                   WINNOW_ERR_NO_DEVICE, "device", what);
    cr_assert_eq(context, before, "%s: *context_p was written", what);
}

Test(errors, contexts) {
    expect_refusal(winnow_context_create(NULL, WINNOW_DEVICE_HOST), ARGUMENT,
                   "context_p", "winnow_context_create(NULL)");
    expect_refusal(winnow_context_create(NULL, 0), ARGUMENT, "context_p",
                   "winnow_context_create(NULL)");
    winnow_context_destroy(NULL);
    expect_refusal(winnow_context_set_threads(NULL, 1), ARGUMENT, "context",
                   "winnow_context_set_threads(NULL)");
    expect_refusal(winnow_context_set_compile(NULL, WINNOW_COMPILE_READY),
                   ARGUMENT, "context", "winnow_context_set_compile(NULL)");
    expect_no_context(-2);
    expect_no_context(INT32_MIN);
    expect_no_context(100000);
    expect_no_context(INT32_MAX);
}

#ifdef WINNOW_CUDA
GPU_TEST(errors, threads_of_a_device) {
    expect_refusal(winnow_context_set_threads(backend->context, 1),
                   WINNOW_ERR_UNSUPPORTED, "WINNOW_DEVICE_HOST",
                   "winnow_context_set_threads() of a device's context");
}

Test(errors, no_device) {
    const char *reason;

    if (gpu_present(&reason))
        cr_skip_test("there is a CUDA device");
    expect_no_context(0);
}
#else
Test(errors, built_without_cuda) {
    expect_no_context(0);
    cr_assert(strstr(winnow_last_error(), "without CUDA"), "detail is \"%s\"",
              winnow_last_error());
}
#endif
