/*
 * winnow_reduce_where() of random expressions under random conditions, over
 * columns of each kind, on a device and on the host, against formulas.c and
 * aggregated.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "aggregate/details.h"
#include "aggregated.h"
#include "condition/program/tree.h"
#include "conditions.h"
#include "tests/expression/placed.h"
#include "reduced.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include "simt/double.h"
#endif

enum {
    MOST = 4 /* aggregates of a call */
};

struct drawn {
    struct formula formula;
    winnow__expression *expression; /* NULL: none */
};

struct drawn_call {
    const struct formula_table *table;
    uint64_t limit; /* *d_n; UINT64_MAX: there is none */
    uint32_t parts;
    winnow_condition *condition; /* NULL: every item passes */
    struct formula passes;
    unsigned number;
    struct drawn drawn[MOST];
    winnow_aggregate list[MOST];
};

/* A formula that is no constant, of bits or of numbers. */
static void draw(struct drawn *drawn, const struct formula_table *table,
                 winnow__builder *builder, bool of_bits, uint64_t *seed) {
    struct formula *const formula = &drawn->formula;

    for (;;) {
        winnow__value value;

        formula_random(formula, table, 1 + (unsigned)draw_next(seed, 12),
                       draw_next(seed, UINT64_MAX));
        value = formula_build(formula, table, builder);
        if (winnow__value_constant(builder, value, NULL) ||
            (winnow__value_type_of(builder, value) == WINNOW__BOOL) != of_bits)
            continue;
        drawn->expression = winnow__build_finish(builder, value);
        cr_assert_not_null(drawn->expression, "%s", winnow_last_error());
        return;
    }
}

static unsigned draw_wanted(uint64_t *seed) {
    const unsigned ends = WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM;
    const unsigned wanted = 1 + (unsigned)draw_next(seed, 31);

    return (wanted & ends) == 0 && (wanted & WINNOW_REDUCE_INDEX) != 0
               ? wanted | WINNOW_REDUCE_MAXIMUM
               : wanted;
}

static void draw_call(struct drawn_call *call,
                      const struct formula_table *table,
                      winnow__builder *builder, uint64_t *seed) {
    struct drawn passes;

    call->table = table;
    call->limit =
        draw_next(seed, 4) == 0 ? draw_next(seed, table->n + 9) : UINT64_MAX;
    call->parts = 1 + (uint32_t)draw_next(seed, 3);
    call->condition = NULL;
    if (draw_next(seed, 5) != 0) {
        draw(&passes, table, builder, true, seed);
        call->passes = passes.formula;
        call->condition = winnow__condition_create(1, 1);
        call->condition->nodes[0] = (winnow__node){
            .kind = WINNOW__NODE_BIT, .expression = passes.expression};
        cr_assert_eq(
            winnow__condition_finish(call->condition, &call->condition),
            WINNOW_OK);
    }
    call->number = 1 + (unsigned)draw_next(seed, MOST);
    for (unsigned i = 0; i < call->number; i++) {
        call->drawn[i].expression = NULL;
        call->list[i] = (winnow_aggregate){.wanted = WINNOW_REDUCE_COUNT};
        if (draw_next(seed, 8) == 0)
            continue;
        draw(&call->drawn[i], table, builder, false, seed);
        call->list[i].expression = call->drawn[i].expression;
        call->list[i].wanted = draw_wanted(seed);
    }
}

static void drop_call(struct drawn_call *call) {
    winnow_condition_destroy(call->condition);
    for (unsigned i = 0; i < call->number; i++)
        winnow_expression_destroy(call->drawn[i].expression);
}

static enum aggregated_kind kind_of(winnow_type type) {
    return type == WINNOW_UINT64 ? AGGREGATED_UNSIGNED
           : type == WINNOW_FLOAT32 || type == WINNOW_FLOAT64
               ? AGGREGATED_FLOATS
               : AGGREGATED_SIGNED;
}

static winnow_reduction expected_of(const struct drawn_call *call, unsigned i,
                                    struct aggregated_item *items) {
    const struct formula_table *const table = call->table;
    const struct drawn *const drawn = &call->drawn[i];

    for (uint64_t item = 0; item < table->n; item++) {
        struct formula_value passes = {.i = 1}, value = {.null = false};

        if (call->condition != NULL)
            passes = formula_of(&call->passes, table, item);
        if (drawn->expression != NULL)
            value = formula_of(&drawn->formula, table, item);
        items[item] = (struct aggregated_item){
            .counts = item < call->limit && !passes.null && passes.i != 0 &&
                      !value.null,
            .i = value.i,
            .d = value.d};
    }
    return aggregated_expected(
        items, table->n, kind_of(winnow_expression_type(drawn->expression)),
        call->list[i].wanted, call->parts);
}

