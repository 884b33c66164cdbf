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

#include "cuda/launch.h"
#include "kernels/select/order.h"
#include "select/elements.h"
#include "condition/program/where_program.h"
#include "select/kernels.h"
#include "simt/where_lists.h"
#include "data.h"
#include "element.h"
#include "gpu.h"
#include "simt/simt.h"
#include "suite.h"
#include "table.h"

#define SEEDS 60

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
        table_random(&table, columns, seed);
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

    table_random(&table, 3, 30);
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

/* The program where nothing is null. Its columns are numbered as the condition's.
 * The last few programs are kept. */
static winnow__where_program program_of(const struct expression *expression) {
    static winnow_condition *kept[4];
    static unsigned next;
    winnow__where_program program;

    next = (next + 1) % 4;
    winnow_condition_destroy(kept[next]);
    kept[next] = expression_create(expression);
    program = kept[next]->programs[0]->code;
    for (unsigned i = 0; i < program.leaves; i++) {
        winnow__where_leaf *const leaf = &program.leaf[i];
        const unsigned tested = program.columns[leaf->column].tested;

        leaf->column = (uint8_t)kept[next]->tested.column[tested];
    }
    return program;
}

/* The operations, a letter or parenthesis each: a column of one test, one of
 * several, in capitals, `-` before a negated leaf, ( OPEN, ) CLOSE, ] TURN. */
static const char *spelled(const struct expression *expression) {
    static char text[4 * CONDITION_TESTS];
    const winnow__where_program program = program_of(expression);
    char *to = text;

    for (unsigned i = 0; i < program.ops; i++) {
        const unsigned op = program.op[i];

        if (op == WINNOW__WHERE_OPEN) {
            *to++ = '(';
        } else if (op == WINNOW__WHERE_CLOSE) {
            *to++ = ')';
        } else if (op == WINNOW__WHERE_TURN) {
            *to++ = ']';
        } else {
            const winnow__where_leaf *const leaf = &program.leaf[op];

            if (leaf->negated)
                *to++ = '-';
            *to++ = (char)((leaf->tests > 1 ? 'A' : 'a') + leaf->column);
        }
    }
    *to = '\0';
    return text;
}

static unsigned leaf_of(struct expression *e, unsigned column,
                        winnow_compare compare, uint64_t value) {
    const struct rule rule = {
        .type = WINNOW_INT32, .compare = compare, .low = value};

    return expression_test(e, column, &rule);
}

static unsigned leaf(struct expression *e, unsigned column,
                     winnow_compare compare) {
    return leaf_of(e, column, compare, 5);
}

#define AND(a, b) expression_join(&e, EXPRESSION_AND, (a), (b))
#define OR(a, b) expression_join(&e, EXPRESSION_OR, (a), (b))
#define NOT(a) expression_join(&e, EXPRESSION_NOT, (a), (a))

/* Groups, and the members of one. */
Test(conditions, groups) {
    struct expression e = {0};
    unsigned a = leaf(&e, 0, WINNOW_GE), b = leaf(&e, 1, WINNOW_EQ),
             c = leaf(&e, 2, WINNOW_LT), d = leaf(&e, 3, WINNOW_LT);
    const struct expression leaves = e;

    AND(AND(a, b), AND(c, d));
    cr_assert_str_eq(spelled(&e), "abcd");
    e = leaves;
    OR(OR(a, b), OR(c, d));
    cr_assert_str_eq(spelled(&e), "(abcd)");
    e = leaves;
    NOT(OR(a, NOT(AND(b, c))));
    cr_assert_str_eq(spelled(&e), "abc");
    e = leaves;
    AND(a, OR(b, AND(c, d)));
    cr_assert_str_eq(spelled(&e), "a(b(cd))");
    e = leaves;
    OR(AND(a, b), AND(c, d));
    cr_assert_str_eq(spelled(&e), "(ab](cd))");
    cr_assert_eq(program_of(&e).depth, 2);
    /* The first member takes the place of its group's. */
    e = leaves;
    AND(OR(AND(a, b), c), d);
    cr_assert_str_eq(spelled(&e), "(ab]c)d");
    cr_assert_eq(program_of(&e).depth, 1);
}

