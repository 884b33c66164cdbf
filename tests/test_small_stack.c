/*
 * How much of a thread's stack calls take, which the manual names: of
 * WINNOW_DEVICE_HOST, by one thread.
 *
 * The stack is the test's own, and full of a pattern before a thread has it. The
 * sanitizers' frames are larger.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include <config.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/arrow/arrow_batch.h"
#include "data.h"
#include "suite.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum {
    /* What a call takes is compared with less. Thread-local storage of all
     * libraries lies here, too: 20 KiB with CUDA's. */
    STACK = 128 << 10,
    PATTERN = 0xa5,
    N = 300000, /* as many as are ordered by a sample */
    COLUMNS = 12
};

/* What the calls below work on. */
static struct {
    struct backend backend;
    winnow_condition *condition;
    winnow_in in[COLUMNS];
    winnow_move move[COLUMNS];
    int32_t columns[COLUMNS][N], out[COLUMNS][N];
    uint8_t valid[N / 8 + 1];
    _Alignas(16) unsigned char selection[N / 2];
    uint64_t count;
    winnow_aggregate aggregates[WINNOW_MOST_AGGREGATES];
    winnow_reduction results[WINNOW_MOST_AGGREGATES];
    int64_t sums[100];
    winnow_status status;
} work;

typedef void task(void);

static void *run_task(void *argument) {
    (*(task **)argument)();
    return NULL;
}

/* Bytes of its stack that a thread has used for a task. */
static size_t used_by(task *run) {
    unsigned char *const stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    size_t unused = 0;

    cr_assert_neq(stack, MAP_FAILED);
    memset(stack, PATTERN, STACK);
    pthread_attr_init(&attributes);
    cr_assert_eq(pthread_attr_setstack(&attributes, stack, STACK), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run_task, &run), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    while (unused < STACK && stack[unused] == PATTERN)
        unused++;
    munmap(stack, STACK);
    return STACK - unused;
}

static void do_nothing(void) {
}

/* At most `most` KiB, beside what any thread uses. */
static void check_stack(const char *name, task *run, int most) {
    const size_t used = used_by(run) - used_by(do_nothing);

    cr_assert_eq(work.status, WINNOW_OK, "%s: %s", name,
                 winnow_status_string(work.status));
    cr_assert_leq(used, (size_t)most << 10, "%s takes %zu bytes of stack", name,
                  used);
}

/* ------------------------------------------------------------------ the calls */

static void parse_one(const char *text) {
    char names[COLUMNS][4];
    winnow_field fields[COLUMNS];

    for (unsigned c = 0; c < COLUMNS; c++) {
        snprintf(names[c], sizeof(names[c]), "c%u", c);
        fields[c] = (winnow_field){.name = names[c], .type = WINNOW_INT32};
    }
    work.status =
        winnow_condition_parse(&work.condition, fields, COLUMNS, text);
}

/* Many tests, nested, and lists. */
static char text[40000];

static void write_text(bool simple) {
    size_t length = 0;

    if (simple) {
        strcpy(text, "c0 < 50");
        return;
    }
    for (int i = 0; i < 100; i++)
        length +=
            (size_t)sprintf(text + length,
                            "c%d < %d %s (c%d in (%d, 3, 900, 17) or "
                            "not (c%d > 90 and ",
                            i % COLUMNS, 60 + i % 30, i % 2 ? "and" : "or",
                            (i + 1) % COLUMNS, i, (i + 5) % COLUMNS);
    length += (size_t)sprintf(text + length, "c1 <> 5 %s c2 is null", "or");
    memset(text + length, ')', 200);
    text[length + 200] = '\0';
}

static void parse(void) {
    parse_one(text);
}

static void select_where(void) {
    work.status = winnow_select_where(work.backend.context, work.condition,
                                      work.in, COLUMNS, N, work.selection,
                                      sizeof(work.selection), NULL);
}

static void copy_where(void) {
    work.status =
        winnow_copy_where(work.backend.context, work.condition, work.in,
                          COLUMNS, N, work.move, 3, N, &work.count, NULL);
}