static void check_once(const struct placed *placed,
                       const struct drawn_call *call,
                       const winnow_reduction expected[]) {
    const struct backend *const backend = placed->backend;
    winnow_reduction seen[MOST];
    winnow_reduction *const results = backend_alloc(backend, sizeof seen);
    uint64_t *const d_n =
        call->limit == UINT64_MAX ? NULL : backend_alloc(backend, sizeof *d_n);

    if (d_n != NULL)
        backend_upload(backend, d_n, &call->limit, sizeof *d_n);
    cr_assert_eq(winnow__reduce_where(
                     backend->context, call->condition, placed->in,
                     call->table->columns, call->table->n, call->list,
                     call->number, call->parts, results,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    cr_assert_null(backend_wait(backend));
    backend_download(backend, seen, results, sizeof seen);
    for (unsigned i = 0; i < call->number; i++)
        MUST(aggregated_check(&seen[i], &expected[i], report));
    backend_free(backend, results);
    if (d_n != NULL)
        backend_free(backend, d_n);
}

/* By the interpreter and, where there is a compiler, by a kernel: the same bits. */
static void check_on(const struct placed *placed, const struct drawn_call *call,
                     const winnow_reduction expected[]) {
    winnow_context *const context = placed->backend->context;

    cr_assert_eq(winnow_context_set_compile(context, WINNOW_COMPILE_READY),
                 WINNOW_OK);
    check_once(placed, call, expected);
    if (!placed_compiles(placed))
        return;
    cr_assert_eq(winnow_context_set_compile(context, WINNOW_COMPILE_BEFORE),
                 WINNOW_OK);
    check_once(placed, call, expected);
}

static void check_trial(const struct backend *backend,
                        const struct backend *host, unsigned trial) {
    uint64_t seed = 4100 + trial;
    /* Some parts, of some tiles. */
    const uint64_t n = trial % 4 == 0
                           ? 4096 * (1 + trial / 4 % 5) + draw_next(&seed, 3)
                           : draw_next(&seed, 1200);
    winnow__builder *const builder = winnow__builder_create();
    struct aggregated_item *const items = must_alloc((n + 1) * sizeof *items);
    static struct formula_table table;
    static struct placed placed[2];

    formula_table_open(&table, n, seed);
    placed_open(&placed[0], backend, &table);
    placed_open(&placed[1], host, &table);
    for (unsigned c = 0; c < 4; c++) {
        struct drawn_call call;
        winnow_reduction expected[MOST];

        draw_call(&call, &table, builder, &seed);
        for (unsigned i = 0; i < call.number; i++)
            expected[i] = expected_of(&call, i, items);
        for (unsigned p = 0; p < 2; p++)
            check_on(&placed[p], &call, expected);
        drop_call(&call);
    }
    placed_close(&placed[0]);
    placed_close(&placed[1]);
    formula_table_close(&table);
    free(items);
    winnow__builder_destroy(builder);
}

/*
 * The trials are shared out to four tests, which run at once: on a GPU, each
 * expression is compiled.
 */
static void check_random(const struct backend *backend, unsigned share) {
    const unsigned trials = reduced_mode() ? 8 : 40;
    struct backend host;

    backend_open_host(&host);
    for (unsigned trial = share; trial < trials; trial += 4)
        check_trial(backend, &host, trial);
    backend_close(&host);
}

#ifdef WINNOW_SIMT
/* By kernels of their own, too. */
GPU_TEST(reduce_values, LONG(compiled)) {
    struct backend host;

    use_double("off");
    backend_open_host(&host);
    for (unsigned trial = 1; trial < 4; trial++)
        check_trial(backend, &host, trial);
    cr_assert_geq(compilations(), 6, "%u", compilations());
    backend_close(&host);
}
#endif

GPU_TEST(reduce_values, random_0) {
    check_random(backend, 0);
}

GPU_TEST(reduce_values, random_1) {
    check_random(backend, 1);
}

GPU_TEST(reduce_values, random_2) {
    check_random(backend, 2);
}

GPU_TEST(reduce_values, random_3) {
    check_random(backend, 3);
}

/* How many of a dictionary's indices name a value that is not null. */
GPU_TEST(reduce_values, lengths_counted) {
    static struct formula_table table;
    static struct placed placed[2];
    struct backend host;

    backend_open_host(&host);
    formula_table_open(&table, 3000, 77);
    placed_open(&placed[0], backend, &table);
    placed_open(&placed[1], &host, &table);
    for (unsigned c = 0; c < table.columns; c++) {
        if (!winnow__is_string_type(table.column[c].type))
            continue;
        winnow__builder *const builder = winnow__builder_create();
        struct aggregated_item *const items =
            must_alloc(table.n * sizeof *items);
        struct drawn_call call = {.table = &table,
                                  .limit = UINT64_MAX,
                                  .parts = 1,
                                  .number = 1,
                                  .list = {{.wanted = WINNOW_REDUCE_COUNT}}};
        struct formula *const formula = &call.drawn[0].formula;
        winnow_reduction expected;

        *formula = (struct formula){
            .number = 1, .node = {{.kind = FORMULA_LENGTH, .column = c}}};
        call.drawn[0].expression = winnow__build_finish(
            builder, formula_build(formula, &table, builder));
        cr_assert_not_null(call.drawn[0].expression, "%s", winnow_last_error());
        call.list[0].expression = call.drawn[0].expression;
        expected = expected_of(&call, 0, items);
        for (unsigned p = 0; p < 2; p++)
            check_on(&placed[p], &call, &expected);
        drop_call(&call);
        free(items);
        winnow__builder_destroy(builder);
    }
    placed_close(&placed[0]);
    placed_close(&placed[1]);
    formula_table_close(&table);
    backend_close(&host);
}