/* A range, a list, and what is left out of one are one leaf. */
Test(conditions, leaves_of_one_column) {
    struct expression e = {0};
    unsigned root = leaf(&e, 0, WINNOW_GE);
    winnow__where_program program;

    root = AND(root, leaf_of(&e, 0, WINNOW_LT, 9));
    cr_assert_str_eq(spelled(&e), "a");
    program = program_of(&e);
    cr_assert_eq(program.test[0].low, 5);
    cr_assert_eq(program.test[0].span, 3);
    root = AND(root, leaf_of(&e, 0, WINNOW_NE, 7));
    cr_assert_str_eq(spelled(&e), "-A");
    root = AND(leaf(&e, 1, WINNOW_EQ), root);
    cr_assert_str_eq(spelled(&e), "b-A");
    root = AND(root, leaf_of(&e, 0, WINNOW_GT, 6));
    cr_assert_str_eq(spelled(&e), "ba");
    root = OR(root, leaf(&e, 2, WINNOW_EQ));
    OR(root, leaf_of(&e, 2, WINNOW_EQ, 8));
    cr_assert_str_eq(spelled(&e), "(ba]-C)");
    e = (struct expression){0};
    root = leaf_of(&e, 0, WINNOW_EQ, 1);
    for (unsigned i = 2; i < 6; i++)
        root = OR(root, leaf_of(&e, 0, WINNOW_EQ, i + i / 4));
    cr_assert_str_eq(spelled(&e), "A");
    program = program_of(&e);
    cr_assert_eq(program.tests, 2); /* 1 to 3, and 5 to 6 */
    root = AND(root, leaf_of(&e, 0, WINNOW_LT, 5));
    cr_assert_str_eq(spelled(&e), "a");
    NOT(root);
    cr_assert_str_eq(spelled(&e), "a");
}

/* What all items pass is left out, and what none passes decides. */
Test(conditions, constants) {
    struct expression e = {0};
    const struct rule all = {.type = WINNOW_INT32, .kind = RULE_BITS};
    unsigned a = leaf(&e, 0, WINNOW_GE), b = leaf(&e, 1, WINNOW_EQ),
             always = expression_test(&e, 2, &all);
    const struct expression leaves = e;

    AND(AND(a, always), b);
    cr_assert_str_eq(spelled(&e), "ab");
    e = leaves;
    OR(AND(a, b), NOT(always));
    cr_assert_str_eq(spelled(&e), "ab");
    e = leaves;
    OR(AND(a, b), always);
    cr_assert_str_eq(spelled(&e), "");
    e = leaves;
    AND(OR(a, b), NOT(always));
    cr_assert_str_eq(spelled(&e), "()");
    e = leaves;
    AND(b, OR(a, leaf(&e, 0, WINNOW_LT)));
    cr_assert_str_eq(spelled(&e), "b");
    e = leaves;
    AND(b, AND(a, leaf(&e, 0, WINNOW_LT)));
    cr_assert_str_eq(spelled(&e), "()");
}

/* A tree of `tests` tests that is as deep as can be; its shape by the bits of a
 * number. */
static void chain(struct expression *expression, unsigned tests,
                  unsigned shape) {
    struct expression e = {0};
    unsigned root = leaf(&e, 0, WINNOW_GE);

    for (unsigned i = 1; i < tests; i++) {
        const unsigned other = leaf(&e, i % 3, WINNOW_LT);
        const bool left = (shape & 1) != 0 && i % 3 != 0;

        root = expression_join(&e, i % 2 != 0 ? EXPRESSION_AND : EXPRESSION_OR,
                               left ? root : other, left ? other : root);
        if ((shape & 2) != 0 && i % 5 == 0)
            root = NOT(root);
    }
    *expression = e;
}