/* One pass: the column is what the condition tests. */
static void copy_tested(void) {
    work.status =
        winnow_copy_where(work.backend.context, work.condition, work.in,
                          COLUMNS, N, work.move, 1, N, &work.count, NULL);
}

static void compact(void) {
    work.status =
        winnow_compact(work.backend.context, work.selection, work.columns[1], N,
                       4, work.out[1], N, &work.count, NULL);
}

static void plan_where(void) {
    winnow_plan plan = {.size = sizeof(plan)};
    const winnow_launch launch = {.size = sizeof(launch), .plan = &plan};

    work.status = winnow_select_where(work.backend.context, work.condition,
                                      work.in, COLUMNS, N, work.selection,
                                      sizeof(work.selection), &launch);
}

static void open_work(void) {
    backend_open_host(&work.backend);
    cr_assert_eq(winnow_context_set_threads(work.backend.context, 1),
                 WINNOW_OK);
    for (unsigned c = 0; c < COLUMNS; c++) {
        for (unsigned i = 0; i < N; i++)
            work.columns[c][i] = (int32_t)(data_random(c, i) % 100);
        work.in[c] = (winnow_in){.type = WINNOW_INT32,
                                 .d_base = work.columns[c],
                                 .d_valid = c % 3 == 2 ? work.valid : NULL};
        work.move[c] = (winnow_move){
            .d_in = work.columns[c], .d_out = work.out[c], .element_bytes = 4};
    }
    memset(work.valid, 0x6d, sizeof(work.valid));
}

Test(small_stack, conditions) {
    open_work();
    for (int simple = 0; simple < 2; simple++) {
        write_text(simple);
        check_stack("condition_parse", parse, 16);
        check_stack("select_where", select_where, 16);
        check_stack("a plan of select_where", plan_where, 16);
        check_stack("copy_where", copy_where, 32);
        check_stack("compact", compact, 32);
        if (simple)
            check_stack("copy_where of what is tested", copy_tested, 16);
        winnow_condition_destroy(work.condition);
    }
    backend_close(&work.backend);
}

/* ---------------------------------------------------------------- many columns */

static winnow_in many[WINNOW_CONDITION_MOST_COLUMNS];

static void select_many(void) {
    work.status =
        winnow_select_where(work.backend.context, work.condition, many,
                            WINNOW_CONDITION_MOST_COLUMNS, N, work.selection,
                            sizeof(work.selection), NULL);
}

/* Of which 128 arrays are checked. */
Test(small_stack, many_columns) {
    winnow_field fields[WINNOW_CONDITION_MOST_COLUMNS];
    char names[WINNOW_CONDITION_MOST_COLUMNS][8];
    size_t length = (size_t)sprintf(text, "c0 < 1000");

    open_work();
    for (unsigned c = 0; c < WINNOW_CONDITION_MOST_COLUMNS; c++) {
        many[c] = (winnow_in){.type = WINNOW_INT32,
                              .d_base = work.columns[c % COLUMNS],
                              .d_valid = work.valid};
        snprintf(names[c], sizeof(names[c]), "c%u", c);
        fields[c] = (winnow_field){.name = names[c], .type = WINNOW_INT32};
        length += (size_t)sprintf(text + length, " and %s < 1000", names[c]);
    }
    cr_assert_eq(winnow_condition_parse(&work.condition, fields,
                                        WINNOW_CONDITION_MOST_COLUMNS, text),
                 WINNOW_OK);
    check_stack("select_where", select_many, 16);
    winnow_condition_destroy(work.condition);
    backend_close(&work.backend);
}

/* ----------------------------------------------------------------- expressions */

/* Of several expressions, each with nulls, and with values of several registers,
 * and of one that stands in parentheses. */
static const char values_text[] =
    "(c0 + c1 * 2) * (c2 - c3) / ((c4 + 1.5) * (c5 - 0.5)) > 10 or "
    "c6 * c7 in (0, 35, 9, 3, 12) and (c8 - c9 < c10 or c11 + c0 > 1000) or "
    "not (c1 // c2 = 7 and (c3 % 5 in (1, 2) or (c0 > 3 and c5 + c6 <= 7)))";

