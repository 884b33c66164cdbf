/*
 * winnow_reduce_if: every type and set of results, lengths around
 * rows, tiles and parts, alignments, sums that overflow, the order of floats,
 * NaN, capture in a graph, and what it refuses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "reduced.h"
#include "reductions.h"
#include "rules.h"
#include "suite.h"

/* 32 KiB of elements. */
static uint64_t tile_of(winnow_type type) {
    return (32 << 10) / element_size(type);
}

/* With a workspace, or without. */
static void run(struct reduction *r, uint64_t n, unsigned wanted) {
    MUST(reduction_run(r, n, wanted, n % 2 != 0, report));
}

/* Every type and kind of test, with values that tend to go wrong and with
 * others, at several alignments. */
BACKEND_TEST(reduce_if, types_and_rules) {
    const uint64_t n = reduced_mode() ? 5003 : 70001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (size_t i = 0; i < RULES_KINDS; i++) {
            struct reduction r;

            reduction_open(&r, backend, &rules[i], i == 3,
                           pattern_named("uniform:0.5"), i % 2 != 0, 70 + i, n,
                           (unsigned)i % 4);
            run(&r, n, REDUCE_ALL);
            reduction_close(&r);
        }
    }
}

/* Every set of results. */
BACKEND_TEST(reduce_if, results) {
    const uint64_t n = reduced_mode() ? 9001 : 40001;
    static const winnow_type types[] = {WINNOW_INT8,    WINNOW_UINT16,
                                        WINNOW_INT32,   WINNOW_UINT64,
                                        WINNOW_FLOAT16, WINNOW_FLOAT64};

    for (size_t t = 0; t < 6; t++) {
        const struct rule rule = rules_plain(types[t]);
        struct reduction r;

        reduction_open(&r, backend, &rule, t % 2 != 0,
                       pattern_named("uniform:0.5"), true, 71, n, 1);
        for (unsigned wanted = 1; wanted < 32; wanted++)
            if (!(wanted & WINNOW_REDUCE_INDEX) || (wanted & REDUCE_ENDS))
                run(&r, n, wanted);
        reduction_close(&r);
    }
}

/* Around the ends of rows, tiles and parts, at every alignment. */
BACKEND_TEST(reduce_if, sizes) {
    FOR_EACH_TYPE(type) {
        const uint64_t tile = tile_of(type), row = tile / 8;
        const uint64_t sizes[] = {0,        1,         2,
                                  17,       row - 1,   row,
                                  row + 1,  tile - 1,  tile,
                                  tile + 1, 3 * tile,  3 * tile + 1,
                                  9 * tile, 12 * tile, 300 * tile + 5};
        const size_t number = reduced_mode() ? 12 : 15;
        const struct rule rule = rules_plain(type);
        const unsigned each = 16 / (unsigned)element_size(type);

        if (reduced_mode() && type % 3 != 0 && type != WINNOW_FLOAT32)
            continue;
        for (unsigned offset = 0; offset < each;
             offset += reduced_mode() && each > 4 ? 5 : 1) {
            struct reduction r;

            /* Hundreds of tiles at one offset, several at two. */
            const size_t at_offset = offset == 1   ? number
                                     : offset == 0 ? 13
                                                   : 11;
            const size_t here = at_offset < number ? at_offset : number;

            reduction_open(&r, backend, &rule, offset % 2 != 0,
                           pattern_named("runs:32"), true, 72 + offset,
                           sizes[here - 1], offset);
            for (size_t i = 0; i < here; i++)
                MUST(reduction_run(&r, sizes[i], REDUCE_ALL, i % 2 != 0,
                                   report));
            reduction_close(&r);
        }
    }
}

/* One element, or a few alike, anywhere: its value and its index. */
BACKEND_TEST(reduce_if, index_of_the_first) {
    static const winnow_type types[] = {WINNOW_UINT8, WINNOW_INT16,
                                        WINNOW_FLOAT32, WINNOW_INT64};

    for (size_t t = 0; t < 4; t++) {
        const uint64_t tile = tile_of(types[t]), n = 2 * tile + 100;
        const uint64_t places[] = {0,        1,        tile - 3, tile - 2,
                                   tile - 1, tile,     tile + 1, 2 * tile,
                                   n - 2,    tile / 2, n - 1};
        const size_t size = element_size(types[t]);
        struct rule rule = rules_plain(types[t]);

        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            struct reduction r;

            reduction_open(&r, backend, &rule, true, pattern_named("all"),
                           false, 73, n, (unsigned)i % 3);
            for (uint64_t x = 0; x < n; x++)
                element_store(types[t], r.input + x * size,
                              element_middle(types[t]));
            for (uint64_t x = places[i]; x < n; x += 997)
                element_store(types[t], r.input + x * size,
                              i % 2 != 0 ? element_top_bit(types[t]) | 1
                                         : element_middle(types[t]) - 1);
            region_write(&r.in, r.offset * size, r.input, n * size);
            run(&r, n, REDUCE_ENDS | WINNOW_REDUCE_INDEX);
            reduction_close(&r);
        }
    }
}

