/*
 * winnow_select_where() of conditions over expressions, by each kind of leaf and
 * in trees, on a device and on the host, against formulas.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "condition/program/tree.h"
#include "conditions.h"
#include "formulas.h"
#include "placed.h"
#include "reduced.h"
#include "selected.h"
#include "set/set.h"
#include "suite.h"

#ifdef WINNOW_SIMT
#include "simt/double.h"
#endif

/* ------------------------------------------------------------------- leaves */

struct leaves {
    const struct formula_table *table;
    winnow__builder *builder;
    struct leaf *made[64];
    unsigned number;
};

static uint64_t bits_of(const struct formula_value *value) {
    const float f = (float)value->d;
    uint64_t bits = 0;

    if (value->type == WINNOW__FLOAT64)
        memcpy(&bits, &value->d, sizeof bits);
    else if (value->type == WINNOW__FLOAT32)
        memcpy(&bits, &f, sizeof f);
    else
        bits = (uint64_t)value->i;
    return bits;
}

static bool holds(winnow_compare compare, bool less, bool equal,
                  bool unordered) {
    switch (compare) {
    case WINNOW_LT:
        return less;
    case WINNOW_LE:
        return less || equal;
    case WINNOW_EQ:
        return equal;
    case WINNOW_NE:
        return !equal;
    case WINNOW_GE:
        return !less && !unordered;
    default:
        return !less && !equal && !unordered;
    }
}

static bool compares(winnow_compare compare, const struct formula_value *a,
                     const struct formula_value *b) {
    if (a->type == WINNOW__FLOAT32 || a->type == WINNOW__FLOAT64)
        return holds(compare, a->d < b->d, a->d == b->d,
                     isnan(a->d) || isnan(b->d));
    return holds(compare, a->i < b->i, a->i == b->i, false);
}

static const winnow_type types[] = {
    [WINNOW__INT64] = WINNOW_INT64,
    [WINNOW__UINT64] = WINNOW_UINT64,
    [WINNOW__FLOAT32] = WINNOW_FLOAT32,
    [WINNOW__FLOAT64] = WINNOW_FLOAT64,
};

static void be_test(winnow__node *node, winnow_compare compare,
                    const struct formula_value *with) {
    const uint64_t bits = bits_of(with);
    winnow_predicate *predicate;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, types[with->type], compare, &bits),
        WINNOW_OK);
    node->kind = WINNOW__NODE_TEST;
    node->type = predicate->type;
    node->test = predicate->test;
    winnow_predicate_destroy(predicate);
}

/* Some of the values that there are. */
static void be_set(winnow__node *node, const struct formula_value values[],
                   unsigned number) {
    const winnow__type_info *const type = winnow__type(types[values[0].type]);
    unsigned char elements[64 * 8];

    for (unsigned i = 0; i < number; i++) {
        const uint64_t bits = bits_of(&values[i]);
        memcpy(elements + i * type->size, &bits, type->size);
    }
    node->type = type;
    cr_assert_eq(winnow__set_create(&node->set, &node->test, type,
                                    winnow__all_bits(type), elements, number),
                 WINNOW_OK);
    node->kind = node->set != NULL ? WINNOW__NODE_SET : WINNOW__NODE_TEST;
}

static struct formula_value draw_value(const struct formula *formula,
                                       const struct formula_table *table,
                                       uint64_t *seed) {
    for (unsigned turn = 0; turn < 50; turn++) {
        const struct formula_value value =
            formula_of(formula, table, draw_next(seed, table->n));
        if (!value.null)
            return value;
    }
    return (struct formula_value){.type =
                                      formula->node[formula->number - 1].type};
}

/* A formula that is no constant, and its expression. */
static winnow__expression *draw_formula(const struct leaves *leaves,
                                        struct formula *formula,
                                        uint64_t *seed) {
    for (;;) {
        winnow__value value;

        formula_random(formula, leaves->table,
                       2 + (unsigned)draw_next(seed, 14),
                       draw_next(seed, UINT64_MAX));
        value = formula_build(formula, leaves->table, leaves->builder);
        if (!winnow__value_constant(leaves->builder, value, NULL))
            return winnow__build_finish(leaves->builder, value);
    }
}