static void parse_values(void) {
    parse_one(values_text);
}

static void reduce_where(void) {
    work.status = winnow_reduce_where(
        work.backend.context, work.condition, work.in, COLUMNS, N,
        work.aggregates, WINNOW_MOST_AGGREGATES, work.results, NULL);
}

static void accumulate_where(void) {
    const winnow_in keys = {.type = WINNOW_UINT32, .d_base = work.columns[0]};
    const winnow_in values = {.type = WINNOW_INT32, .d_base = work.columns[1]};
    const winnow_out sums = {.type = WINNOW_INT64, .d_base = work.sums};
    const winnow_accumulation accumulation = {.keys = &keys,
                                              .values = &values,
                                              .sums = &sums,
                                              .components = 1,
                                              .key_bound = 100};

    work.status =
        winnow_accumulate_where(work.backend.context, work.condition, work.in,
                                COLUMNS, N, &accumulation, NULL, NULL);
}

/* Of int64 and float64, of all columns. */
static void open_aggregates(void) {
    char expression[8 * COLUMNS], names[COLUMNS][4];
    winnow_field fields[COLUMNS];
    winnow_expression *parsed;

    for (unsigned c = 0; c < COLUMNS; c++) {
        snprintf(names[c], sizeof(names[c]), "c%u", c);
        fields[c] = (winnow_field){.name = names[c], .type = WINNOW_INT32};
    }
    for (unsigned i = 0; i < WINNOW_MOST_AGGREGATES; i++) {
        size_t length = (size_t)sprintf(expression, i % 2 ? "0.5" : "%u", i);
        for (unsigned c = 0; c < COLUMNS; c++)
            length += (size_t)sprintf(expression + length, " + c%u", c);
        cr_assert_eq(
            winnow_expression_parse(&parsed, fields, COLUMNS, expression),
            WINNOW_OK, "%s", winnow_last_error());
        work.aggregates[i] = (winnow_aggregate){
            .expression = parsed,
            .wanted = WINNOW_REDUCE_SUM | WINNOW_REDUCE_MINIMUM};
    }
}

static void close_aggregates(void) {
    for (unsigned i = 0; i < WINNOW_MOST_AGGREGATES; i++)
        winnow_expression_destroy(
            (winnow_expression *)(uintptr_t)work.aggregates[i].expression);
}

Test(small_stack, expressions) {
    open_work();
    open_aggregates();
    check_stack("condition_parse", parse_values, 16);
    check_stack("select_where", select_where, 16);
    check_stack("copy_where", copy_where, 32);
    check_stack("reduce_where", reduce_where, 32);
    check_stack("accumulate_where", accumulate_where, 40);
    winnow_condition_destroy(work.condition);
    parse_one("c0 < 3"); /* few items of a block pass */
    check_stack("reduce_where of few items", reduce_where, 32);
    winnow_condition_destroy(work.condition);
    close_aggregates();
    backend_close(&work.backend);
}

/* ----------------------------------------------------------------------- Arrow */

static struct arrow_batch batch;
static struct ArrowDeviceArray filtered;

static void filter_arrow(void) {
    work.status = winnow_filter_arrow(work.backend.context, work.condition,
                                      batch.schema, &batch.in, &filtered, NULL);
}

Test(small_stack, arrow) {
    static const char *const formats[] = {"i", "b", "vu", "U", "d:38,2", "tdD"};
    const struct arrow_shape shape = {.nulls = true, .seed = 4};

    backend_open_host(&work.backend);
    cr_assert_eq(winnow_context_set_threads(work.backend.context, 1),
                 WINNOW_OK);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        arrow_batch_open(&work.backend, &batch,
                         arrow_batch_of(arrow_schema(formats[i], "c", 0)),
                         10000, &shape);
        work.condition = arrow_condition(batch.schema, "k < 50");
        check_stack("filter_arrow", filter_arrow, 56);
        winnow_condition_destroy(work.condition);
        arrow_batch_compare(&batch, &filtered.array);
        filtered.array.release(&filtered.array);
        arrow_batch_close(&work.backend, &batch);
    }
    backend_close(&work.backend);
}
#endif
