/*
 * winnow_select_where() with sets of values on a device: every form of table,
 * alone and in trees; and who makes the tables.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "conditions.h"
#include "gpu.h"
#include "set_trees.h"
#include "suite.h"

enum {
    N = 9000
};

/* One set of each size in each column. */
GPU_TEST(where_sets, forms) {
    static const uint64_t numbers[] = {3, 8, 9, 64, 1000, 2048, 3000, 20000};
    uint8_t *const keep = must_alloc(N);

    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct set_table table;

            set_table_open(&table, backend, N, numbers[i], 100 * i + seed);
            for (unsigned c = 0; c < SET_COLUMNS; c++) {
                const uint64_t limit = c == 1 ? 1000 * (i + 1) : UINT64_MAX;
                winnow_condition *const condition =
                    set_leaf(&table, c, numbers[i], seed, keep);

                set_ready(&table, limit);
                cr_assert_eq(set_select(&table, condition, limit, NULL),
                             WINNOW_OK, "%s", winnow_last_error());
                winnow_condition_destroy(condition); /* it goes on */
                MUST(set_check(&table, keep, limit, report));
            }
            set_table_close(&table);
        }
    free(keep);
}

/* Several in one condition, which share a block's memory. */
GPU_TEST(where_sets, trees) {
    uint8_t *const keep = must_alloc(N);

    for (uint64_t i = 0; i < 40; i++) {
        uint64_t seed = 5000 + i;
        const uint64_t limit =
            draw_next(&seed, 3) == 0 ? draw_next(&seed, N) : UINT64_MAX;
        const uint64_t number = 3 + draw_next(&seed, i % 4 == 0 ? 2500 : 60);
        const unsigned leaves = 1 + (unsigned)draw_next(&seed, 9);
        struct set_table table;
        winnow_condition *condition;

        set_table_open(&table, backend, N, number, seed);
        condition = set_tree(&table, leaves, number, seed, keep);
        set_ready(&table, limit);
        cr_assert_eq(set_select(&table, condition, limit, NULL), WINNOW_OK,
                     "%s", winnow_last_error());
        winnow_condition_destroy(condition);
        MUST(set_check(&table, keep, limit, report));
        set_table_close(&table);
    }
    free(keep);
}

/* More than there is room for in few arguments. */
GPU_TEST(where_sets, many_sets) {
    uint8_t *const keep = must_alloc(N);
    struct set_table table;
    winnow_condition *condition;

    set_table_open(&table, backend, N, 30, 3);
    condition = set_tree(&table, 70, 30, 4, keep);
    set_ready(&table, UINT64_MAX);
    cr_assert_eq(set_select(&table, condition, UINT64_MAX, NULL), WINNOW_OK,
                 "%s", winnow_last_error());
    MUST(set_check(&table, keep, UINT64_MAX, report));
    winnow_condition_destroy(condition);
    set_table_close(&table);
    free(keep);
}

static void must_tell_to_prepare(winnow_status status) {
    cr_assert_eq(status, WINNOW_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(winnow_last_error(), "winnow_condition_prepare"),
                       "%s", winnow_last_error());
}

/* A condition with a set of many values and one of few. */
static winnow_condition *two_sets(const struct set_table *table,
                                  uint8_t *keep) {
    uint8_t *const other = must_alloc(N);
    winnow_condition *const a = set_leaf(table, 0, 300, 1, keep);
    winnow_condition *const b = set_leaf(table, 1, 5, 1, other);
    winnow_condition *both;

    cr_assert_eq(winnow_condition_or(&both, a, b), WINNOW_OK);
    for (unsigned i = 0; i < N; i++)
        keep[i] |= other[i];
    winnow_condition_destroy(a);
    winnow_condition_destroy(b);
    free(other);
    return both;
}

/* With a workspace nothing is allocated. */
GPU_TEST(where_sets, workspace) {
    uint8_t *const keep = must_alloc(N);
    void *const d_workspace = backend_alloc(backend, 4096);
    struct set_table table;
    winnow_condition *condition;

    set_table_open(&table, backend, N, 300, 3);
    condition = two_sets(&table, keep);
    set_ready(&table, UINT64_MAX);
    must_tell_to_prepare(
        set_select(&table, condition, UINT64_MAX, d_workspace));
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK);
    cr_assert_eq(set_select(&table, condition, UINT64_MAX, d_workspace),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(set_check(&table, keep, UINT64_MAX, report));
    winnow_condition_destroy(condition);
    set_table_close(&table);
    backend_free(backend, d_workspace);
    free(keep);
}

/* A call that is refused adds nothing to a graph, not even memory. */
GPU_TEST(where_sets, refused_in_capture) {
    uint8_t *const keep = must_alloc(N);
    uint64_t *const d_count = backend_alloc(backend, sizeof(*d_count));
    void *const d_out = backend_alloc(backend, N);
    struct set_table table;
    winnow_condition *condition;
    cudaGraph_t graph;
    size_t nodes = 0;

    set_table_open(&table, backend, N, 300, 3);
    condition = two_sets(&table, keep);
    const winnow_in columns[] = {table.columns[0].in, table.columns[1].in};
    const winnow_move move = {
        .d_in = table.columns[0].d_bytes, .d_out = d_out, .element_bytes = 1};
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    must_tell_to_prepare(winnow_copy_where(
        backend->context, condition, columns, 2, N, &move, 1, WINNOW_NO_LIMIT,
        d_count, WINNOW_LAUNCH(.stream = backend->stream)));
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphGetNodes(graph, NULL, &nodes));
    cr_assert_eq(nodes, 0, "%zu nodes", nodes);
    GPU_MUST(cudaGraphDestroy(graph));
    winnow_condition_destroy(condition);
    set_table_close(&table);
    backend_free(backend, d_out);
    backend_free(backend, d_count);
    free(keep);
}

/* A graph has the tables as long as the context is there. */
GPU_TEST(where_sets, graph) {
    uint8_t *const keep = must_alloc(N);
    struct set_table table;
    winnow_condition *condition;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    set_table_open(&table, backend, N, 300, 3);
    condition = two_sets(&table, keep);
    set_ready(&table, UINT64_MAX);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    must_tell_to_prepare(set_select(&table, condition, UINT64_MAX, NULL));
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(set_select(&table, condition, UINT64_MAX, NULL), WINNOW_OK,
                 "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (uint64_t i = 0; i < 3; i++) {
        /* Others come and go meanwhile. */
        uint8_t *const ignored = must_alloc(N);
        winnow_condition *const other =
            set_leaf(&table, 0, 2000, 7 + i, ignored);

        cr_assert_eq(winnow_condition_prepare(backend->context, other),
                     WINNOW_OK);
        winnow_condition_destroy(other);
        free(ignored);
        set_ready(&table, UINT64_MAX);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        MUST(set_check(&table, keep, UINT64_MAX, report));
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    set_table_close(&table);
    free(keep);
}

GPU_TEST(where_sets, prepare_errors) {
    uint8_t *const keep = must_alloc(N);
    struct set_table table;
    winnow_condition *condition;

    set_table_open(&table, backend, N, 300, 3);
    condition = two_sets(&table, keep);
    cr_assert_eq(winnow_condition_prepare(NULL, condition),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_condition_prepare(backend->context, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK);
    cr_assert_eq(winnow_condition_prepare(backend->context, condition),
                 WINNOW_OK);
    winnow_condition_destroy(condition);
    set_table_close(&table);
    free(keep);
}
