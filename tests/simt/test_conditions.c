/*
 * winnow_select_where() under many schedules of the CPU device, in a graph, and
 * with columns that may not be read; and the programs that it runs.
 *
 * WINNOW_SIMT_TRIALS says how many seeds are tried of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "select/where_program.h"
#include "element.h"
#include "gpu.h"
#include "simt/simt.h"
#include "suite.h"
#include "table.h"

#define SEEDS 60

static void random_table(struct table *table, unsigned columns, uint64_t seed) {
    *table = (struct table){.columns = columns};
    for (unsigned c = 0; c < columns; c++) {
        const winnow_type type = element_type(draw_next(&seed, ELEMENT_TYPES));

        pool_random(&table->pools[c], type, seed);
        table->layouts[c] = layout_random(type, seed + 1);
    }
}

GPU_TEST(conditions, schedules) {
    const unsigned seeds = simt_trials(SEEDS);
    const uint64_t first = simt_first_seed(9700);

    for (uint64_t i = first; i < first + seeds; i++) {
        uint64_t seed = i;
        const unsigned columns = 1 + (unsigned)draw_next(&seed, 5);
        const uint64_t n = draw_next(&seed, 9000);
        const uint64_t limit =
            draw_next(&seed, 3) == 0 ? draw_next(&seed, 9000) : UINT64_MAX;
        struct table table;
        struct expression expression;
        winnow_condition *condition;
        struct report report = {{0}};

        simt_seed(i);
        simt_pattern(~i);
        random_table(&table, columns, seed);
        table_open(&table, backend, n);
        table_fill(&table, n, 1 + draw_next(&seed, 300), seed);
        expression_random(&expression, table.pools, columns,
                          1 + (unsigned)draw_next(&seed, 10), seed);
        condition = expression_create(&expression);
        if (table_select(&table, condition, n, limit) != WINNOW_OK ||
            !table_check(&table, &expression, n, limit, &report))
            cr_assert_fail("WINNOW_SIMT_SEED=%llu: %s", (unsigned long long)i,
                           report.text);
        winnow_condition_destroy(condition);
        table_close(&table);
    }
}

/* Captured once, and replayed on other data and other numbers of items. */
GPU_TEST(conditions, graph) {
    const uint64_t n = 6000;
    struct table table;
    struct expression expression;
    winnow_condition *condition;
    winnow_in columns[3];
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    random_table(&table, 3, 30);
    table_open(&table, backend, n);
    expression_random(&expression, table.pools, 3, 5, 31);
    condition = expression_create(&expression);
    for (unsigned c = 0; c < 3; c++)
        columns[c] = table_column(&table, c, n);
    selected_prepare(&table.selected, n);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    cr_assert_eq(winnow_select_where(backend->context, condition, columns, 3, n,
                                     table.selected.d_selection,
                                     table.selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream,
                                                   .d_n = table.d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    winnow_condition_destroy(condition);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t limit = 1500 * (i + 2);

        table_fill(&table, n, 1 + i, 32 + i);
        backend_upload(backend, table.d_n, &limit, sizeof(limit));
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        MUST(table_check(&table, &expression, n, limit, report));
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    table_close(&table);
}

/* ----------------------------------------------------------- what is read */

enum {
    N = 10000,
    PAGE = 4096
};

/* What a test does with a column of which [begin, end) cannot be read. */
static void select_hidden(const struct backend *backend,
                          const winnow_condition *condition, size_t stride,
                          uint64_t begin, uint64_t end, const uint64_t *d_n,
                          const uint8_t *keep) {
    const size_t bytes = (N * stride + PAGE - 1) / PAGE * PAGE;
    unsigned char *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *const numbers = must_alloc(N * sizeof(uint32_t));
    unsigned char *const rows = must_alloc(bytes);
    void *d_numbers, *d_hidden;
    struct selected selected;

    cr_assert_neq((void *)memory, MAP_FAILED);
    memset(rows, 0, bytes);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t value = i % 7;

        numbers[i] = i;
        memcpy(rows + i * stride, &value, sizeof(value));
    }
    d_numbers = gpu_alloc(N * sizeof(uint32_t));
    backend_upload(backend, d_numbers, numbers, N * sizeof(uint32_t));
    simt_place(memory);
    d_hidden = gpu_alloc(bytes);
    backend_upload(backend, d_hidden, rows, bytes);
    selected_open(&selected, backend, N);
    selected_prepare(&selected, N);
    begin = (begin * stride + PAGE - 1) / PAGE * PAGE;
    end = end * stride / PAGE * PAGE;
    cr_assert_lt(begin, end);
    cr_assert_eq(mprotect(memory + begin, end - begin, PROT_NONE), 0);
    const winnow_in columns[] = {{.type = WINNOW_UINT32, .d_base = d_numbers},
                                 {.type = WINNOW_UINT32,
                                  .d_base = d_hidden,
                                  .stride_bytes = (int64_t)stride}};
    cr_assert_eq(winnow_select_where(
                     backend->context, condition, columns, 2, N,
                     selected.d_selection, selected.bytes,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    cr_assert_eq(mprotect(memory, bytes, PROT_READ | PROT_WRITE), 0);
    MUST(selected_check(&selected, keep, report));
    selected_close(&selected);
    gpu_free(d_hidden);
    gpu_free(d_numbers);
    munmap(memory, bytes);
    free(numbers);
    free(rows);
}

/* A column that cannot change the outcome of items is not read for them; nor
 * are items from *d_n on. */
GPU_TEST(conditions, unread_columns) {
    const uint32_t limit = 5000, value = 3;
    const uint64_t number = limit;
    uint64_t *const d_n = gpu_alloc(sizeof(number));
    uint8_t keep[N];
    winnow_predicate *less, *equal;
    winnow_condition *a, *b, *both, *either;

    backend_upload(backend, d_n, &number, sizeof(number));
    cr_assert_eq(
        winnow_predicate_compare(&less, WINNOW_UINT32, WINNOW_LT, &limit),
        WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&equal, WINNOW_UINT32, WINNOW_EQ, &value),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&a, 0, less), WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&b, 1, equal), WINNOW_OK);
    cr_assert_eq(winnow_condition_and(&both, a, b), WINNOW_OK);
    cr_assert_eq(winnow_condition_or(&either, a, b), WINNOW_OK);
    for (size_t stride = 4; stride <= 20; stride += 16) {
        for (uint32_t i = 0; i < N; i++)
            keep[i] = i < limit && i % 7 == value;
        select_hidden(backend, both, stride, limit, N, NULL, keep);
        select_hidden(backend, b, stride, limit, N, d_n, keep);
        for (uint32_t i = 0; i < N; i++)
            keep[i] = i < limit || i % 7 == value;
        select_hidden(backend, either, stride, 0, limit, NULL, keep);
    }
    winnow_condition_destroy(a);
    winnow_condition_destroy(b);
    winnow_condition_destroy(both);
    winnow_condition_destroy(either);
    winnow_predicate_destroy(less);
    winnow_predicate_destroy(equal);
    gpu_free(d_n);
}

