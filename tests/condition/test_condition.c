/*
 * winnow_select_where: conditions over several columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "element.h"
#include "reduced.h"
#include "rules.h"
#include "suite.h"
#include "data.h"
#include "table.h"

/* Around words, vectors, chunks, tiles, and the tiles of a block. */
static const uint64_t edges[] = {0,    1,    2,    31,    32,    33,   1000,
                                 1023, 1024, 1025, 2047,  3073,  4095, 4096,
                                 4097, 8191, 8193, 12289, 32769, 70001};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static void run(struct table *table, const struct expression *expression,
                uint64_t n, uint64_t limit) {
    winnow_condition *const condition = expression_create(expression);

    cr_assert_eq(table_select(table, condition, n, limit), WINNOW_OK, "%s",
                 winnow_last_error());
    /* The call has taken a copy. */
    winnow_condition_destroy(condition);
    MUST(table_check(table, expression, n, limit, report));
}

/* One test of one column, of every type and kind, in every layout. */
BACKEND_TEST(condition, LONG(types)) {
    const uint64_t n = reduced_mode() ? 2100 : 9001;

    FOR_EACH_TYPE(type) {
        struct rule rules[RULES_KINDS];

        rules_kinds(type, rules);
        for (unsigned l = 0; l < 8; l++) {
            const size_t size = element_size(type);
            const struct layout layouts[] = {
                {0},
                {.offset = 3 * size},
                {.front = 1},
                {.stride = 3 * size, .offset = size},
                {.stride = size + 3, .offset = 2, .front = 5},
                {.backwards = true},
                {.stride = 3 * size, .offset = size, .backwards = true},
                {.stride = size + 3, .front = 5, .backwards = true}};
            struct table table = {.columns = 1, .layouts = {layouts[l]}};

            pool_random(&table.pools[0], type, 80 + l);
            table_open(&table, backend, n);
            table_fill(&table, n, 1 + l, 81);
            for (size_t i = 0; i < RULES_KINDS; i++) {
                struct expression expression = {0};

                expression_test(&expression, 0, &rules[i]);
                run(&table, &expression, n, UINT64_MAX);
            }
            table_close(&table);
        }
    }
}

/* Lengths around every edge. */
BACKEND_TEST(condition, sizes) {
    const size_t number = reduced_mode() ? EDGES - 2 : EDGES;
    struct table table;

    table_random(&table, 4, 90);
    table_open(&table, backend, edges[number - 1]);
    for (size_t i = 0; i < number; i++) {
        struct expression expression;

        table_fill(&table, edges[i], 1 + i * 37 % 100, 91 + i);
        expression_random(&expression, table.pools, 4, 6, 92 + i);
        run(&table, &expression, edges[i], UINT64_MAX);
    }
    table_close(&table);
}

/* A random condition of random columns, up to the most of both. */
static void random_trial(const struct backend *backend, unsigned trial) {
    static const uint64_t runs[] = {1, 9, 300, 2500};
    uint64_t seed = 1000 + 17 * trial;
    const unsigned columns =
        1 + (unsigned)draw_next(&seed, trial % 8 == 1 ? CONDITION_COLUMNS : 9);
    const uint64_t n = draw_next(&seed, 6000);
    struct table table;
    struct expression expression;

    table_random(&table, columns, seed);
    table_open(&table, backend, n);
    table_fill(&table, n, runs[draw_next(&seed, 4)], seed);
    expression_random(&expression, table.pools, columns,
                      1 + (unsigned)draw_next(&seed, trial % 4 == 0
                                                         ? CONDITION_TESTS
                                                     : trial % 4 == 1 ? 40
                                                                      : 6),
                      seed);
    run(&table, &expression, n,
        draw_next(&seed, 3) == 0 ? draw_next(&seed, 7000) : UINT64_MAX);
    table_close(&table);
}

BACKEND_TEST(condition, random) {
    const unsigned trials = reduced_mode() ? 40 : 400;

    for (unsigned trial = 0; trial < trials; trial++)
        random_trial(backend, trial);
}

/* The number of items on the device: none, some, all, and more. */
BACKEND_TEST(condition, device_numbers) {
    static const uint64_t limits[] = {0,    1,    31,   1024, 1030,
                                      4096, 5000, 9000, 9001, UINT64_MAX - 1};
    const uint64_t n = 9000;
    struct table table;
    struct expression expression;

    table_random(&table, 3, 60);
    table_open(&table, backend, n);
    table_fill(&table, n, 3, 61);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        expression_random(&expression, table.pools, 3, 5, 62 + i);
        run(&table, &expression, n, limits[i]);
    }
    table_close(&table);
}