/* Elements that are all at an end of what their type holds: sums of 8 bytes
 * that overflow, both ways, and come back. */
BACKEND_TEST(reduce_if, extreme_integers) {
    const uint64_t n = reduced_mode() ? 9001 : 300001;

    for (winnow_type type = WINNOW_INT8; type < WINNOW_FLOAT16; type++) {
        const size_t size = element_size(type);
        const uint64_t all = element_all_bits(type);
        const uint64_t top = element_top_bit(type);
        const uint64_t values[] = {0, all, top, all ^ top};
        const struct rule rule = rules_plain(type);
        struct reduction r;

        reduction_open(&r, backend, &rule, true, pattern_named("all"), false,
                       74, n, 1);
        for (unsigned v = 0; v < 8; v++) {
            for (uint64_t x = 0; x < n; x++)
                element_store(type, r.input + x * size,
                              v < 4 || x % 2 == 0 ? values[v % 4]
                                                  : values[(v + 1) % 4]);
            region_write(&r.in, r.offset * size, r.input, n * size);
            run(&r, n, REDUCE_ALL);
            run(&r, 2, REDUCE_ALL);
        }
        reduction_close(&r);
    }
}

/* Only NaN pass; and zeros of both signs. */
BACKEND_TEST(reduce_if, special_floats) {
    static const winnow_type types[] = {WINNOW_FLOAT16, WINNOW_BFLOAT16,
                                        WINNOW_FLOAT32, WINNOW_FLOAT64};
    const uint64_t n = 9000;

    for (size_t t = 0; t < 4; t++) {
        const size_t size = element_size(types[t]);
        const uint64_t sign = element_top_bit(types[t]);
        const uint64_t nan = element_nan(types[t]);
        const uint64_t infinity = element_infinity(types[t]);
        const uint64_t values[][2] = {{nan, nan | sign},
                                      {0, sign},
                                      {sign, sign},
                                      {infinity, nan},
                                      {infinity | sign, nan | sign},
                                      {infinity, infinity | sign}};
        const struct rule rule = rules_plain(types[t]);

        for (size_t v = 0; v < 6; v++) {
            struct reduction r;

            reduction_open(&r, backend, &rule, true, pattern_named("all"),
                           false, 75, n, 1);
            for (uint64_t x = 0; x < n; x++)
                element_store(types[t], r.input + x * size,
                              values[v][x % 3 != 0]);
            region_write(&r.in, r.offset * size, r.input, n * size);
            run(&r, n, REDUCE_ALL);
            reduction_close(&r);
        }
    }
}

/* The device says how many elements there are: the order of floats is that of
 * n, and what comes after is not looked at, a NaN neither. */
BACKEND_TEST(reduce_if, LONG(bounds)) {
    FOR_EACH_TYPE(type) {
        const uint64_t tile = tile_of(type);
        const uint64_t sizes[] = {0, 1, 1000, tile, 3 * tile + 5, 9 * tile};
        const size_t number = reduced_mode() ? 5 : 6;
        const struct rule rule = rules_plain(type);
        struct reduction r;

        reduction_open(&r, backend, &rule, type % 2 != 0,
                       pattern_named("uniform:0.5"), type % 3 != 0, 80,
                       sizes[number - 1], (unsigned)type % 4);
        for (size_t i = 0; i < number; i++) {
            const uint64_t n = sizes[i];
            const uint64_t bounds[] = {0,
                                       1,
                                       data_random(81, n) % (n + 1),
                                       n / 2,
                                       n - (n != 0),
                                       n,
                                       n + 1,
                                       UINT64_MAX - 1};

            for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {
                r.d_n = bounds[b];
                MUST(reduction_run(
                    &r, n, b % 2 != 0 ? REDUCE_ALL : WINNOW_REDUCE_COUNT,
                    i % 2 != 0, report));
                MUST(reduction_run(&r, n, REDUCE_ALL, b % 2 != 0, report));
            }
        }
        reduction_close(&r);
    }
}

/* The order of floats is stated; that the sum is close to the exact one is
 * another matter. */