/* A full tree of `levels` levels below node `place`. */
static unsigned full(struct expression *e, unsigned levels, unsigned place) {
    if (levels == 0)
        return leaf(e, place % 3, WINNOW_LT);
    const unsigned a = full(e, levels - 1, 2 * place);
    const unsigned b = full(e, levels - 1, 2 * place + 1);

    return expression_join(e, levels % 2 != 0 ? EXPRESSION_AND : EXPRESSION_OR,
                           a, b);
}

/* Whatever the nesting, few sets are saved, and they are used as they should. */
Test(conditions, depth) {
    static struct expression e;

    for (unsigned shape = 0; shape < 5; shape++) {
        if (shape == 4) {
            e = (struct expression){0};
            full(&e, 9, 1);
        } else {
            chain(&e, CONDITION_TESTS, shape);
        }
        const winnow__where_program program = program_of(&e);
        unsigned saved = 0, most = 0;

        cr_assert_gt(program.leaves, CONDITION_TESTS / 2);
        for (unsigned i = 0; i < program.ops; i++) {
            saved += program.op[i] == WINNOW__WHERE_OPEN;
            most = saved > most ? saved : most;
            if (program.op[i] > WINNOW__WHERE_OPEN)
                cr_assert_gt(saved, 0);
            saved -= program.op[i] == WINNOW__WHERE_CLOSE;
        }
        cr_assert_eq(saved, 0);
        cr_assert_eq(program.depth, most);
        cr_assert_leq(program.depth, WINNOW__WHERE_DEPTH);
    }
}

/* ------------------------------------------------------------------ order */

/* What operations keep of a sample, by what its leaves keep. */
static void kept_of(const winnow__order_sample *sample, const uint16_t *op,
                    unsigned ops, uint32_t *kept) {
    for (unsigned w = 0; w < WINNOW__ORDER_WORDS; w++) {
        uint32_t sets[WINNOW__WHERE_DEPTH + 1] = {sample->inside[w]};
        unsigned depth = 0;

        for (unsigned i = 0; i < ops; i++) {
            if (op[i] == WINNOW__WHERE_OPEN) {
                sets[depth + 1] = sets[depth];
                depth++;
            } else if (op[i] == WINNOW__WHERE_CLOSE) {
                depth--;
                sets[depth] &= ~sets[depth + 1];
            } else if (op[i] == WINNOW__WHERE_TURN) {
                sets[depth] = sets[depth - 1] & ~sets[depth];
            } else {
                sets[depth] &= sample->words[op[i]][w];
            }
            cr_assert_leq(depth, WINNOW__WHERE_DEPTH);
        }
        cr_assert_eq(depth, 0);
        kept[w] = sets[0];
    }
}

/* A sample in which a leaf keeps one of 2^k items, or all but these. */
static void random_sample(winnow__order_sample *sample, unsigned leaves,
                          uint64_t *seed) {
    for (unsigned w = 0; w < WINNOW__ORDER_WORDS; w++)
        sample->inside[w] = (uint32_t)draw_next(seed, UINT64_C(1) << 32);
    for (unsigned l = 0; l < leaves; l++) {
        const unsigned k = (unsigned)draw_next(seed, 9);
        const bool most = draw_next(seed, 2) == 0;

        sample->price[l] =
            (winnow__order_price){.price = (float)(1u << draw_next(seed, 4)),
                                  .log2_items = (unsigned)draw_next(seed, 8)};
        for (unsigned w = 0; w < WINNOW__ORDER_WORDS; w++) {
            uint32_t word = UINT32_MAX;

            for (unsigned i = 0; i < k; i++)
                word &= (uint32_t)draw_next(seed, UINT64_C(1) << 32);
            sample->words[l][w] = most ? ~word : word;
        }
    }
}