static enum truth truth_of(bool is_true) {
    return is_true ? TRUTH_TRUE : TRUTH_FALSE;
}

static unsigned make_leaf(struct expression *expression, void *argument,
                          uint64_t *seed) {
    struct leaves *const leaves = argument;
    const uint64_t n = leaves->table->n;
    struct formula formula;
    winnow__node node = {.expression = draw_formula(leaves, &formula, seed)};
    struct formula_value with[40];
    const bool is_bool = formula.node[formula.number - 1].type == WINNOW__BOOL;
    const unsigned kind = (unsigned)draw_next(seed, 5);
    const winnow_compare compare = (winnow_compare)draw_next(seed, 6);
    const unsigned number = 1 + (unsigned)draw_next(seed, 40);
    struct leaf *const leaf = must_alloc(sizeof *leaf + n);

    for (unsigned i = 0; i < 40; i++)
        with[i] = draw_value(&formula, leaves->table, seed);
    if (kind == 0)
        node.kind = WINNOW__NODE_VALID;
    else if (is_bool)
        node.kind = WINNOW__NODE_BIT;
    else if (kind == 1)
        be_set(&node, with, number);
    else
        be_test(&node, compare, &with[0]);
    for (uint64_t i = 0; i < n; i++) {
        const struct formula_value value =
            formula_of(&formula, leaves->table, i);
        bool is_true = compares(compare, &value, &with[0]);
        if (is_bool)
            is_true = value.i != 0;
        for (unsigned w = 0; kind == 1 && !is_bool && w < number; w++)
            is_true =
                (w != 0 && is_true) || compares(WINNOW_EQ, &value, &with[w]);
        leaf->truth[i] = (uint8_t)(kind == 0    ? truth_of(!value.null)
                                   : value.null ? TRUTH_UNKNOWN
                                                : truth_of(is_true));
    }
    leaf->condition = winnow__condition_create(1, 1);
    leaf->condition->nodes[0] = node;
    cr_assert_eq(winnow__condition_finish(leaf->condition, &leaf->condition),
                 WINNOW_OK);
    leaves->made[leaves->number++] = leaf;
    return expression_leaf(expression, leaf);
}

static void leaves_close(struct leaves *leaves) {
    for (unsigned i = 0; i < leaves->number; i++) {
        winnow_condition_destroy(leaves->made[i]->condition);
        free(leaves->made[i]);
    }
    leaves->number = 0;
}

/* -------------------------------------------------------------------- tests */

static void check_once(const struct placed *placed,
                       const struct formula_table *table,
                       const winnow_condition *condition, const uint8_t *keep,
                       uint64_t limit) {
    const struct backend *const backend = placed->backend;
    uint64_t *const d_n =
        limit == UINT64_MAX ? NULL : backend_alloc(backend, sizeof *d_n);
    struct selected selected;

    if (d_n != NULL)
        backend_upload(backend, d_n, &limit, sizeof limit);
    selected_open(&selected, backend, table->n);
    selected_prepare(&selected, table->n);
    cr_assert_eq(winnow_select_where(
                     backend->context, condition, placed->in, table->columns,
                     table->n, selected.d_selection, selected.bytes,
                     WINNOW_LAUNCH(.stream = backend->stream, .d_n = d_n)),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(&selected, keep, report));
    selected_close(&selected);
    if (d_n != NULL)
        backend_free(backend, d_n);
}

/* By the interpreter and, where there is a compiler, by a kernel: the same bits. */
static void check(const struct placed *placed,
                  const struct formula_table *table,
                  const winnow_condition *condition, const uint8_t *keep,
                  uint64_t limit) {
    winnow_context *const context = placed->backend->context;

    cr_assert_eq(winnow_context_set_compile(context, WINNOW_COMPILE_READY),
                 WINNOW_OK);
    check_once(placed, table, condition, keep, limit);
    if (!placed_compiles(placed))
        return;
    cr_assert_eq(winnow_context_set_compile(context, WINNOW_COMPILE_BEFORE),
                 WINNOW_OK);
    check_once(placed, table, condition, keep, limit);
}