BACKEND_TEST(reduce_if, accuracy) {
    const uint64_t n = reduced_mode() ? 50000 : 1000000;
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct reduction r;
    winnow_reduction seen;
    long double sum = 0, magnitude = 0;

    reduction_open(&r, backend, &rule, true, pattern_named("all"), true, 76, n,
                   0);
    MUST(reduction_run(&r, n, WINNOW_REDUCE_SUM, false, report));
    memcpy(&seen, r.result.seen + REGION_GUARD, sizeof(seen));
    for (uint64_t i = 0; i < n; i++) {
        const double x = element_to_double(
            WINNOW_FLOAT32, element_load(WINNOW_FLOAT32, r.input + 4 * i));

        sum += x;
        magnitude += fabs(x);
    }
    cr_assert_leq(fabsl((long double)seen.sum.float64 - sum),
                  magnitude * 0x1p-48L, "%g, not %Lg", seen.sum.float64, sum);
    reduction_close(&r);
}

/* Parts of several tiles. */
BACKEND_TEST(reduce_if, large) {
    const uint64_t n = (UINT64_C(4096) * 32768 + 40000) / 4;
    const struct rule rule = rules_plain(WINNOW_FLOAT32);
    struct reduction r;

    if (reduced_mode()) /* schedules/reduce_if has them */
        return;
    reduction_open(&r, backend, &rule, false, pattern_named("uniform:0.5"),
                   true, 79, n, 3);
    MUST(reduction_run(&r, n, REDUCE_ALL, true, report));
    reduction_close(&r);
}

#ifdef WINNOW_CUDA

/* The same call replayed: with other data, it finds what is in these. */
GPU_TEST(reduce_if, capture) {
    const uint64_t n = 40000;
    const struct rule rule = rules_plain(WINNOW_INT32);

    for (int given = 0; given < 2; given++) {
        cudaGraphExec_t exec;
        cudaGraph_t graph;
        struct reduction r;

        reduction_open(&r, backend, &rule, false, pattern_named("uniform:0.5"),
                       false, 77, n, 1);
        unsigned char *const to = r.result.base + REGION_GUARD;
        GPU_MUST(cudaStreamBeginCapture(backend->stream,
                                        cudaStreamCaptureModeThreadLocal));
        cr_assert_eq(winnow_reduce_if(
                         backend->context, r.predicate, WINNOW_INT32,
                         r.in.base + 4, n, REDUCE_ALL,
                         (winnow_reduction *)(void *)to,
                         WINNOW_LAUNCH(.stream = backend->stream,
                                       .d_workspace =
                                           given != 0 ? r.workspace.base : NULL,
                                       .workspace_bytes =
                                           given != 0 ? r.workspace.bytes : 0)),
                     WINNOW_OK, "%s", winnow_last_error());
        GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
        GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
        for (uint64_t seed = 78; seed < 81; seed++) {
            winnow_reduction seen;

            data_fill(&rule, pattern_named("runs:32"), seed, n, r.input);
            region_write(&r.in, 4, r.input, n * 4);
            GPU_MUST(cudaGraphLaunch(exec, backend->stream));
            cr_assert_null(backend_wait(backend));
            backend_download(backend, &seen, to, sizeof(seen));
            MUST(reduction_check(&r, &seen, n, REDUCE_ALL, report));
        }
        GPU_MUST(cudaGraphExecDestroy(exec));
        GPU_MUST(cudaGraphDestroy(graph));
        reduction_close(&r);
    }
}
#endif

/* ----------------------------------------------------------------- refusals */

struct call {
    const winnow_predicate *predicate;
    int type;
    const void *in;
    uint64_t n;
    unsigned wanted;
    void *result;
    winnow_launch launch;
};

static winnow_status invoke(const struct backend *backend,
                            const struct call *c) {
    return winnow_reduce_if(backend->context, c->predicate,
                            (winnow_type)c->type, c->in, c->n, c->wanted,
                            c->result, &c->launch);
}

static void must_refuse(const struct backend *backend, const struct call *c,
                        winnow_status wanted, const char *detail) {
    const winnow_status status = invoke(backend, c);

    cr_assert_eq(status, wanted, "%s: %s, %s", detail,
                 winnow_status_name(status), winnow_last_error());
    cr_assert_not_null(strstr(winnow_last_error(), detail), "%s",
                       winnow_last_error());
}