/* Any order keeps the same, and has each leaf once. */
Test(conditions, orders_keep_the_same) {
    static struct expression e;
    static winnow__order_sample sample;
    unsigned ordered = 0, changed = 0;

    for (uint64_t trial = 0; trial < 3000; trial++) {
        uint64_t seed = 5000 + 3 * trial;
        struct pool pools[5];
        uint16_t op[WINNOW__ORDER_OPS];
        uint32_t before[WINNOW__ORDER_WORDS], after[WINNOW__ORDER_WORDS];
        uint8_t times[WINNOW__ORDER_LEAVES] = {0};

        for (unsigned c = 0; c < 5; c++)
            pool_random(&pools[c], WINNOW_INT32, seed + c);
        expression_random(&e, pools, 5,
                          1 + (unsigned)draw_next(&seed, trial % 2 ? 90 : 9),
                          seed);
        const winnow__where_program program = program_of(&e);

        if (program.leaves < 2 || program.leaves > WINNOW__ORDER_LEAVES ||
            program.nested > WINNOW__WHERE_DEPTH)
            continue;
        ordered++;
        random_sample(&sample, program.leaves, &seed);
        kept_of(&sample, program.op, program.ops, before);
        winnow__order_sample used = sample;
        const unsigned ops =
            winnow__order_ops(&used, program.op, program.ops, op);

        kept_of(&sample, op, ops, after);
        for (unsigned w = 0; w < WINNOW__ORDER_WORDS; w++)
            cr_assert_eq(before[w], after[w], "trial %llu",
                         (unsigned long long)trial);
        for (unsigned i = 0; i < ops; i++)
            if (op[i] < WINNOW__WHERE_OPEN)
                times[op[i]]++;
        for (unsigned l = 0; l < program.leaves; l++)
            cr_assert_eq(times[l], 1);
        changed += ops != program.ops ||
                   memcmp(op, program.op, ops * sizeof(op[0])) != 0;
    }
    cr_assert_gt(ordered, 1000u);
    cr_assert_gt(changed, 500u);
}

/* Of each word, a leaf keeps the lowest bits. */
static void keep_low(winnow__order_sample *sample, unsigned leaf,
                     unsigned words, unsigned bits) {
    for (unsigned w = 0; w < WINNOW__ORDER_WORDS; w++)
        sample->words[leaf][w] = w >= words   ? 0
                                 : bits == 32 ? UINT32_MAX
                                              : (1u << bits) - 1;
}

/* The leaf that takes out the most for its price goes first, also in an "or",
 * where that is the one that keeps the most; a group by what it keeps. */
Test(conditions, the_most_selective_goes_first) {
    static winnow__order_sample sample;
    struct expression e = {0};
    unsigned a = leaf(&e, 0, WINNOW_GE), b = leaf(&e, 1, WINNOW_EQ),
             c = leaf(&e, 2, WINNOW_LT);
    const struct expression leaves = e;
    uint16_t op[WINNOW__ORDER_OPS];

    memset(sample.inside, 0xff, sizeof(sample.inside));
    for (unsigned l = 0; l < 3; l++)
        sample.price[l] =
            (winnow__order_price){.price = 32, .log2_items = 4 - l};
    AND(AND(a, b), c);
    const winnow__where_program all = program_of(&e);

    keep_low(&sample, 0, 64, 31);
    keep_low(&sample, 1, 64, 24);
    keep_low(&sample, 2, 1, 3);
    cr_assert_eq(winnow__order_ops(&sample, all.op, all.ops, op), 3);
    cr_assert_eq(op[0], 2);
    cr_assert_eq(op[1], 1);
    cr_assert_eq(op[2], 0);
    /* The leaves of an "or" keep what fails. */
    e = leaves;
    OR(OR(a, b), c);
    const winnow__where_program any = program_of(&e);

    keep_low(&sample, 0, 64, 32);
    keep_low(&sample, 1, 64, 24);
    keep_low(&sample, 2, 1, 3);
    cr_assert_eq(winnow__order_ops(&sample, any.op, any.ops, op), 5);
    cr_assert_eq(op[1], 2);
    cr_assert_eq(op[2], 1);
    cr_assert_eq(op[3], 0);
    /* The group is taken out: it keeps all but eight words, so that little is
     * left. */
    e = leaves;
    AND(a, OR(b, c));
    const winnow__where_program nested = program_of(&e);

    keep_low(&sample, 0, 64, 31);
    keep_low(&sample, 1, 64, 32);
    keep_low(&sample, 2, 60, 32);
    cr_assert_eq(nested.op[0], 0);
    cr_assert_eq(winnow__order_ops(&sample, nested.op, nested.ops, op), 5);
    cr_assert_eq(op[0], WINNOW__WHERE_OPEN);
    cr_assert_eq(op[4], 0);
}