/* ------------------------------------------------------------------- shapes */

static struct rule equal_to(const struct pool *pool, unsigned i) {
    return (struct rule){.type = pool->type,
                         .kind = RULE_COMPARE,
                         .compare = WINNOW_EQ,
                         .low = pool->bits[i % CONDITION_POOL]};
}

/* A test of any column, also of one of bits. */
static unsigned equality(struct expression *e, const struct table *table,
                         unsigned column, unsigned i, winnow_compare compare) {
    struct rule rule;

    if (table->pools[column].type == WINNOW_BIT)
        return expression_bit(e, column);
    rule = equal_to(&table->pools[column], i);
    rule.compare = compare;
    return expression_test(e, column, &rule);
}

/* a && (b && (... || y) || z): as many items wait in different places as can
 * be. And its opposite, nested to the left; and tests in a row. */
BACKEND_TEST(condition, nested) {
    const uint64_t n = 3000;
    struct table table;

    table_random(&table, 5, 70);
    table_open(&table, backend, n);
    table_fill(&table, n, 5, 71);
    for (unsigned shape = 0; shape < 4; shape++) {
        struct expression e = {0};
        unsigned root = equality(&e, &table, 0, 0, WINNOW_EQ);

        for (unsigned i = 1; i + 1 < CONDITION_TESTS; i += 2) {
            const unsigned x = i % 5, y = (i / 2) % 5;
            const unsigned a = equality(&e, &table, x, i, WINNOW_NE);
            const unsigned b = equality(&e, &table, y, i + 1, WINNOW_EQ);

            switch (shape) {
            case 0:
                root = expression_join(&e, EXPRESSION_AND, a, root);
                root = expression_join(&e, EXPRESSION_OR, root, b);
                break;
            case 1:
                root = expression_join(&e, EXPRESSION_AND, root, a);
                root = expression_join(&e, EXPRESSION_OR, root, b);
                break;
            case 2:
                root = expression_join(&e, EXPRESSION_OR, b, root);
                root = expression_join(&e, EXPRESSION_AND, a, root);
                break;
            default:
                root = expression_join(&e, EXPRESSION_AND, root, a);
                root = expression_join(&e, EXPRESSION_AND, root, a);
                break;
            }
        }
        run(&table, &e, n, UINT64_MAX);
    }
    table_close(&table);
}

/* Tests of one column in a row, which are one step: lists, ranges, and both
 * turned around. */
BACKEND_TEST(condition, one_column) {
    const uint64_t n = 3000;

    FOR_EACH_TYPE(type) {
        struct table table = {.columns = 2};

        pool_random(&table.pools[0], type, 72);
        pool_random(&table.pools[1], WINNOW_UINT8, 73);
        table_open(&table, backend, n);
        table_fill(&table, n, 1, 74);
        for (unsigned shape = 0; shape < 16; shape++) {
            struct expression e = {0};
            struct rule rule = equal_to(&table.pools[1], 1);
            unsigned root;

            rule.compare = WINNOW_NE;
            root = expression_test(&e, 1, &rule);
            for (unsigned i = 0; i < 5; i++) {
                unsigned leaf;

                rule = equal_to(&table.pools[0], i);
                rule.compare = (winnow_compare)((shape + i) % 6);
                if (shape % 8 == 7)
                    rule = (struct rule){.type = rule.type,
                                         .kind = RULE_BITS,
                                         .mask = shape > 8 ? 0 : 5,
                                         .value = shape > 8 ? 0 : i};
                if (rule.kind == RULE_BITS)
                    rule.value &= rule.mask;
                leaf = expression_test(&e, 0, &rule);
                if ((shape >> 1 & i & 1) != 0)
                    leaf = expression_join(&e, EXPRESSION_NOT, leaf, leaf);
                root = expression_join(
                    &e,
                    shape % 2 == 0 || (shape > 11 && i > 2) ? EXPRESSION_AND
                                                            : EXPRESSION_OR,
                    shape < 8 ? root : leaf, shape < 8 ? leaf : root);
            }
            if (shape % 3 == 0)
                expression_join(&e, EXPRESSION_NOT, root, root);
            run(&table, &e, n, UINT64_MAX);
        }
        table_close(&table);
    }
}