/* On both: what is inside of the library is not to be had elsewhere. */
static void check_tree(const struct placed placed[2],
                       const struct formula_table *table, struct leaves *leaves,
                       unsigned number, uint64_t seed) {
    static struct expression expression;
    const uint64_t limit =
        draw_next(&seed, 4) == 0 ? draw_next(&seed, table->n + 9) : UINT64_MAX;
    uint8_t *const keep = must_alloc(table->n);
    winnow_condition *condition;

    expression_random_of(&expression, make_leaf, leaves, number, seed);
    condition = expression_create(&expression);
    expression_keep(&expression, NULL, NULL, table->n, limit, keep);
    for (unsigned p = 0; p < 2; p++)
        check(&placed[p], table, condition, keep, limit);
    winnow_condition_destroy(condition);
    leaves_close(leaves);
    free(keep);
}

static void check_trial(const struct backend *backend,
                        const struct backend *host, unsigned trial) {
    uint64_t seed = 300 + trial;
    const uint64_t n = trial % 8 == 0 ? 9000 : 1 + draw_next(&seed, 700);
    struct leaves leaves = {.builder = winnow__builder_create()};
    static struct formula_table table;
    static struct placed placed[2];

    formula_table_open(&table, n, seed);
    leaves.table = &table;
    placed_open(&placed[0], backend, &table);
    placed_open(&placed[1], host, &table);
    for (unsigned tree = 0; tree < 6; tree++)
        check_tree(placed, &table, &leaves,
                   tree < 3 ? 1 : 1 + (unsigned)draw_next(&seed, 8),
                   draw_next(&seed, UINT64_MAX));
    placed_close(&placed[0]);
    placed_close(&placed[1]);
    formula_table_close(&table);
    winnow__builder_destroy(leaves.builder);
}

/*
 * The trials are shared out to four tests, which run at once: on a GPU, each
 * expression is compiled.
 */
static void check_random(const struct backend *backend, unsigned share) {
    const unsigned trials = reduced_mode() ? 10 : 40;
    struct backend host;

    backend_open_host(&host);
    for (unsigned trial = share; trial < trials; trial += 4)
        check_trial(backend, &host, trial);
    backend_close(&host);
}

#ifdef WINNOW_SIMT
/* By kernels of their own, too. */
GPU_TEST(where_values, LONG(compiled)) {
    struct backend host;

    use_double("off");
    backend_open_host(&host);
    for (unsigned trial = 1; trial < 5; trial++)
        check_trial(backend, &host, trial);
    cr_assert_geq(compilations(), 8, "%u", compilations());
    backend_close(&host);
}
#endif

GPU_TEST(where_values, random_0) {
    check_random(backend, 0);
}

GPU_TEST(where_values, random_1) {
    check_random(backend, 1);
}

GPU_TEST(where_values, random_2) {
    check_random(backend, 2);
}

GPU_TEST(where_values, random_3) {
    check_random(backend, 3);
}

/* ------------------------------------------------------------ more than is common */

enum {
    N = 5000,
    VALUES = 40
};

static winnow_in open_numbers(const struct backend *backend, double *numbers,
                              uint64_t seed) {
    void *const d_numbers = backend_alloc(backend, N * sizeof(double));

    for (unsigned i = 0; i < N; i++)
        numbers[i] = (double)draw_next(&seed, 1000);
    backend_upload(backend, d_numbers, numbers, N * sizeof(double));
    return (winnow_in){.type = WINNOW_FLOAT64, .d_base = d_numbers};
}