/* Where a test reads whole blocks, what leaves some of each block saves
 * nothing: the expensive one that leaves few blocks goes first. */
Test(conditions, blocks_decide) {
    static winnow__order_sample sample;
    const uint16_t text[] = {0, 1};
    uint16_t op[WINNOW__ORDER_OPS];

    memset(sample.inside, 0xff, sizeof(sample.inside));
    sample.price[0] = (winnow__order_price){.price = 4, .log2_items = 7};
    sample.price[1] = (winnow__order_price){.price = 8, .log2_items = 7};
    keep_low(&sample, 0, 64, 8);
    keep_low(&sample, 1, 1, 3);
    cr_assert_eq(winnow__order_ops(&sample, text, 2, op), 2);
    cr_assert_eq(op[0], 1);
}

/* The kernel that orders: of columns of 1, 4 and 8 bytes, the last of which are
 * not aligned. */
GPU_TEST(conditions, device_order) {
    enum {
        ITEMS = 50000
    };
    struct expression e = {0};
    const struct rule few = {
        .type = WINNOW_UINT8, .compare = WINNOW_LT, .low = 1};
    const struct rule half = {
        .type = WINNOW_UINT32, .compare = WINNOW_LT, .low = UINT32_C(1) << 31};
    const struct rule most = {
        .type = WINNOW_UINT64, .compare = WINNOW_LT, .low = UINT64_C(63) << 58};
    unsigned char *const bytes = must_alloc(8 * ITEMS + 1);
    unsigned char *const d_bytes = gpu_alloc(8 * ITEMS + 1);
    uint16_t *const d_order = gpu_alloc((1 + WINNOW__ORDER_OPS) * 2);
    uint64_t *const d_n = gpu_alloc(sizeof(*d_n));
    const unsigned a = expression_test(&e, 0, &most),
                   b = expression_test(&e, 1, &half),
                   c = expression_test(&e, 2, &few);
    const winnow__where_program program = program_of((AND(AND(a, b), c), &e));
    winnow__select_where_args args = {.n = (const unsigned long long *)d_n,
                                      .order = d_order};

    for (size_t i = 0; i < 8 * ITEMS + 1; i++)
        bytes[i] = (unsigned char)data_random(8, i);
    backend_upload(backend, d_bytes, bytes, 8 * ITEMS + 1);
    where_lists_write(&program, &args);
    args.to.n = ITEMS;
    args.lists.columns[0] = winnow__elements(d_bytes + 1, 8, 3);
    args.lists.columns[1] = winnow__elements(d_bytes, 4, 2);
    args.lists.columns[2] = winnow__elements(d_bytes, 8, 0);
    for (unsigned i = 0; i < 30; i++) {
        static const uint64_t limits[] = {UINT64_MAX, 5000, 0};
        static const uint16_t orders[3][4] = {
            {3, 2, 1, 0}, {3, 2, 1, 0}, {3, 0, 1, 2}};
        const unsigned limit = i % 3;
        uint16_t order[4];

        simt_seed(i);
        simt_pattern(i);
        backend_upload(backend, d_n, &limits[limit], sizeof(limits[0]));
        cr_assert_eq(
            winnow__launch(&winnow__order_where, 1, &args, backend->stream),
            WINNOW_OK);
        cr_assert_null(backend_wait(backend));
        backend_download(backend, order, d_order, sizeof(order));
        for (unsigned k = 0; k < 4; k++)
            cr_assert_eq(order[k], orders[limit][k], "%u: %u is %u", i, k,
                         order[k]);
    }
    gpu_free(d_n);
    gpu_free(d_order);
    gpu_free(d_bytes);
    free(bytes);
}