/* All items, and none. */
BACKEND_TEST(condition, all_and_none) {
    const uint64_t n = 5000;
    struct table table = {.columns = 2};

    pool_random(&table.pools[0], WINNOW_FLOAT32, 75);
    pool_random(&table.pools[1], WINNOW_INT16, 76);
    table_open(&table, backend, n);
    table_fill(&table, n, 1, 77);
    for (unsigned none = 0; none < 2; none++) {
        const struct rule nan = {.type = WINNOW_FLOAT32,
                                 .compare = none ? WINNOW_EQ : WINNOW_NE,
                                 .low = element_nan(WINNOW_FLOAT32)};
        const struct rule other = equal_to(&table.pools[1], 0);
        struct expression e = {0};
        const unsigned a = expression_test(&e, 0, &nan);
        const unsigned b = expression_test(&e, 1, &other);

        expression_join(&e, none ? EXPRESSION_AND : EXPRESSION_OR, a, b);
        run(&table, &e, n, UINT64_MAX);
    }
    table_close(&table);
}

/* Of a column of bits all leaves that there are, joined in every order: a bit that
 * is null, one that is 0 and one that is 1. */
enum {
    BIT_LEAVES = 6,
    BIT_MEMBERS = 4
};

static const struct {
    const char *text;
    enum truth truth[3];
} bit_leaves[BIT_LEAVES] = {
    {"f", {TRUTH_UNKNOWN, TRUTH_FALSE, TRUTH_TRUE}},
    {"not f", {TRUTH_UNKNOWN, TRUTH_TRUE, TRUTH_FALSE}},
    {"f is null", {TRUTH_TRUE, TRUTH_FALSE, TRUTH_FALSE}},
    {"f is not null", {TRUTH_FALSE, TRUTH_TRUE, TRUTH_TRUE}},
    {"f is true", {TRUTH_FALSE, TRUTH_FALSE, TRUTH_TRUE}},
    {"f is not true", {TRUTH_TRUE, TRUTH_TRUE, TRUTH_FALSE}}};

