/*
 * winnow_accumulate_by_key: every type of key and value, layout and number of
 * components, over keys of all kinds; capture in a graph; threads of the host;
 * and what is refused. test_accumulate_ways.c has the ways of a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accumulated.h"
#include "reduced.h"
#include "report.h"
#include "suite.h"

static bool run(struct accumulate *t, const struct backend *backend,
                struct report *report) {
    t->seed++;
    return accumulated_run(t, backend, report);
}

BACKEND_TEST(accumulate, types) {
    MUST(accumulated_types(backend, run, report));
}

BACKEND_TEST(accumulate, keys) {
    MUST(accumulated_keys(backend, run, report));
}

BACKEND_TEST(accumulate, components) {
    MUST(accumulated_components(backend, run, report));
}

BACKEND_TEST(accumulate, neighbours) {
    MUST(accumulated_neighbours(backend, run, report));
}

BACKEND_TEST(accumulate, bounds) {
    MUST(accumulated_bounds(backend, run, report));
}

BACKEND_TEST(accumulate, sizes) {
    MUST(accumulated_sizes(backend, run, report));
}

BACKEND_TEST(accumulate, LONG(items)) {
    MUST(accumulated_items(backend, run, report));
}

BACKEND_TEST(accumulate, LONG(wide)) {
    MUST(accumulated_wide(backend, run, report));
}

/* A call adds to what the one before it left, and counts anew. */
BACKEND_TEST(accumulate, twice) {
    struct accumulate t = ACCUMULATE_INIT;
    struct accumulated a;

    t.n = 10000;
    t.sums_layout = INTERLEAVED;
    t.components = 3;
    accumulated_open(&t, backend, &a);
    const uint64_t beyond = a.beyond;
    accumulated_expect(&t, &a); /* expect the same again */
    a.beyond = beyond;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(accumulated_enqueue(&t, backend, &a, NULL, 0), WINNOW_OK,
                     "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(accumulated_check(&t, backend, &a, report));
    accumulated_close(backend, &a);
}

/* The plan's bytes are enough, and one fewer is refused. */
BACKEND_TEST(accumulate, plans) {
    struct accumulate t = ACCUMULATE_INIT;
    struct accumulated a;
    size_t bytes = 0;

    accumulated_open(&t, backend, &a);
    cr_assert_eq(accumulated_plan(&t, backend, &bytes), WINNOW_OK);
    cr_assert_eq(bytes != 0, backend->gpu);
    void *const workspace = backend_alloc(backend, bytes + 1);
    if (bytes != 0)
        cr_assert_eq(accumulated_enqueue(&t, backend, &a, workspace, bytes - 1),
                     WINNOW_ERR_WORKSPACE);
    cr_assert_eq(accumulated_enqueue(&t, backend, &a, workspace, bytes),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    MUST(accumulated_check(&t, backend, &a, report));
    backend_free(backend, workspace);
    accumulated_close(backend, &a);
}

#ifdef WINNOW_CUDA
/* Each replay adds to what is there: with the pool's memory, then with a
 * workspace. */
GPU_TEST(accumulate, graph) {
    for (int i = 0; i < 4; i++) {
        struct accumulate t = ACCUMULATE_INIT;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        struct accumulated a;
        size_t bytes = 0;

        t.n = 9000;
        t.keys = KEYS_RUNS;
        t.components = 1 + (unsigned)i / 2;
        t.values_layout = INTERLEAVED;
        accumulated_open(&t, backend, &a);
        const uint64_t beyond = a.beyond;
        accumulated_expect(&t, &a);
        a.beyond = beyond;
        cr_assert_eq(accumulated_plan(&t, backend, &bytes), WINNOW_OK);
        cr_assert_leq(bytes, 4096u);
        void *const workspace =
            i % 2 == 0 ? NULL : backend_alloc(backend, bytes);
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeGlobal));
        cr_assert_eq(accumulated_enqueue(&t, backend, &a, workspace,
                                         workspace ? bytes : 0),
                     WINNOW_OK, "%s", winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (int k = 0; k < 2; k++)
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        cr_assert_null(backend_wait(backend));
        MUST(accumulated_check(&t, backend, &a, report));
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        if (workspace)
            backend_free(backend, workspace);
        accumulated_close(backend, &a);
    }
}

/* On a GPU so many items that sums in shared memory are worth it, one component
 * at a time or of the first keys; and so many sums that they are added to in
 * windows: 100 MB of the largest, in the L2 cache of no GPU. The CPU device has
 * tests of its own for these. */
GPU_TEST(accumulate, large) {
#ifdef WINNOW_SIMT
    const uint64_t n = 30000, bounds[] = {3000, 10000, 30000};
#else
    const uint64_t n = UINT64_C(13) << 20,
                   bounds[] = {30000, 100000, UINT64_C(25) << 20};
#endif

    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++) {
            static const enum keys kinds[] = {KEYS_UNIFORM, KEYS_MIXED,
                                              KEYS_HALVES};
            struct accumulate t = ACCUMULATE_INIT;

            t.n = n;
            t.seed = 3 * b + k;
            t.beyond = k != 2;
            t.keys = kinds[k];
            t.bound = bounds[b];
            t.components = b == 0 ? 2 + k : b == 1 ? 1 + k : 1;
            t.value_type = (b + k) % 2 ? WINNOW_INT32 : WINNOW_FLOAT32;
            MUST(accumulated_run(&t, backend, report));
        }
}