/* Columns with enough bytes that calls are ordered. They share their bytes, and
 * few items are looked at. */
enum {
    WIDE_COLUMNS = 16,
    WIDE_ITEMS = 6 << 20, /* of 12 columns, if a trial tests no more */
    LOOKED_AT = 9000
};

struct wide {
    const struct backend *backend;
    unsigned char *bytes, *d_bytes;
    uint64_t *d_n;
    uint8_t *keep;
    struct selected selected;
    struct pool pools[WIDE_COLUMNS];
    winnow_in columns[WIDE_COLUMNS];
};

static void wide_fill(struct wide *wide, uint64_t seed) {
    for (size_t i = 0; i < WIDE_ITEMS + 64; i++)
        wide->bytes[i] = (unsigned char)(data_random(seed, i) >>
                                         data_random(seed + 1, i) % 64);
    backend_upload(wide->backend, wide->d_bytes, wide->bytes, WIDE_ITEMS + 64);
}

static void wide_open(struct wide *wide, const struct backend *backend) {
    const uint64_t number = LOOKED_AT;

    wide->backend = backend;
    wide->bytes = must_alloc(WIDE_ITEMS + 64);
    wide->d_bytes = gpu_alloc(WIDE_ITEMS + 64);
    wide->d_n = gpu_alloc(sizeof(*wide->d_n));
    wide->keep = must_alloc(WIDE_ITEMS);
    backend_upload(backend, wide->d_n, &number, sizeof(number));
    wide_fill(wide, 8);
    selected_open(&wide->selected, backend, WIDE_ITEMS);
    for (unsigned c = 0; c < WIDE_COLUMNS; c++) {
        pool_random(&wide->pools[c], WINNOW_INT64, 40 + c);
        wide->columns[c] = (winnow_in){.type = WINNOW_INT64,
                                       .d_base = wide->d_bytes + 3 * c,
                                       .stride_bytes = 1};
    }
}

static void wide_close(struct wide *wide) {
    selected_close(&wide->selected);
    gpu_free(wide->d_n);
    gpu_free(wide->d_bytes);
    free(wide->bytes);
    free(wide->keep);
}

/* Tests of all columns. */
static void wide_expression(const struct wide *wide, struct expression *e,
                            unsigned trial) {
    expression_random(e, wide->pools, WIDE_COLUMNS, 9, 700 + trial);
    for (unsigned c = 0; c < WIDE_COLUMNS; c++) {
        const struct rule rule = {.type = WINNOW_INT64,
                                  .kind = RULE_BITS,
                                  .mask = UINT64_C(1) << (c + trial)};
        const unsigned root = e->number - 1;
        const unsigned other = expression_test(e, c, &rule);

        expression_join(e,
                        c / 4 % 2 == trial % 2 ? EXPRESSION_OR : EXPRESSION_AND,
                        root, other);
    }
}

static uint64_t wide_element(const struct wide *wide, unsigned c, uint64_t i) {
    uint64_t element;

    memcpy(&element, wide->bytes + 3 * c + i, sizeof(element));
    return element;
}

/* What the expression keeps of the bytes that there are. */
static void wide_expect(struct wide *wide, const struct expression *e) {
    memset(wide->keep, 0, WIDE_ITEMS);
    for (uint64_t i = 0; i < LOOKED_AT; i++) {
        uint64_t row[WIDE_COLUMNS];

        for (unsigned c = 0; c < WIDE_COLUMNS; c++)
            row[c] = wide_element(wide, c, i);
        wide->keep[i] = expression_keeps(e, row);
    }
}

