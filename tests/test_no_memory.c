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

#include "failing_malloc.h"
#include "scenario/scenario.h"
#include "suite.h"

#ifdef FAILING_MALLOC
#define N 1000000

/* What the calls below work on. */
struct work {
    winnow_context *context;
    winnow_predicate *predicate;
    winnow_condition *condition;
    int32_t in[N], out[N], rest[N];
    uint32_t keys[N], keys_out[N];
    uint64_t n, fewer, offsets[9], count;
    _Alignas(16) unsigned char selection[N / 4];
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

static winnow_status copy(const winnow_launch *launch) {
    return winnow_copy_if(work.context, work.predicate, WINNOW_INT32, work.in,
                          work.n, work.out, WINNOW_NO_LIMIT, &work.count,
                          launch);
}

static winnow_status reduce(const winnow_launch *launch) {
    winnow_reduction result;
    return winnow_reduce_if(work.context, work.predicate, WINNOW_INT32, work.in,
                            work.n, WINNOW_REDUCE_SUM, &result, launch);
}

static winnow_status partition_by_key(const winnow_launch *launch) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = work.keys};
    const winnow_move move = {.d_in = work.keys,
                              .d_out = work.keys_out,
                              .element_bytes = sizeof(work.keys[0])};
    return winnow_partition_by_key(work.context, &keys, work.n,
                                   &(winnow_digit){.bits = 3}, &move, 1,
                                   work.offsets, launch);
}

static winnow_status partition_if(const winnow_launch *launch) {
    return winnow_partition_if(work.context, work.predicate, WINNOW_INT32,
                               work.in, work.n, work.out, work.rest, NULL,
                               launch);
}

static winnow_status copy_columns(const winnow_launch *launch) {
    const winnow_in key = {.type = WINNOW_INT32, .d_base = work.in};
    const winnow_move moves[] = {
        {.d_in = work.keys, .d_out = work.keys, .element_bytes = 4},
        {.d_in = work.in, .d_out = work.out, .element_bytes = 4}};
    return winnow_copy_columns_if(work.context, work.predicate, &key, work.n,
                                  moves, 2, work.n, &work.count, launch);
}

static winnow_status copy_where(const winnow_launch *launch) {
    const winnow_in column = {.type = WINNOW_INT32, .d_base = work.in};
    const winnow_move moves[] = {
        {.d_in = work.keys, .d_out = work.keys, .element_bytes = 4},
        {.d_in = work.in, .d_out = work.out, .element_bytes = 4}};
    return winnow_copy_where(work.context, work.condition, &column, 1, work.n,
                             moves, 2, work.n, &work.count, launch);
}

/* Keys that are behind the condition's numbers. */
static winnow_status run_pipe(const winnow_launch *launch) {
    const winnow_pipe_input inputs[] = {{.element_bytes = 4},
                                        {.element_bytes = 4}};
    const winnow_pipe_column column = {.type = WINNOW_INT32};
    const winnow_pipe_output outputs[] = {
        {.input = 1, .memory = work.keys_out, .capacity = N},
        {.kind = WINNOW_PIPE_MASK, .memory = work.out, .capacity = N}};
    const void *const memory[] = {work.in, work.keys};
    winnow_pipe *pipe = NULL;
    (void)launch;
    winnow_status status =
        winnow_pipe_create(&pipe, work.context, work.condition, &column, 1,
                           inputs, 2, outputs, 2, NULL);
    if (status == WINNOW_OK)
        status = winnow_pipe_feed(pipe, memory, work.n);
    if (status == WINNOW_OK)
        status = winnow_pipe_finish(pipe, &work.count);
    winnow_pipe_destroy(pipe);
    return status;
}

static winnow_status unique(const winnow_launch *launch) {
    const winnow_in keys = {.element_bytes = 4, .d_base = work.in};
    const winnow_move move = {
        .d_in = work.in, .d_out = work.out, .element_bytes = 4};
    return winnow_unique(work.context, &keys, work.n, NULL, &move, 1, work.n,
                         &work.count, launch);
}

static winnow_status accumulate(const winnow_launch *launch) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = work.keys};
    const winnow_in value = {.type = WINNOW_INT32, .d_base = work.in};
    const winnow_out sum = {.type = WINNOW_INT32, .d_base = work.out};
    return winnow_accumulate_by_key(work.context, &keys, &value, 1, work.n, 8,
                                    &sum, NULL, launch);
}

static winnow_status copy_flagged(const winnow_launch *launch) {
    const winnow_mask mask = {WINNOW_MASK_BYTES, work.keys, 0};
    const winnow_move move = {
        .d_in = work.in, .d_out = work.out, .element_bytes = 4};
    return winnow_copy_flagged(work.context, &mask, work.n, &move, 1, work.n,
                               &work.count, launch);
}

static winnow_status segmented_copy(const winnow_launch *launch) {
    const winnow_segments segments = {.type = WINNOW_UINT32,
                                      .count = 2,
                                      .d_offsets = work.keys,
                                      .d_out_offsets = work.keys_out};
    return winnow_segmented_copy_if(work.context, work.predicate, WINNOW_INT32,
                                    work.in, work.n, &segments, work.out,
                                    work.n, &work.count, launch);
}

static winnow_status compact_of_fewer(const winnow_launch *launch) {
    winnow_launch fewer = {.size = sizeof(fewer)};
    if (launch != NULL)
        fewer = *launch;
    fewer.d_n = &work.fewer;
    return winnow_compact(work.context, work.selection, work.in, work.n, 4,
                          work.out, work.n, &work.count, &fewer);
}

