/*
 * The programs of a condition are made with it: its calls, whatever columns of
 * theirs have nulls, only read them, and allocate nothing for a small one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "failing_malloc.h"
#include "reduced.h"
#include "suite.h"
#include "table.h"

enum {
    COLUMNS = 5,
    ROWS = 5000,
    FEW = 1000 /* rows, too */
};

/* A table whose columns have nulls, or none in one call. */
struct nulls {
    struct table table;
    bool *is_null[COLUMNS];
    bool none[ROWS + 1];
};

static void nulls_open(struct nulls *nulls, const struct backend *backend,
                       uint64_t seed) {
    table_random(&nulls->table, COLUMNS, seed);
    for (unsigned c = 0; c < COLUMNS; c++)
        nulls->table.layouts[c].nullable = true;
    table_open(&nulls->table, backend, ROWS);
    table_fill(&nulls->table, ROWS, 3, seed);
    for (unsigned c = 0; c < COLUMNS; c++)
        nulls->is_null[c] = nulls->table.is_null[c];
}

/* Column c has a validity where bit c is set. */
static void nulls_set(struct nulls *nulls, unsigned columns) {
    for (unsigned c = 0; c < COLUMNS; c++) {
        const bool nullable = (columns >> c & 1) != 0;

        nulls->table.layouts[c].nullable = nullable;
        nulls->table.is_null[c] = nullable ? nulls->is_null[c] : nulls->none;
    }
}

static void nulls_close(struct nulls *nulls) {
    nulls_set(nulls, (1U << COLUMNS) - 1);
    table_close(&nulls->table);
}

/* Each condition in calls with every set of columns that have nulls. */
BACKEND_TEST(condition_programs, any_nulls) {
    static struct nulls nulls;

    for (uint64_t seed = 1; seed <= 12; seed += reduced_mode() ? 3 : 1) {
        static struct expression e;

        nulls_open(&nulls, backend, 3300 + seed);
        expression_random(&e, nulls.table.pools, COLUMNS, 2 + seed, seed);
        winnow_condition *const condition = expression_create(&e);
        for (unsigned columns = 0; columns < 1U << COLUMNS; columns++) {
            nulls_set(&nulls, columns);
            cr_assert_eq(
                table_select(&nulls.table, condition, ROWS, UINT64_MAX),
                WINNOW_OK, "%s", winnow_last_error());
            MUST(table_check(&nulls.table, &e, ROWS, UINT64_MAX, report));
        }
        winnow_condition_destroy(condition);
        nulls_close(&nulls);
    }
}

#ifndef WINNOW_SIMT
/* ----------------------------------------------------------------- threads */

enum {
    CALLS = 300
};

struct caller {
    winnow_context *context;
    const winnow_condition *condition;
    int32_t x[FEW], y[FEW];
    unsigned char valid[FEW / 8];
    _Alignas(16) unsigned char selection[2048];
    uint64_t seed;
    unsigned wrong;
};

static const char caller_text[] =
    "x < 40 and (y > 60 or y is null) or not (x + y < 90 or x in (1, 3, 5, 9))";

static bool caller_keeps(const struct caller *caller, unsigned i,
                         bool nullable) {
    const int32_t x = caller->x[i], y = caller->y[i];
    const bool is_null = nullable && (caller->valid[i / 8] >> i % 8 & 1) == 0;
    const bool in_list = x == 1 || x == 3 || x == 5 || x == 9;

    return (x < 40 && (is_null || y > 60)) ||
           (!is_null && x + y >= 90 && !in_list);
}

/* The first words of a selection are its bits. */
static void caller_call(struct caller *caller, bool nullable) {
    const winnow_in in[] = {{.type = WINNOW_INT32, .d_base = caller->x},
                            {.type = WINNOW_INT32,
                             .d_base = caller->y,
                             .d_valid = nullable ? caller->valid : NULL}};
    uint64_t count = 0, wanted = 0;
    winnow_status status =
        winnow_select_where(caller->context, caller->condition, in, 2, FEW,
                            caller->selection, sizeof(caller->selection), NULL);

    if (status == WINNOW_OK)
        status = winnow_selection_count(caller->context, caller->selection, FEW,
                                        &count, NULL);
    for (unsigned i = 0; i < FEW; i++)
        wanted += caller_keeps(caller, i, nullable);
    caller->wrong += status != WINNOW_OK || count != wanted;
}

static void *caller_run(void *argument) {
    struct caller *const caller = argument;

    for (unsigned call = 0; call < CALLS; call++) {
        for (unsigned i = 0; i < FEW; i++) {
            caller->x[i] = (int32_t)(data_random(caller->seed + call, i) % 100);
            caller->y[i] = (int32_t)(data_random(caller->seed - call, i) % 100);
        }
        memset(caller->valid, (int)(caller->seed + call),
               sizeof(caller->valid));
        caller_call(caller, call % 2 != 0);
    }
    return NULL;
}

