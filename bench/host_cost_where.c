/*
 * What a call of select_where costs the host: a row for each kind of condition,
 * beside that of select_if.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host_cost.h"

#include "util.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    COLUMNS = 4,
    WORD = 4 /* bytes of each string */
};

/* One test, several, a set; an expression, which a device has a kernel compiled for
 * or interprets, and one that is always interpreted; strings. */
static const char *const texts[] = {
    "x < 0.5",
    "x < 0.5 and k < 50",
    "x < 0.5 and (k < 50 or y > 0.25)",
    "k in (1, 4, 9, 16, 25, 36, 49, 64, 81)",
    "x + y < 1.5",
    "k * 2 < 100 and k in (1, 4, 9, 16, 25, 36, 49, 64, 81)",
    "s = 'abcd'",
};

typedef struct table {
    const bench_run *run;
    uint64_t n;
    winnow_in columns[COLUMNS];
    void *d_memory[COLUMNS + 1]; /* and the bytes of the strings */
    winnow_condition *condition;
} table;

static const winnow_field fields[COLUMNS] = {
    {.name = "x", .type = WINNOW_FLOAT32},
    {.name = "k", .type = WINNOW_INT32},
    {.name = "y", .type = WINNOW_FLOAT64},
    {.name = "s", .type = WINNOW_STRING32}};

/* Element i of a column, of numbers below 1 or below 100. */
static void put(unsigned column, void *to, uint64_t i) {
    const uint64_t hash = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    switch (column) {
    case 0:
        ((float *)to)[i] = (float)(hash % 1000) / 1000;
        break;
    case 1:
        ((int32_t *)to)[i] = (int32_t)(hash % 100);
        break;
    case 2:
        ((double *)to)[i] = (double)(hash % 1000) / 1000;
        break;
    default:
        ((int32_t *)to)[i] = (int32_t)(WORD * i);
    }
}

static void *store(const bench_platform *platform, const void *from,
                   size_t bytes) {
    void *const d_memory = platform->alloc(bytes);
    platform->store(d_memory, from, bytes);
    return d_memory;
}

static void table_open(table *t, const bench_run *run, uint64_t n) {
    const bench_platform *const platform = &run->platform;
    const size_t bytes = (size_t)(n + 1) * sizeof(double);
    unsigned char *const memory = bench_alloc(bytes);
    *t = (table){.run = run, .n = n};
    for (unsigned c = 0; c < COLUMNS; c++) {
        for (uint64_t i = 0; i <= n; i++)
            put(c, memory, i);
        t->d_memory[c] = store(platform, memory, bytes);
        t->columns[c] =
            (winnow_in){.type = fields[c].type, .d_base = t->d_memory[c]};
    }
    for (size_t i = 0; i < WORD * n; i++)
        memory[i] = (unsigned char)("abcdefgh"[i % (2 * WORD)]);
    t->d_memory[COLUMNS] = store(platform, memory, bytes);
    t->columns[COLUMNS - 1].d_data = t->d_memory[COLUMNS];
    t->columns[COLUMNS - 1].data_size = WORD * n;
    free(memory);
}

static void table_close(table *t) {
    for (unsigned i = 0; i <= COLUMNS; i++)
        t->run->platform.release(t->d_memory[i]);
}

static void select_rows(void *state, winnow_stream stream) {
    const table *const t = state;
    const winnow_launch launch = {.size = sizeof launch, .stream = stream};
    bench_check(winnow_select_where(t->run->context, t->condition, t->columns,
                                    COLUMNS, t->n, t->run->d_selection,
                                    t->run->selection_bytes, &launch),
                "winnow_select_where");
}

void bench_host_cost_where(bench_run *run, const bench_cell *cell,
                           bench_host_cost_report *report) {
    table t;
    bench_run_reserve_selection(run, cell);
    table_open(&t, run, cell->n);
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const bench_job job = {select_rows, &t, 1};
        bench_times times;
        bench_check(
            winnow_condition_parse(&t.condition, fields, COLUMNS, texts[i]),
            "winnow_condition_parse");
        job.run(job.state, run->platform.stream); /* it may compile */
        run->platform.synchronize();
        bench_measure_calls(&run->platform, &job, run->options.seconds, &times);
        report(run, cell, texts[i], &times);
        winnow_condition_destroy(t.condition);
    }
    table_close(&t);
}