static void open_work(unsigned threads) {
    const int32_t least = 3;
    cr_assert_eq(winnow_context_create(&work.context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(winnow_context_set_threads(work.context, threads), WINNOW_OK);
    cr_assert_eq(winnow_predicate_compare(&work.predicate, WINNOW_INT32,
                                          WINNOW_GE, &least),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&work.condition, 0, work.predicate),
                 WINNOW_OK);
}

static void close_work(void) {
    winnow_condition_destroy(work.condition);
    winnow_predicate_destroy(work.predicate);
    winnow_context_destroy(work.context);
}

static void fill_work(uint64_t n) {
    work.n = n;
    for (int i = 0; i < N; i++)
        work.in[i] = (int)(work.keys[i] = (uint32_t)i * 7 / 3 % 8);
}

Test(no_memory, each_allocation) {
    static const struct {
        const char *name;
        winnow_status (*call)(const winnow_launch *launch);
        bool allocates;
    } cases[] = {
        {"context_create", create, true},
        {"predicate_range", make_predicate, true},
        {"condition_parse", parse, true},
        {"condition_parse, nested", parse_nested, true},
        {"condition_in", make_sets, true},
        {"copy_if", copy, false},
        {"reduce_if", reduce, true},
        {"partition_by_key", partition_by_key, false},
        {"partition_if", partition_if, true},
        {"copy_columns_if", copy_columns, true},
        {"copy_where", copy_where, true},
        {"pipe", run_pipe, true},
        {"unique", unique, false},
        {"accumulate_by_key", accumulate, false},
    };

    fill_work(N);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            bool failed = true, refused = false;

            for (long k = 0; failed; k++) {
                const long before = failing_malloc_alive();

                open_work(threads);
                failing_malloc_after(k);
                const winnow_status status = cases[i].call(NULL);
                failed = failing_malloc_stop();
                cr_assert(status == WINNOW_OK ||
                              (failed && status == WINNOW_ERR_MEMORY),
                          "%s, allocation %ld: %s", cases[i].name, k,
                          winnow_last_error());
                cr_assert(status == WINNOW_OK ||
                              strstr(winnow_last_error(), "memory") != NULL,
                          "%s: %s", cases[i].name, winnow_last_error());
                refused |= status == WINNOW_ERR_MEMORY;
                winnow_condition_destroy(work.condition);
                winnow_predicate_destroy(work.predicate);
                winnow_context_destroy(work.context);
                /* A thread's own memory outlives it. */
                cr_assert(threads > 1 || failing_malloc_alive() == before,
                          "%s, allocation %ld: %ld pieces are left",
                          cases[i].name, k, failing_malloc_alive() - before);
            }
            cr_assert(refused || !cases[i].allocates, "%s needs no memory",
                      cases[i].name);
        }
}

/* What winnow(7) promises of a thread alone: no call allocates where its plan
 * says 4096 bytes or less, nor any with a workspace. */
Test(no_memory, promised) {
    static const struct {
        const char *name;
        winnow_status (*call)(const winnow_launch *launch);
    } cases[] = {
        {"copy_if", copy},
        {"reduce_if", reduce},
        {"partition_by_key", partition_by_key},
        {"partition_if", partition_if},
        {"copy_columns_if", copy_columns},
        {"copy_where", copy_where},
        {"copy_flagged", copy_flagged},
        {"unique", unique},
        {"segmented_copy_if", segmented_copy},
        {"accumulate_by_key", accumulate},
        {"compact with d_n", compact_of_fewer},
    };
    static const uint64_t sizes[] = {0, 100, 10000, N};
    static _Alignas(16) unsigned char workspace[N];

    open_work(1);
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        fill_work(sizes[k]);
        work.fewer = work.n / 2;
        cr_assert_eq(winnow_select_if(
                         work.context, work.predicate, WINNOW_INT32, work.in,
                         work.n, work.selection, sizeof(work.selection), NULL),
                     WINNOW_OK);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            winnow_plan plan = {.size = sizeof(plan)};
            winnow_launch launch = {.size = sizeof(launch), .plan = &plan};

            cr_assert_eq(cases[i].call(&launch), WINNOW_OK, "%s: %s",
                         cases[i].name, winnow_last_error());
            cr_assert_leq(plan.workspace_bytes, sizeof(workspace));
            launch.plan = NULL;
            failing_malloc_reset();
            cr_assert_eq(cases[i].call(&launch), WINNOW_OK);
            cr_assert_eq(failing_malloc_count(),
                         plan.workspace_bytes <= 4096 ? 0 : 1,
                         "%s of %d, which needs %zu bytes, allocates %lu times",
                         cases[i].name, (int)work.n, plan.workspace_bytes,
                         failing_malloc_count());
            launch.d_workspace = workspace;
            launch.workspace_bytes = plan.workspace_bytes;
            failing_malloc_reset();
            cr_assert_eq(cases[i].call(&launch), WINNOW_OK, "%s: %s",
                         cases[i].name, winnow_last_error());
            cr_assert_eq(failing_malloc_count(), 0,
                         "%s of %d allocates beside its workspace",
                         cases[i].name, (int)work.n);
        }
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]) && k == 1;
             i++) {
            winnow_plan plan = {.size = sizeof(plan)};
            const winnow_launch launch = {.size = sizeof(launch),
                                          .plan = &plan};
            cr_assert_eq(cases[i].call(&launch), WINNOW_OK);
            cr_assert_leq(plan.workspace_bytes, (size_t)4096,
                          "%s of 100 items needs %zu bytes", cases[i].name,
                          plan.workspace_bytes);
        }
    }
    close_work();
}
#endif