/* Leaf number `leaf[m]` for each member, joined by "or", by "and", or by turns. */
static void check_bits(struct selected *selected, const winnow_in *in,
                       const unsigned leaf[BIT_MEMBERS], unsigned joins) {
    static const winnow_field field = {.name = "f", .type = WINNOW_BIT};
    const struct backend *const backend = selected->backend;
    winnow_condition *condition;
    uint8_t keep[3];
    char text[200];
    size_t length =
        (size_t)snprintf(text, sizeof(text), "((%s)", bit_leaves[leaf[0]].text);

    for (unsigned m = 1; m < BIT_MEMBERS; m++)
        length += (size_t)snprintf(text + length, sizeof(text) - length,
                                   "%s (%s)%s", joins >> m & 1 ? " and" : " or",
                                   bit_leaves[leaf[m]].text,
                                   m == BIT_MEMBERS / 2 ? ")" : "");
    for (unsigned i = 0; i < 3; i++) {
        enum truth all = bit_leaves[leaf[0]].truth[i];

        for (unsigned m = 1; m < BIT_MEMBERS; m++) {
            const enum truth one = bit_leaves[leaf[m]].truth[i];
            all = (joins >> m & 1) == (one < all) ? one : all;
        }
        keep[i] = all == TRUTH_TRUE;
    }
    cr_assert_eq(winnow_condition_parse(&condition, &field, 1, text), WINNOW_OK,
                 "%s: %s", text, winnow_last_error());
    selected_prepare(selected, 3);
    cr_assert_eq(winnow_select_where(backend->context, condition, in, 1, 3,
                                     selected->d_selection, selected->bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    winnow_condition_destroy(condition);
    struct report report = {{0}};

    cr_assert(selected_check(selected, keep, &report), "%s: %s", text,
              report.text);
}

Test(condition, bits_of_one_column) {
    static const uint8_t bits = 0x4, valid = 0x6;
    const winnow_in in = {
        .type = WINNOW_BIT, .d_base = &bits, .d_valid = &valid};
    /* All "or", all "and", and by turns. */
    static const unsigned joins[] = {0, 0xf, 0x8, 0x6};
    struct selected selected;
    struct backend backend;
    unsigned leaf[BIT_MEMBERS];

    backend_open_host(&backend);
    selected_open(&selected, &backend, 3);
    for (unsigned all = 0;
         all < BIT_LEAVES * BIT_LEAVES * BIT_LEAVES * BIT_LEAVES; all++) {
        for (unsigned m = 0, left = all; m < BIT_MEMBERS;
             m++, left /= BIT_LEAVES)
            leaf[m] = left % BIT_LEAVES;
        for (unsigned j = 0; j < sizeof(joins) / sizeof(joins[0]); j++)
            check_bits(&selected, &in, leaf, joins[j]);
    }
    selected_close(&selected);
    backend_close(&backend);
}

/* Fields of one record, packed. */
BACKEND_TEST(condition, records) {
    enum {
        N = 6000,
        BYTES = 29
    };
    static const struct {
        winnow_type type;
        size_t offset;
    } fields[] = {{WINNOW_UINT8, 0},    {WINNOW_FLOAT64, 1},
                  {WINNOW_INT32, 9},    {WINNOW_UINT16, 13},
                  {WINNOW_FLOAT32, 15}, {WINNOW_INT64, 19}};
    enum {
        FIELDS = sizeof(fields) / sizeof(fields[0])
    };
    struct pool pools[FIELDS];
    winnow_in columns[FIELDS];
    struct expression e;
    struct region memory;
    struct selected selected;
    unsigned char *const rows = must_alloc(N * BYTES);
    uint8_t *const keep = must_alloc(N);
    winnow_condition *condition;

    region_open(&memory, backend, N * BYTES);
    selected_open(&selected, backend, N);
    for (unsigned f = 0; f < FIELDS; f++) {
        pool_random(&pools[f], fields[f].type, 78 + f);
        columns[f] = (winnow_in){.type = fields[f].type,
                                 .d_base = memory.base + fields[f].offset,
                                 .stride_bytes = BYTES};
    }
    expression_random(&e, pools, FIELDS, 12, 4);
    condition = expression_create(&e);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t row[FIELDS];

        for (unsigned f = 0; f < FIELDS; f++) {
            row[f] = pools[f].bits[data_random(84 + f, i / 3) % CONDITION_POOL];
            element_store(fields[f].type, rows + i * BYTES + fields[f].offset,
                          row[f]);
        }
        keep[i] = expression_keeps(&e, row);
    }
    region_write(&memory, 0, rows, N * BYTES);
    selected_prepare(&selected, N);
    cr_assert_eq(winnow_select_where(backend->context, condition, columns,
                                     FIELDS, N, selected.d_selection,
                                     selected.bytes,
                                     WINNOW_LAUNCH(.stream = backend->stream)),
                 WINNOW_OK, "%s", winnow_last_error());
    MUST(selected_check(&selected, keep, report));
    winnow_condition_destroy(condition);
    selected_close(&selected);
    region_close(&memory);
    free(rows);
    free(keep);
}

/* Columns of any number, the others of which say nothing. */
BACKEND_TEST(condition, sparse_columns) {
    enum {
        N = 5000,
        MOST = 65536
    };
    static const unsigned numbers[] = {0, 64, 300, 32768, 65535};
    static winnow_in columns[MOST];
    static uint64_t *bits[MOST];
    static bool *is_null[MOST];
    struct expression e = {0};
    struct table table;
    unsigned root = 0;

    table_random(&table, 5, 61);
    table_open(&table, backend, N);
    table_fill(&table, N, 1, 62);
    for (unsigned c = 0; c < 5; c++) {
        const struct rule rule = {.type = table.pools[c].type,
                                  .compare = WINNOW_GE,
                                  .low = table.pools[c].bits[3]};
        const unsigned leaf = expression_test(&e, numbers[c], &rule);

        root = c == 0
                   ? leaf
                   : expression_join(&e, c % 2 ? EXPRESSION_OR : EXPRESSION_AND,
                                     root, leaf);
        columns[numbers[c]] = table_column(&table, c, N);
        bits[numbers[c]] = table.bits[c];
        is_null[numbers[c]] = table.is_null[c];
    }
    expression_keep(&e, bits, is_null, N, UINT64_MAX, table.keep);
    winnow_condition *const condition = expression_create(&e);
    for (unsigned number = MOST; number >= MOST - 1; number--) {
        selected_prepare(&table.selected, N);
        const winnow_status status = winnow_select_where(
            backend->context, condition, columns, number, N,
            table.selected.d_selection, table.selected.bytes,
            WINNOW_LAUNCH(.stream = backend->stream));

        if (number == MOST) {
            cr_assert_eq(status, WINNOW_OK, "%s", winnow_last_error());
            MUST(selected_check(&table.selected, table.keep, report));
        } else {
            cr_assert_eq(status, WINNOW_ERR_ARGUMENT);
        }
    }
    winnow_condition_destroy(condition);
    table_close(&table);
}

/* ----------------------------------------------------------------- the host */

/* A column of random layouts is tested where those before it leave single items,
 * or runs, apart by less and by more than is skipped. */
static void undecided_parts(const struct backend *backend, winnow_type type) {
    enum {
        N = 9000
    };
    const struct rule is_set = {
        .type = WINNOW_UINT8, .compare = WINNOW_EQ, .low = 1};
    struct rule rules[RULES_KINDS];

    rules_kinds(type, rules);
    for (unsigned i = 0; i < 3 * RULES_KINDS; i += reduced_mode() ? 2 : 1) {
        const unsigned before = 1 + i % 3; /* each leaves a twelfth */
        struct table table = {.columns = before + 1};
        struct expression e = {0};
        unsigned root = expression_test(&e, before, &rules[i / 3]);

        for (unsigned c = 0; c < before; c++)
            table.pools[c] = (struct pool){.type = WINNOW_UINT8, .bits = {1}};
        pool_random(&table.pools[before], type, 53 + i);
        table.layouts[before] = layout_random(type, 54 + i);
        table_open(&table, backend, N);
        table_fill(&table, N, i % 2 == 0 ? 1 : 70, 55 + i);
        for (unsigned c = before; c-- > 0;) {
            const unsigned set = expression_test(&e, c, &is_set);

            root = expression_join(&e, EXPRESSION_AND, set, root);
        }
        run(&table, &e, N, UINT64_MAX);
        table_close(&table);
    }
}

/* The loops of all instructions. */
Test(condition, instructions) {
    const unsigned trials = reduced_mode() ? 60 : 600;
    unsigned tested = 0;

    for (size_t i = 0; i < BACKEND_ISAS; i++) {
        struct backend backend;

        if (!backend_open_isa(&backend, backend_isas[i]))
            continue;
        tested++;
        for (unsigned trial = 0; trial < trials; trial++)
            random_trial(&backend, 1000 + trial);
        FOR_EACH_TYPE(type)
        undecided_parts(&backend, type);
        backend_close(&backend);
    }
    cr_assert_geq(tested, 1u);
}

/* So many tiles that threads share them. */
Test(condition, threads) {
    const uint64_t n = reduced_mode() ? 550000 : 2000003;
    struct backend backend;
    struct table table;
    struct expression expression;

    backend_open_host(&backend);
    cr_assert_eq(winnow_context_set_threads(backend.context, 3), WINNOW_OK);
    table_random(&table, 3, 50);
    table_open(&table, &backend, n);
    table_fill(&table, n, 20, 51);
    expression_random(&expression, table.pools, 3, 4, 52);
    run(&table, &expression, n, n - 5000);
    table_close(&table);
    backend_close(&backend);
}

/* A column that cannot change the outcome is not read: its memory cannot be. */
Test(condition, unread_columns) {
    enum {
        N = 10000,
        PAGE = 4096
    };
    const uint32_t limit = 5000, value = 3;
    const size_t bytes = N * sizeof(uint32_t);
    uint32_t *const numbers = must_alloc(bytes);
    uint8_t keep[N];
    uint32_t *const hidden = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const winnow_in columns[] = {{.type = WINNOW_UINT32, .d_base = numbers},
                                 {.type = WINNOW_UINT32, .d_base = hidden}};
    winnow_predicate *less, *equal;
    winnow_condition *a, *b, *both, *either;
    struct backend backend;
    struct selected selected;

    cr_assert_neq((void *)hidden, MAP_FAILED);
    for (uint32_t i = 0; i < N; i++) {
        numbers[i] = i;
        hidden[i] = i % 7;
    }
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
    backend_open_host(&backend);
    selected_open(&selected, &backend, N);
    for (int or = 0; or <= 1; or ++) {
        /* Items 0 to 4999 are undecided after the first, or those after. */
        char *const at = (char *)hidden + (or ? 0 : 5 * PAGE);

        cr_assert_eq(mprotect(at, or ? 4 * PAGE : bytes - 5 * PAGE, PROT_NONE),
                     0);
        selected_prepare(&selected, N);
        cr_assert_eq(winnow_select_where(backend.context, or ? either : both,
                                         columns, 2, N, selected.d_selection,
                                         selected.bytes, NULL),
                     WINNOW_OK);
        cr_assert_eq(mprotect(hidden, bytes, PROT_READ), 0);
        for (uint32_t i = 0; i < N; i++)
            keep[i] =
                or ? i < limit || i % 7 == value : i < limit && i % 7 == value;
        MUST(selected_check(&selected, keep, report));
    }
    selected_close(&selected);
    backend_close(&backend);
    winnow_condition_destroy(a);
    winnow_condition_destroy(b);
    winnow_condition_destroy(both);
    winnow_condition_destroy(either);
    winnow_predicate_destroy(less);
    winnow_predicate_destroy(equal);
    munmap(hidden, bytes);
    free(numbers);
}

/* ---------------------------------------------------------------- bad input */

#define WRONG(status, call, text)                                              \
    do {                                                                       \
        cr_assert_eq((call), (status));                                        \
        cr_assert_str_eq(winnow_last_error(), text);                           \
    } while (0)

Test(condition, wrong_conditions) {
    const uint8_t zero = 0;
    winnow_predicate *predicate;
    winnow_condition *one, *many, *next, *made = NULL;

    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT8, WINNOW_EQ, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&one, 65535, predicate), WINNOW_OK);
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_test(NULL, 0, predicate),
          "condition_p is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_test(&made, 0, NULL),
          "predicate is NULL");
    WRONG(WINNOW_ERR_UNSUPPORTED,
          winnow_condition_test(&made, 65536, predicate),
          "column is 65536: a condition has columns 0 to 65535");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_and(NULL, one, one),
          "condition_p is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_and(&made, NULL, one),
          "a is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_or(&made, one, NULL),
          "b is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_not(&made, NULL), "a is NULL");
    WRONG(WINNOW_ERR_ARGUMENT, winnow_condition_not(NULL, one),
          "condition_p is NULL");
    cr_assert_eq(winnow_condition_not(&many, one), WINNOW_OK);
    for (unsigned tests = 1; tests < WINNOW_CONDITION_MOST_TESTS; tests *= 2) {
        cr_assert_eq(winnow_condition_or(&next, many, many), WINNOW_OK);
        winnow_condition_destroy(many);
        many = next;
    }
    WRONG(WINNOW_ERR_UNSUPPORTED, winnow_condition_or(&made, many, one),
          "the condition would have 513 tests: at most 512 are possible");
    winnow_condition_destroy(many);
    cr_assert_eq(winnow_condition_not(&many, one), WINNOW_OK);
    for (unsigned c = 1; c <= WINNOW_CONDITION_MOST_COLUMNS; c++) {
        winnow_condition *other;
        winnow_status status;

        cr_assert_eq(winnow_condition_test(&other, 900 * c, predicate),
                     WINNOW_OK);
        status = winnow_condition_and(&next, other, many);
        winnow_condition_destroy(other);
        if (c == WINNOW_CONDITION_MOST_COLUMNS) {
            WRONG(WINNOW_ERR_UNSUPPORTED, status,
                  "the condition would test more than 64 different columns");
            break;
        }
        cr_assert_eq(status, WINNOW_OK);
        winnow_condition_destroy(many);
        many = next;
    }
    /* The same columns again. */
    cr_assert_eq(winnow_condition_or(&next, many, many), WINNOW_OK);
    winnow_condition_destroy(next);
    cr_assert_null(made);
    winnow_condition_destroy(NULL);
    winnow_condition_destroy(one);
    winnow_condition_destroy(many);
    winnow_predicate_destroy(predicate);
}