#endif

/* ---------------------------------------------------------------- the host */

/* With threads: sums in buffers of their own, and slices of the keys. Beside the
 * CPU device only where races are looked for: it is the host's alone. */
#if !defined(WINNOW_SIMT) || defined(__SANITIZE_THREAD__)
Test(accumulate, threads) {
    static const uint64_t bounds[] = {0, 3, 5000, 100000, 1000003};
    struct backend backend;

    backend_open_host(&backend);
    for (unsigned threads = 1; threads <= 7; threads += reduced_mode() ? 6 : 3)
        for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
            for (size_t v = 0; v < VALUE_TYPES; v++) {
                struct accumulate t = ACCUMULATE_INIT;

                cr_assert_eq(
                    winnow_context_set_threads(backend.context, threads),
                    WINNOW_OK);
                t.n = 600007;
                t.bound = bounds[b];
                t.value_type = accumulated_value_types[v];
                t.components = 1 + (unsigned)(v % 3);
                t.sums_layout = (enum layout)(v % 2);
                t.wide_sums = v % 2 == 0 && b % 2 != 0;
                t.counted = b % 2 == 0;
                t.items = 500001;
                t.keys = (enum keys)(b + v);
                t.seed = b;
                MUST(accumulated_run(&t, &backend, report));
            }
    backend_close(&backend);
}
#endif

/* ------------------------------------------------------------ what is wrong */

/* A call with one thing wrong. */
struct bad {
    winnow_context *context;
    winnow_in keys, values[2];
    winnow_out sums[2];
    unsigned components;
    uint64_t n, bound, *beyond;
    winnow_launch launch;
    bool no_keys, no_values, no_sums;
};

static winnow_status call_bad(const struct bad *b) {
    return winnow_accumulate_by_key(
        b->context, b->no_keys ? NULL : &b->keys,
        b->no_values ? NULL : b->values, b->components, b->n, b->bound,
        b->no_sums ? NULL : b->sums, b->beyond, &b->launch);
}

static void expect(const struct bad *b, winnow_status status,
                   const char *says) {
    const winnow_status found = call_bad(b);

    cr_assert_eq(found, status, "%s: %s", says, winnow_status_name(found));
    cr_assert_eq(strncmp(winnow_last_error(), says, strlen(says)), 0,
                 "%s, not %s", winnow_last_error(), says);
}

static _Alignas(16) uint32_t bad_keys[4] = {0, 1, 2, 3};
static _Alignas(16) int32_t bad_values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static _Alignas(16) int32_t bad_sums[16], more[8];
static _Alignas(16) uint64_t bad_beyond = 77;

static struct bad good_call(winnow_context *context) {
    return (struct bad){
        .context = context,
        .keys = {.type = WINNOW_UINT32, .d_base = bad_keys},
        .values = {{.type = WINNOW_INT32, .d_base = bad_values},
                   {.type = WINNOW_INT32, .d_base = bad_values + 4}},
        .sums = {{.type = WINNOW_INT32, .d_base = bad_sums},
                 {.type = WINNOW_INT32, .d_base = more}},
        .components = 2,
        .n = 4,
        .bound = 4,
        .beyond = &bad_beyond,
        .launch = {.size = sizeof(winnow_launch)}};
}