/* Two threads, each with its own context and columns. */
Test(condition_programs, threads_host) {
    static const winnow_field fields[] = {{.name = "x", .type = WINNOW_INT32},
                                          {.name = "y", .type = WINNOW_INT32}};
    static struct caller callers[2];
    struct backend backend[2];
    pthread_t threads[2];
    winnow_condition *condition;

    cr_assert_eq(winnow_condition_parse(&condition, fields, 2, caller_text),
                 WINNOW_OK, "%s", winnow_last_error());
    for (unsigned t = 0; t < 2; t++) {
        backend_open_host(&backend[t]);
        callers[t].context = backend[t].context;
        callers[t].condition = condition;
        callers[t].seed = 1000 * (1 + t);
        cr_assert_eq(pthread_create(&threads[t], NULL, caller_run, &callers[t]),
                     0);
    }
    for (unsigned t = 0; t < 2; t++) {
        cr_assert_eq(pthread_join(threads[t], NULL), 0);
        cr_assert_eq(callers[t].wrong, 0);
        backend_close(&backend[t]);
    }
    winnow_condition_destroy(condition);
}
#endif

/* -------------------------------------------------------------- allocations */

#ifdef FAILING_MALLOC
/* What a call allocates: of so many tests and columns; every `nullable`-th has
 * nulls. */
static unsigned long allocations(const struct backend *backend, unsigned tests,
                                 unsigned columns, unsigned nullable) {
    enum {
        MOST = 32
    };
    static int32_t elements[FEW];
    static unsigned char valid[FEW / 8];
    static struct selected selected;
    struct expression *const e = must_alloc(sizeof(*e));
    int32_t *const d_elements = backend_alloc(backend, sizeof(elements));
    unsigned char *const d_valid = backend_alloc(backend, sizeof(valid));
    winnow_in in[MOST];
    unsigned root = 0;

    backend_upload(backend, d_elements, elements, sizeof(elements));
    backend_upload(backend, d_valid, valid, sizeof(valid));
    memset(e, 0, sizeof(*e));
    for (unsigned t = 0; t < tests; t++) {
        const struct rule rule = {.type = WINNOW_INT32,
                                  .kind = RULE_BITS,
                                  .mask = UINT64_C(1) << t / columns % 31};
        const unsigned leaf = expression_test(e, t % columns, &rule);

        root =
            t == 0
                ? leaf
                : expression_join(e, t % 4 < 2 ? EXPRESSION_AND : EXPRESSION_OR,
                                  root, leaf);
    }
    for (unsigned c = 0; c < columns; c++)
        in[c] = (winnow_in){.type = WINNOW_INT32,
                            .d_base = d_elements,
                            .d_valid = c % nullable == 0 ? d_valid : NULL};
    winnow_condition *const condition = expression_create(e);
    winnow_plan plan = {.size = sizeof(plan)};
    selected_open(&selected, backend, FEW);
    selected_prepare(&selected, FEW);
    cr_assert_eq(winnow_select_where(backend->context, condition, in, columns,
                                     FEW, selected.d_selection, selected.bytes,
                                     WINNOW_LAUNCH(.plan = &plan)),
                 WINNOW_OK, "%s", winnow_last_error());
    void *const d_workspace = backend_alloc(backend, plan.workspace_bytes + 16);
    unsigned long number = 0;
    for (unsigned call = 0; call < 2;
         call++) { /* the first one loads kernels */
        selected_prepare(&selected, FEW);
        failing_malloc_reset();
        cr_assert_eq(
            winnow_select_where(
                backend->context, condition, in, columns, FEW,
                selected.d_selection, selected.bytes,
                WINNOW_LAUNCH(.stream = backend->stream,
                              .d_workspace = backend->gpu ? d_workspace : NULL,
                              .workspace_bytes =
                                  backend->gpu ? plan.workspace_bytes : 0)),
            WINNOW_OK, "%s", winnow_last_error());
        number = failing_malloc_count();
        cr_assert_null(backend_wait(backend));
    }
    selected_close(&selected);
    winnow_condition_destroy(condition);
    backend_free(backend, d_workspace);
    backend_free(backend, d_elements);
    backend_free(backend, d_valid);
    free(e);
    return number;
}

BACKEND_TEST(condition_programs, allocations) {
    cr_assert_eq(allocations(backend, 1, 10, 3), 0);
    cr_assert_eq(allocations(backend, 64, 10, 3), 0);
    cr_assert_eq(allocations(backend, 64, 32, 1), 0);
    cr_assert_eq(allocations(backend, 300, 10, 3), 1);
}
#endif