/* The plan refuses what does not depend on a pointer, too. */
static void plan_must_refuse(const struct backend *backend,
                             const struct call *c, winnow_status wanted,
                             const char *detail) {
    winnow_plan plan = {.size = sizeof(plan), .workspace_bytes = 77};
    struct call planned = *c;

    must_refuse(backend, c, wanted, detail);
    planned.in = NULL;
    planned.result = NULL;
    planned.launch.plan = &plan;
    must_refuse(backend, &planned, wanted, detail);
    cr_assert_eq(plan.workspace_bytes, 77);
}

static void refuse_values(const struct backend *backend,
                          const struct call *good) {
    const winnow_status argument = WINNOW_ERR_ARGUMENT;
    struct call c = *good;

    c.type = 99;
    plan_must_refuse(backend, &c, argument, "type 99 is no winnow_type");
    c.type = WINNOW_OPAQUE;
    plan_must_refuse(backend, &c, argument, "type 0 is no winnow_type");
    c.type = WINNOW_UINT32;
    plan_must_refuse(backend, &c, argument, "the predicate is of int32");
    c = *good;
    c.wanted = 0;
    plan_must_refuse(backend, &c, argument, "wanted is 0");
    c.wanted = 65;
    plan_must_refuse(backend, &c, argument, "wanted 0x41");
    c.wanted = WINNOW_REDUCE_PARTIAL;
    plan_must_refuse(backend, &c, argument, "WINNOW_REDUCE_PARTIAL alone");
    c.wanted = WINNOW_REDUCE_INDEX | WINNOW_REDUCE_SUM;
    plan_must_refuse(backend, &c, argument, "WINNOW_REDUCE_INDEX");
    c = *good;
    c.n = UINT64_MAX / 2;
    plan_must_refuse(backend, &c, argument, "address space");
    c = *good;
    c.launch.strategy = WINNOW_TILE_SCAN;
    plan_must_refuse(backend, &c, WINNOW_ERR_UNSUPPORTED, "launch->strategy");
}

static void refuse_pointers(const struct backend *backend,
                            const struct call *good, unsigned char *memory) {
    const winnow_status argument = WINNOW_ERR_ARGUMENT;
    struct call c = *good;

    c.in = NULL;
    must_refuse(backend, &c, argument, "d_in is NULL");
    c.in = memory + 2;
    must_refuse(backend, &c, argument, "d_in");
    c = *good;
    c.result = NULL;
    must_refuse(backend, &c, argument, "d_result is NULL");
    c.result = memory + 4;
    must_refuse(backend, &c, argument, "d_result");
    c.result = memory + 8;
    must_refuse(backend, &c, argument, "overlap");
    c = *good;
    c.launch.workspace_bytes = 16;
    must_refuse(backend, &c, argument, "launch->d_workspace is NULL");
    c = *good;
    c.launch.d_n = (const uint64_t *)(void *)(memory + 4);
    must_refuse(backend, &c, argument, "launch->d_n");
    c.launch.d_n = good->result;
    must_refuse(backend, &c, argument, "overlap");
    c = *good;
    c.launch.d_position = (uint64_t *)(void *)(memory + 65536);
    must_refuse(backend, &c, WINNOW_ERR_UNSUPPORTED, "launch->d_position");
    c = *good;
    c.launch.d_strategy = (int32_t *)(void *)(memory + 65536);
    must_refuse(backend, &c, WINNOW_ERR_UNSUPPORTED, "launch->d_strategy");
    if (!backend->gpu)
        return;
    c = *good;
    c.launch.d_workspace = memory + 65536;
    c.launch.workspace_bytes = 16;
    c.n = 20000;
    c.in = memory + 131072;
    must_refuse(backend, &c, WINNOW_ERR_WORKSPACE, "are needed");
}

BACKEND_TEST(reduce_if, refusals) {
    const int32_t zero = 0;
    winnow_predicate *predicate;
    struct region memory;
    struct call c = {
        .type = WINNOW_INT32,
        .n = 100,
        .wanted = REDUCE_ALL,
        .launch = {.size = sizeof(c.launch), .stream = backend->stream}};

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_INT32, WINNOW_GE, &zero),
        WINNOW_OK);
    region_open(&memory, backend, 262144);
    region_poison(&memory, memory.bytes);
    c.predicate = predicate;
    c.in = memory.base;
    c.result = memory.base + 1024;
    refuse_values(backend, &c);
    refuse_pointers(backend, &c, memory.base);
    cr_assert_eq(winnow_reduce_if(NULL, NULL, WINNOW_INT8, memory.base, 1,
                                  REDUCE_ALL, c.result, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_null(backend_wait(backend));
    region_fetch(&memory, memory.bytes);
    MUST(region_untouched(&memory, "memory", 0, 0, memory.bytes, report));
    region_close(&memory);
    winnow_predicate_destroy(predicate);
}