#define BAD(STATUS, TEXT, MEMBER, VALUE)                                       \
    do {                                                                       \
        struct bad bad = good_call(context);                                   \
        bad.MEMBER = (VALUE);                                                  \
        expect(&bad, (STATUS), (TEXT));                                        \
    } while (0)
#define REFUSED(TEXT, MEMBER, VALUE)                                           \
    BAD(WINNOW_ERR_ARGUMENT, TEXT, MEMBER, VALUE)
#define UNSUPPORTED(TEXT, MEMBER, VALUE)                                       \
    BAD(WINNOW_ERR_UNSUPPORTED, TEXT, MEMBER, VALUE)

Test(accumulate, refused) {
    winnow_context *context;
    uint64_t position = 0;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    REFUSED("context is NULL", context, NULL);
    REFUSED("keys is NULL", no_keys, true);
    REFUSED("keys->type is int32: wanted", keys.type, WINNOW_INT32);
    REFUSED("keys->type 99 is no winnow_type", keys.type, (winnow_type)99);
    REFUSED("keys has no type, and element_bytes is 0", keys.type,
            WINNOW_OPAQUE);
    REFUSED("keys->element_bytes is 8", keys.element_bytes, 8);
    UNSUPPORTED("keys->stride_bytes is 8", keys.stride_bytes, 8);
    UNSUPPORTED("keys->d_valid is set: this call takes no nulls; "
                "winnow_copy_where(), winnow_reduce_where() and "
                "winnow_accumulate_where() do, by conditions such as x is not "
                "null",
                keys.d_valid, &position);
    UNSUPPORTED("values[1].d_valid is set: this call takes no nulls",
                values[1].d_valid, &position);
    REFUSED("keys->reserved is not 0", keys.reserved[1], 1);
    REFUSED("keys->d_base is NULL", keys.d_base, NULL);
    REFUSED("keys->d_base (", keys.d_base, (const char *)bad_keys + 2);
    REFUSED("values is NULL", no_values, true);
    REFUSED("values[0].type is int8, which is not summed: wanted int32, int64, "
            "uint32, uint64, float32 or float64",
            values[0].type, WINNOW_INT8);
    REFUSED("values[0].type is float16, which is not summed", values[0].type,
            WINNOW_FLOAT16);
    REFUSED("values[1].type is float32, and values[0].type is int32",
            values[1].type, WINNOW_FLOAT32);
    UNSUPPORTED("values[0].stride_bytes is 6: wanted", values[0].stride_bytes,
                6);
    UNSUPPORTED("values[1].stride_bytes is -4: wanted", values[1].stride_bytes,
                -4);
    UNSUPPORTED("values[1].stride_bytes is 8, and values[0].stride_bytes is 0",
                values[1].stride_bytes, 8);
    REFUSED("values[1].d_base is NULL", values[1].d_base, NULL);
    REFUSED("values[0].d_base (", values[0].d_base,
            (const char *)bad_values + 1);
    REFUSED("sums is NULL", no_sums, true);
    REFUSED("sums[0].type is uint32, and values are int32: wanted int32 or "
            "int64",
            sums[0].type, WINNOW_UINT32);
    REFUSED("sums[1].type is int64, and sums[0].type is int32", sums[1].type,
            WINNOW_INT64);
    UNSUPPORTED("sums[0].stride_bytes is -8", sums[0].stride_bytes, -8);
    UNSUPPORTED("sums[1].stride_bytes is 8, and", sums[1].stride_bytes, 8);
    REFUSED("sums[0].reserved is not 0", sums[0].reserved[0], 1);
    REFUSED("sums[0].d_base is NULL", sums[0].d_base, NULL);
    REFUSED("sums[1].d_base (", sums[1].d_base, (char *)more + 2);
    REFUSED("sums[0].d_base and sums[1].d_base overlap", sums[1].d_base,
            bad_sums + 3);
    REFUSED("values[1].d_base and sums[0].d_base overlap", sums[0].d_base,
            bad_values + 4);
    REFUSED("keys->d_base and sums[0].d_base overlap", sums[0].d_base,
            bad_keys);
    REFUSED("d_beyond (", beyond, (uint64_t *)(void *)((char *)more + 4));
    REFUSED("sums[0].d_base and d_beyond overlap", beyond,
            (uint64_t *)(void *)bad_sums);
    REFUSED("components is 0: wanted 1 to 16", components, 0);
    REFUSED("components is 17: wanted 1 to 16", components, 17);
    REFUSED("n is ", n, UINT64_MAX / 4 + 1);
    REFUSED("key_bound is ", bound, UINT64_MAX / 4 + 1);
    REFUSED("launch->size is 0", launch.size, 0);
    REFUSED("launch->reserved[2] is not 0", launch.reserved[2], 1);
    REFUSED("launch->d_workspace is NULL", launch.workspace_bytes, 16);
    REFUSED("launch->order 5", launch.order, (winnow_order)5);
    UNSUPPORTED("launch->d_position is set", launch.d_position, &position);
    UNSUPPORTED("launch->strategy is set", launch.strategy, WINNOW_TILE_SCAN);
    UNSUPPORTED("launch->d_strategy is set", launch.d_strategy,
                (int32_t *)&position);
    REFUSED("launch->d_n (", launch.d_n,
            (const uint64_t *)(const void *)((char *)&position + 4));
    REFUSED("sums[0].d_base and launch->d_n overlap", launch.d_n,
            (const uint64_t *)(const void *)bad_sums);
    REFUSED("d_beyond and launch->d_n overlap", launch.d_n, &bad_beyond);
    for (int i = 0; i < 8; i++)
        cr_assert(bad_sums[i] == 0 && more[i] == 0);
    cr_assert_eq(bad_beyond, 77u);
    winnow_context_destroy(context);
}