/* --------------------------------------------------------------- programs */

static winnow__where_program compiled(const struct expression *expression) {
    winnow_condition *const condition = expression_create(expression);
    winnow__where_program program;

    winnow__compile(condition, &program);
    winnow_condition_destroy(condition);
    return program;
}

static unsigned leaf(struct expression *e, unsigned column,
                     winnow_compare compare) {
    const struct rule rule = {
        .type = WINNOW_INT32, .compare = compare, .low = 5};

    return expression_test(e, column, &rule);
}

/* A range and a list load their column once. */
Test(conditions, steps) {
    struct expression e = {0};
    unsigned root = leaf(&e, 0, WINNOW_GE);
    winnow__where_program program;

    root = expression_join(&e, EXPRESSION_AND, root, leaf(&e, 0, WINNOW_LT));
    program = compiled(&e);
    cr_assert_eq(program.steps, 1u);
    cr_assert_eq(program.step[0].tests, 2);
    cr_assert_eq(program.slots, 2u);
    root = expression_join(&e, EXPRESSION_AND, root, leaf(&e, 1, WINNOW_EQ));
    root = expression_join(&e, EXPRESSION_OR, root, leaf(&e, 2, WINNOW_EQ));
    root = expression_join(&e, EXPRESSION_OR, root, leaf(&e, 2, WINNOW_LT));
    program = compiled(&e);
    cr_assert_eq(program.steps, 3u);
    cr_assert_eq(program.step[2].tests, 2);
    /* Two ways lead to the last test: it stays apart. */
    e = (struct expression){0};
    root = leaf(&e, 0, WINNOW_GE);
    root = expression_join(&e, EXPRESSION_AND, root, leaf(&e, 1, WINNOW_LT));
    root = expression_join(&e, EXPRESSION_OR, root, leaf(&e, 1, WINNOW_EQ));
    cr_assert_eq(compiled(&e).steps, 3u);
}

/* A chain takes a slot at a time; the deepest nesting has room. */
Test(conditions, slots) {
    struct expression chain = {0}, deep = {0};
    unsigned c = leaf(&chain, 0, WINNOW_GE), d = leaf(&deep, 0, WINNOW_GE);

    for (unsigned i = 1; i < CONDITION_TESTS; i++)
        c = expression_join(&chain, EXPRESSION_AND, c,
                            leaf(&chain, i % 3, WINNOW_LT));
    cr_assert_eq(compiled(&chain).slots, 2u);
    for (unsigned i = 1; i < CONDITION_TESTS / 2; i++) {
        const unsigned a = leaf(&deep, i % 2, WINNOW_LT);

        d = expression_join(&deep, EXPRESSION_AND, a, d);
        d = expression_join(&deep, EXPRESSION_OR, d,
                            leaf(&deep, i % 2, WINNOW_EQ));
    }
    cr_assert_leq(compiled(&deep).slots, (unsigned)WINNOW__WHERE_SLOTS);
    cr_assert_gt(compiled(&deep).slots, CONDITION_TESTS / 4u);
}