static void wide_select(struct wide *wide, const winnow_condition *condition) {
    winnow__reset_launches();
    cr_assert_eq(
        winnow_select_where(
            wide->backend->context, condition, wide->columns, WIDE_COLUMNS,
            WIDE_ITEMS, wide->selected.d_selection, wide->selected.bytes,
            WINNOW_LAUNCH(.stream = wide->backend->stream, .d_n = wide->d_n)),
        WINNOW_OK, "%s", winnow_last_error());
    cr_assert_eq(winnow__launches(), 3u); /* the first one orders */
}

static void wide_check(struct wide *wide) {
    MUST(selected_check(&wide->selected, wide->keep, report));
}

GPU_TEST(conditions, ordered_calls) {
    struct wide wide;

    wide_open(&wide, backend);
    for (unsigned trial = 0; trial < 3; trial++) {
        static struct expression e;

        wide_expression(&wide, &e, trial);
        winnow_condition *const condition = expression_create(&e);
        wide_expect(&wide, &e);
        selected_prepare(&wide.selected, WIDE_ITEMS);
        wide_select(&wide, condition);
        wide_check(&wide);
        winnow_condition_destroy(condition);
    }
    wide_close(&wide);
}

/* Each replay orders by the data that there are then. */
GPU_TEST(conditions, ordered_graph) {
    static struct expression e;
    struct wide wide;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    wide_open(&wide, backend);
    wide_expression(&wide, &e, 1);
    winnow_condition *const condition = expression_create(&e);
    selected_prepare(&wide.selected, WIDE_ITEMS);
    GPU_MUST(
        cudaStreamBeginCapture(backend->stream, cudaStreamCaptureModeGlobal));
    wide_select(&wide, condition);
    GPU_MUST(cudaStreamEndCapture(backend->stream, &graph));
    GPU_MUST(cudaGraphInstantiate(&exec, graph, 0));
    winnow_condition_destroy(condition);
    for (unsigned i = 0; i < 3; i++) {
        wide_fill(&wide, 50 + 2 * i);
        wide_expect(&wide, &e);
        GPU_MUST(cudaGraphLaunch(exec, backend->stream));
        wide_check(&wide);
    }
    GPU_MUST(cudaGraphExecDestroy(exec));
    GPU_MUST(cudaGraphDestroy(graph));
    wide_close(&wide);
}

/* With sets: tests of the values' low bits, and of which values they are. */
GPU_TEST(conditions, ordered_sets) {
    enum {
        VALUES = 3000
    };
    static struct expression e;
    uint64_t *const values = must_alloc(VALUES * sizeof(*values));
    struct wide wide;

    wide_open(&wide, backend);
    wide_expression(&wide, &e, 0);
    wide_expect(&wide, &e);
    winnow_condition *condition = expression_create(&e);
    for (unsigned c = 2; c < 6; c++) {
        const uint64_t number = c == 2 ? 6 : VALUES;
        const bool is_or = c % 2 == 0;
        winnow_condition *set, *both;

        for (uint64_t i = 0; i < number; i++)
            values[i] = wide_element(&wide, c, c + 2 * i);
        cr_assert_eq(
            winnow_condition_in(&set, NULL, c, WINNOW_INT64, values, number),
            WINNOW_OK);
        cr_assert_eq((is_or ? winnow_condition_or
                            : winnow_condition_and)(&both, condition, set),
                     WINNOW_OK);
        winnow_condition_destroy(condition);
        winnow_condition_destroy(set);
        condition = both;
        for (uint64_t i = 0; i < LOOKED_AT; i++) {
            const uint64_t x = wide_element(&wide, c, i);
            bool is_in = false;

            for (uint64_t k = 0; k < number; k++)
                is_in |= values[k] == x;
            wide.keep[i] =
                is_or ? wide.keep[i] || is_in : wide.keep[i] && is_in;
        }
    }
    selected_prepare(&wide.selected, WIDE_ITEMS);
    wide_select(&wide, condition);
    wide_check(&wide);
    winnow_condition_destroy(condition);
    wide_close(&wide);
    free(values);
}