/* Of two components, where sums begin, and their stride, in elements. */
struct places {
    int first, second, stride;
    bool right;
};

/* Interleaved sums are one block, in any order; sums that meet are refused, and
 * so is what lies in the block. */
Test(accumulate, interleaved_sums) {
    static const struct places cases[] = {
        {0, 1, 2, true},  {1, 0, 2, true},  {0, 2, 3, true},  {3, 4, 4, true},
        {0, 1, 4, true},  {0, 12, 3, true}, {0, 2, 2, false}, {0, 0, 2, false},
        {0, 4, 4, false}, {0, 5, 3, false}, {2, 2, 1, false}, {5, 3, 2, false},
        {0, 4, 1, true},
    };
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        _Alignas(16) int32_t sums[24] = {0};
        int32_t wanted[24] = {0};
        struct bad call = good_call(context);

        call.sums[0].d_base = sums + cases[i].first;
        call.sums[1].d_base = sums + cases[i].second;
        for (int c = 0; c < 2; c++)
            call.sums[c].stride_bytes =
                cases[i].stride * (int64_t)sizeof(int32_t);
        for (int k = 0; k < 4 && cases[i].right; k++) {
            wanted[cases[i].first + k * cases[i].stride]++;
            wanted[cases[i].second + k * cases[i].stride]++;
        }
        if (cases[i].right)
            cr_assert_eq(call_bad(&call), WINNOW_OK, "case %zu: %s", i,
                         winnow_last_error());
        else
            expect(&call, WINNOW_ERR_ARGUMENT, "sums[");
        cr_assert_eq(memcmp(sums, wanted, sizeof(sums)), 0, "case %zu", i);
        /* Between two records of sums. */
        call.beyond = (uint64_t *)(void *)(sums + 2);
        if (cases[i].stride == 4 && cases[i].second == 1)
            expect(&call, WINNOW_ERR_ARGUMENT, "sums[0].d_base and d_beyond");
    }
    winnow_context_destroy(context);
}

/* As it stands it is right; values may be read twice. */
Test(accumulate, right) {
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    struct bad right = good_call(context);
    right.values[1].d_base = bad_values;
    cr_assert_eq(call_bad(&right), WINNOW_OK);
    cr_assert(bad_sums[3] == 1 && more[0] == 1 && bad_sums[4] == 0);
    cr_assert_eq(bad_beyond, 0u);
    winnow_context_destroy(context);
}

/* Structures of later programs. */
Test(accumulate, launch_size) {
    struct {
        winnow_launch launch;
        uint64_t later;
    } longer = {{.size = sizeof(longer)}, 0};
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    const struct bad good = good_call(context);
    for (int i = 0; i <= 1; i++) {
        longer.later = (uint64_t)i;
        cr_assert_eq(winnow_accumulate_by_key(context, &good.keys, good.values,
                                              2, 4, 4, good.sums, NULL,
                                              &longer.launch),
                     i ? WINNOW_ERR_ARGUMENT : WINNOW_OK);
    }
    winnow_context_destroy(context);
}