Test(condition, wrong_arguments) {
    enum {
        N = 100,
        ENOUGH = 1024
    };
    static _Alignas(16) unsigned char selection[ENOUGH + 16];
    static const uint32_t in[N + 1];
    const uint32_t zero = 0;
    winnow_in columns[2] = {{.type = (winnow_type)77, .stride_bytes = 1},
                            {.type = WINNOW_UINT32, .d_base = in}};
    winnow_in *const column = &columns[1];
    winnow_predicate *predicate;
    winnow_condition *condition;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_predicate_compare(&predicate, WINNOW_UINT32, WINNOW_NE, &zero),
        WINNOW_OK);
    cr_assert_eq(winnow_condition_test(&condition, 1, predicate), WINNOW_OK);
#define SELECT(n, bytes)                                                       \
    winnow_select_where(context, condition, columns, 2, (n), selection,        \
                        (bytes), NULL)
#define REFUSED(call, text) WRONG(WINNOW_ERR_ARGUMENT, call, text)
    /* A column that no test has is ignored. */
    cr_assert_eq(SELECT(N, ENOUGH), WINNOW_OK, "%s", winnow_last_error());
    memset(selection, 0, sizeof(selection));
    REFUSED(winnow_select_where(NULL, condition, columns, 2, N, selection,
                                ENOUGH, NULL),
            "context is NULL");
    REFUSED(winnow_select_where(context, NULL, columns, 2, N, selection, ENOUGH,
                                NULL),
            "condition is NULL");
    REFUSED(winnow_select_where(context, condition, NULL, 2, N, selection,
                                ENOUGH, NULL),
            "columns is NULL");
    REFUSED(winnow_select_where(context, condition, columns, 1, N, selection,
                                ENOUGH, NULL),
            "the condition tests column 1, and column_count is 1");
    REFUSED(winnow_select_where(context, condition, columns, 2, N, NULL, ENOUGH,
                                NULL),
            "d_selection is NULL");
    REFUSED(SELECT(N, 543), "the selection has 543 bytes: 544 are needed");
    cr_assert_eq(winnow_select_where(context, condition, columns, 2, N,
                                     selection + 8, ENOUGH, NULL),
                 WINNOW_ERR_ARGUMENT);
    cr_assert_eq(SELECT((UINT64_C(1) << 42) + 1, SIZE_MAX),
                 WINNOW_ERR_UNSUPPORTED);
    column->d_base = NULL;
    REFUSED(SELECT(N, ENOUGH), "columns[1].d_base is NULL");
    column->d_base = selection;
    REFUSED(SELECT(N, ENOUGH), "columns[1].d_base and d_selection overlap");
    /* Backwards, from an element behind the selection. */
    column->d_base = selection + ENOUGH + 12;
    column->stride_bytes = -12;
    REFUSED(SELECT(N, ENOUGH), "columns[1].d_base and d_selection overlap");
    column->stride_bytes = 0;
    column->d_base = in;
    column->type = (winnow_type)99;
    REFUSED(SELECT(N, ENOUGH), "columns[1].type 99 is no winnow_type");
    column->type = WINNOW_OPAQUE;
    REFUSED(SELECT(N, ENOUGH),
            "columns[1] has no type, and element_bytes is 0");
    column->element_bytes = 4;
    REFUSED(SELECT(N, ENOUGH), "columns[1] is of opaque, and the condition "
                               "tests it as uint32");
    column->type = WINNOW_UINT64;
    REFUSED(SELECT(N, ENOUGH), "columns[1].element_bytes is 4: wanted 0, or 8, "
                               "the size of its type, uint64");
    column->type = WINNOW_FLOAT32;
    REFUSED(SELECT(N, ENOUGH), "columns[1] is of float32, and the condition "
                               "tests it as uint32");
    column->type = WINNOW_BIT;
    REFUSED(SELECT(N, ENOUGH),
            "columns[1].element_bytes is 4: wanted 0 for bits");
    column->element_bytes = 0;
    REFUSED(SELECT(N, ENOUGH), "columns[1] is of bit, and the condition tests "
                               "it as uint32");
    column->type = WINNOW_UINT32;
    column->reserved[1] = 1;
    REFUSED(SELECT(N, ENOUGH), "columns[1].reserved is not 0");
    column->reserved[1] = 0;
    column->d_valid = in;
    column->valid_offset = UINT64_MAX - N + 1;
    REFUSED(SELECT(N, ENOUGH),
            "columns[1].valid_offset is 18446744073709551516: that runs past "
            "the end of the address space");
    column->valid_offset = 0;
    column->d_valid = selection + 8;
    REFUSED(SELECT(N, ENOUGH), "columns[1].d_valid and d_selection overlap");
    column->d_valid = NULL;
    column->stride_bytes = INT64_MAX / 4;
    cr_assert_eq(SELECT(N, ENOUGH), WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "past the end"));
    column->stride_bytes = INT64_MIN / 4;
    cr_assert_eq(SELECT(N, ENOUGH), WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "past the end"));
    column->stride_bytes = 0;
    column->d_base = (const void *)(UINTPTR_MAX - 2);
    cr_assert_eq(SELECT(1, ENOUGH), WINNOW_ERR_ARGUMENT);
    cr_assert_not_null(strstr(winnow_last_error(), "past the end"));
    for (size_t i = 0; i < sizeof(selection); i++)
        cr_assert_eq(selection[i], 0);
    winnow_condition_destroy(condition);
    winnow_predicate_destroy(predicate);
    winnow_context_destroy(context);
}

