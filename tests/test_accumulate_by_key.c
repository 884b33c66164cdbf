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

/* A call adds to what the one before it left, and counts anew. */
BACKEND_TEST(accumulate, twice) {
    struct accumulate t = ACCUMULATE_INIT;
    struct accumulated a;

    t.n = 10000;
    t.options.out_layout = WINNOW_INTERLEAVED;
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
        t.options.values_layout = WINNOW_INTERLEAVED;
        accumulated_open(&t, backend, &a);
        const uint64_t beyond = a.beyond;
        accumulated_expect(&t, &a);
        a.beyond = beyond;
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         backend->context, t.key_type, t.n, t.bound,
                         t.value_type, t.components, &t.options, &bytes),
                     WINNOW_OK);
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

/* With threads: sums in buffers of their own, and slices of the keys. */
Test(accumulate, threads, .timeout = SUITE_TIMEOUT) {
    static const uint64_t bounds[] = {0, 3, 5000, 100000, 1000003};
    struct backend backend;

    backend_open_host(&backend);
    for (unsigned threads = 1; threads <= 7; threads += 3)
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
                t.options.out_layout = (winnow_layout)(v % 2);
                t.keys = (enum keys)(b + v);
                t.seed = b;
                MUST(accumulated_run(&t, &backend, report));
            }
    backend_close(&backend);
}

/* ------------------------------------------------------------ what is wrong */

struct bad {
    const char *says; /* the beginning of it */
    winnow_status status;
    winnow_type key_type, value_type;
    uint64_t n, bound;
    unsigned components;
    winnow_accumulate_options options;
    const void *keys, *values[2];
    void *out[2];
    void *beyond;
    void *workspace;
    size_t bytes;
    bool no_values, no_out, no_context;
};

static winnow_status call_bad(const struct bad *b, winnow_context *context) {
    return winnow_accumulate_by_key(
        b->no_context ? NULL : context, b->key_type, b->keys, b->n, b->bound,
        b->value_type, b->components, b->no_values ? NULL : b->values,
        b->no_out ? NULL : b->out, b->beyond, &b->options, b->workspace,
        b->bytes, NULL);
}

Test(accumulate, refused) {
    static _Alignas(16) uint32_t keys[4] = {0, 1, 2, 3};
    static _Alignas(16) int32_t values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    static _Alignas(16) int32_t out[8], more[8];
    static _Alignas(16) uint64_t beyond = 77;
    winnow_context *context;
    const struct bad good = {.status = WINNOW_ERR_ARGUMENT,
                             .key_type = WINNOW_UINT32,
                             .value_type = WINNOW_INT32,
                             .n = 4,
                             .bound = 4,
                             .components = 2,
                             .options = WINNOW_ACCUMULATE_OPTIONS_INIT,
                             .keys = keys,
                             .values = {values, values + 4},
                             .out = {out, more},
                             .beyond = &beyond};
    struct bad cases[40];
    size_t number = 0, bytes = 0;

#define BAD(text) cases[number] = good, cases[number].says = (text)
#define CASE(text, member, value)                                              \
    (BAD(text), cases[number].member = (value), number++)
    CASE("key_type 2 is neither", key_type, WINNOW_INT32);
    CASE("key_type 99 is neither", key_type, (winnow_type)99);
    CASE("value_type 0 is not summed", value_type, WINNOW_INT8);
    CASE("value_type 8 is not summed", value_type, WINNOW_FLOAT16);
    CASE("value_type 99 is not summed", value_type, (winnow_type)99);
    CASE("components is 0: wanted 1 to 16", components, 0);
    CASE("components is 17: wanted 1 to 16", components, 17);
    CASE("n is ", n, UINT64_MAX / 4 + 1);
    CASE("key_bound is ", bound, UINT64_MAX / 4 + 1);
    CASE("context is NULL", no_context, true);
    CASE("d_keys is NULL", keys, NULL);
    CASE("d_keys (", keys, (const char *)keys + 2);
    CASE("d_values is NULL", no_values, true);
    CASE("d_values[1] is NULL", values[1], NULL);
    CASE("d_values[0] (", values[0], (const char *)values + 1);
    CASE("d_out is NULL", no_out, true);
    CASE("d_out[0] is NULL", out[0], NULL);
    CASE("d_out[1] (", out[1], (char *)more + 2);
    CASE("d_out[0] and d_out[1] overlap", out[1], out + 3);
    CASE("d_values[1] and d_out[0] overlap", out[0], values + 4);
    CASE("d_keys and d_out[0] overlap", out[0], keys);
    CASE("d_beyond (", beyond, (char *)&beyond + 4);
    CASE("d_out[0] and d_beyond overlap", beyond, out);
    CASE("options->size is 0", options.size, 0);
    CASE("options->values_layout 2 is", options.values_layout,
         (winnow_layout)2);
    CASE("options->out_layout -1 is", options.out_layout, (winnow_layout)-1);
    CASE("d_workspace is NULL", bytes, 16);
    /* One pointer to pairs: twice as long. */
    CASE("d_values[0] and d_out[0] overlap", out[0], values + 4);
    cases[number - 1].options.values_layout = WINNOW_INTERLEAVED;
#undef CASE
#undef BAD
    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    for (size_t i = 0; i < number; i++) {
        cr_assert_eq(call_bad(&cases[i], context), cases[i].status, "case %zu",
                     i);
        cr_assert_eq(
            strncmp(winnow_last_error(), cases[i].says, strlen(cases[i].says)),
            0, "case %zu: %s, not %s", i, winnow_last_error(), cases[i].says);
    }
    for (int i = 0; i < 8; i++)
        cr_assert(out[i] == 0 && more[i] == 0);
    cr_assert_eq(beyond, 77u);
    cr_assert_eq(winnow_accumulate_by_key_workspace(
                     context, WINNOW_UINT32, 4, 4, WINNOW_INT32, 2, NULL, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_str_eq(winnow_last_error(), "bytes_p is NULL");
    cr_assert_eq(winnow_accumulate_by_key_workspace(context, WINNOW_UINT32, 4,
                                                    4, WINNOW_INT32, 2, NULL,
                                                    &bytes),
                 WINNOW_OK);
    cr_assert_eq(bytes, 0u);
    /* As it stands it is right; values may be read twice. */
    struct bad right = good;
    right.values[1] = values;
    cr_assert_eq(call_bad(&right, context), WINNOW_OK);
    cr_assert(out[3] == 1 && more[0] == 1 && out[4] == 0);
    cr_assert_eq(beyond, 0u);
    winnow_context_destroy(context);
}

/* Structures of later programs. */
Test(accumulate, options_size) {
    struct {
        winnow_accumulate_options options;
        uint64_t later;
    } longer = {WINNOW_ACCUMULATE_OPTIONS_INIT, 0};
    winnow_context *context;
    size_t bytes;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    longer.options.size = sizeof(longer);
    for (int i = 0; i <= 1; i++) {
        longer.later = (uint64_t)i;
        cr_assert_eq(winnow_accumulate_by_key_workspace(
                         context, WINNOW_UINT32, 4, 4, WINNOW_INT32, 1,
                         &longer.options, &bytes),
                     i ? WINNOW_ERR_ARGUMENT : WINNOW_OK);
    }
    winnow_context_destroy(context);
}