static void must_keep(const struct backend *backend,
                      const winnow_condition *condition, const winnow_in *in,
                      unsigned columns, const uint8_t *keep) {
    struct selected selected;

    selected_open(&selected, backend, N);
    selected_prepare(&selected, N);
    cr_assert_eq(winnow_select_where(backend->context, condition, in, columns,
                                     N, selected.d_selection, selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(&selected, keep, report));
    selected_close(&selected);
}

/* A leaf of more tests than a launch takes. */
GPU_TEST(where_values, many_tests) {
    winnow__builder *const builder = winnow__builder_create();
    const winnow__value column =
        winnow__build_column(builder, 0, WINNOW_FLOAT64);
    winnow__expression *const expression = winnow__build_finish(
        builder, winnow__build_binary(builder, WINNOW__ADD, column, column));
    winnow_condition *condition =
        winnow__condition_create(VALUES, 2 * VALUES - 1);
    static double numbers[N];
    static uint8_t keep[N];
    const winnow_in in = open_numbers(backend, numbers, 5);

    for (unsigned v = 0, number = 0; v < VALUES; v++) {
        const struct formula_value with = {.type = WINNOW__FLOAT64, .d = 6 * v};
        winnow__node leaf = {.expression = expression};

        be_test(&leaf, WINNOW_EQ, &with);
        winnow__expression_share(expression);
        condition->nodes[number++] = leaf;
        if (v != 0)
            condition->nodes[number++] =
                (winnow__node){.kind = WINNOW__NODE_OR};
    }
    cr_assert_eq(winnow__condition_finish(condition, &condition), WINNOW_OK);
    for (unsigned i = 0; i < N; i++)
        keep[i] = numbers[i] < 3 * VALUES && fmod(numbers[i], 3) == 0;
    must_keep(backend, condition, &in, 1, keep);
    winnow_condition_destroy(condition);
    winnow__expression_release(expression);
    winnow__builder_destroy(builder);
    backend_free(backend, (void *)(uintptr_t)in.d_base);
}

/* As many registers as there are, for which a block's memory is more than what
 * kernels have without asking: values that are all used twice. */
GPU_TEST(where_values, many_registers) {
    enum {
        COLUMNS = 15
    };
    winnow__builder *const builder = winnow__builder_create();
    winnow__value root[COLUMNS], sum = WINNOW__NO_VALUE;
    winnow_condition *condition = winnow__condition_create(1, 1);
    const struct formula_value with = {.type = WINNOW__FLOAT64, .d = 1e6};
    static double numbers[COLUMNS][N];
    static uint8_t keep[N];
    winnow_in in[COLUMNS];

    for (unsigned c = 0; c < COLUMNS; c++) {
        in[c] = open_numbers(backend, numbers[c], 50 + c);
        root[c] = winnow__build_unary(
            builder, WINNOW__NEGATE,
            winnow__build_column(builder, (uint16_t)c, WINNOW_FLOAT64));
    }
    sum = root[0];
    for (unsigned c = 1; c < COLUMNS; c++)
        sum = winnow__build_binary(builder, WINNOW__ADD, sum, root[c]);
    for (unsigned c = 0; c < COLUMNS; c++)
        sum = winnow__build_binary(
            builder, c % 2 == 0 ? WINNOW__MULTIPLY : WINNOW__SUBTRACT, sum,
            root[c]);
    condition->nodes[0] =
        (winnow__node){.expression = winnow__build_finish(builder, sum)};
    cr_assert_not_null(condition->nodes[0].expression);
    cr_assert_eq(condition->nodes[0].expression->program.registers,
                 WINNOW__MOST_REGISTERS);
    be_test(&condition->nodes[0], WINNOW_GT, &with);
    cr_assert_eq(winnow__condition_finish(condition, &condition), WINNOW_OK);
    for (unsigned i = 0; i < N; i++) {
        double all = -numbers[0][i];
        for (unsigned c = 1; c < COLUMNS; c++)
            all += -numbers[c][i];
        for (unsigned c = 0; c < COLUMNS; c++)
            all = c % 2 == 0 ? all * -numbers[c][i] : all - -numbers[c][i];
        keep[i] = all > 1e6;
    }
    must_keep(backend, condition, in, COLUMNS, keep);
    winnow_condition_destroy(condition);
    winnow__builder_destroy(builder);
    for (unsigned c = 0; c < COLUMNS; c++)
        backend_free(backend, (void *)(uintptr_t)in[c].d_base);
}