Test(condition, wrong_bits) {
    enum {
        N = 100,
        ENOUGH = 1024
    };
    static _Alignas(16) unsigned char selection[ENOUGH];
    static const uint8_t in[N];
    winnow_in column = {.type = WINNOW_UINT8, .d_base = in};
    winnow_condition *condition = NULL;
    winnow_context *context;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    REFUSED(winnow_condition_bit(NULL, 0), "condition_p is NULL");
    WRONG(WINNOW_ERR_UNSUPPORTED, winnow_condition_bit(&condition, 65536),
          "column is 65536: a condition has columns 0 to 65535");
    cr_assert_null(condition);
    cr_assert_eq(winnow_condition_bit(&condition, 0), WINNOW_OK);
#undef SELECT
#define SELECT(n)                                                              \
    winnow_select_where(context, condition, &column, 1, (n), selection,        \
                        ENOUGH, NULL)
    REFUSED(SELECT(N),
            "columns[0] is of uint8, and the condition tests it as bit");
    column.type = WINNOW_OPAQUE;
    column.element_bytes = 1;
    REFUSED(SELECT(N),
            "columns[0] is of opaque, and the condition tests it as bit");
    column.type = WINNOW_BIT;
    column.element_bytes = 0;
    column.offset = UINT64_MAX - N + 1;
    REFUSED(SELECT(N), "columns[0].offset is 18446744073709551516: that runs "
                       "past the end of the address space");
    column.offset = 0;
    column.d_base = selection + 16;
    REFUSED(SELECT(N), "columns[0].d_base and d_selection overlap");
    column.d_base = NULL;
    REFUSED(SELECT(N), "columns[0].d_base is NULL");
    cr_assert_eq(SELECT(0), WINNOW_OK);
    winnow_condition_destroy(condition);
    winnow_context_destroy(context);
}

/* launch->plan says in which order the tests are made. */
Test(condition, explained) {
    static const uint8_t byte;
    static const winnow_field fields[] = {{.name = "a", .type = WINNOW_UINT8},
                                          {.name = "b", .type = WINNOW_UINT8}};
    const winnow_in columns[] = {{.type = WINNOW_UINT8, .d_base = &byte},
                                 {.type = WINNOW_UINT8, .d_base = &byte}};
    static const struct {
        uint64_t n;
        const char *line;
    } cases[] = {
        {1000, "tests: 2, in the order of the condition\n"},
        {1 << 18, "tests: 2, in the order of a sample of the items\n"}};
    uint8_t out;
    uint64_t count;
    const winnow_move move = {.d_in = &byte, .d_out = &out, .element_bytes = 1};
    winnow_context *context;
    winnow_condition *condition;

    cr_assert_eq(winnow_context_create(&context, WINNOW_DEVICE_HOST),
                 WINNOW_OK);
    cr_assert_eq(
        winnow_condition_parse(&condition, fields, 2, "a < 9 && b < 7"),
        WINNOW_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[500];
        winnow_plan plan = {
            .size = sizeof(plan), .text = text, .text_bytes = sizeof(text)};

        cr_assert_eq(winnow_select_where(context, condition, columns, 2,
                                         cases[i].n, NULL, 0,
                                         WINNOW_LAUNCH(.plan = &plan)),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_not_null(strstr(text, cases[i].line), "%s", text);
        cr_assert_eq(winnow_copy_where(context, condition, columns, 2,
                                       cases[i].n, &move, 1, 1, &count,
                                       WINNOW_LAUNCH(.plan = &plan)),
                     WINNOW_OK, "%s", winnow_last_error());
        cr_assert_not_null(strstr(text, "call: copy_where"), "%s", text);
        cr_assert_not_null(strstr(text, cases[i].line), "%s", text);
    }
    winnow_condition_destroy(condition);
    winnow_context_destroy(context);
}
