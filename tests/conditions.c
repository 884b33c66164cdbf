/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "conditions.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "element.h"
#include "report.h"

uint64_t draw_next(uint64_t *seed, uint64_t below) {
    return data_random(*seed += 0x9e3779b97f4a7c15, 1) % below;
}

void pool_random(struct pool *pool, winnow_type type, uint64_t seed) {
    uint64_t specials[ELEMENT_SPECIALS];
    size_t number;

    pool->type = type;
    if (type == WINNOW_BIT) {
        for (unsigned i = 0; i < CONDITION_POOL; i++)
            pool->bits[i] = i % 2;
        return;
    }
    number = element_specials(type, specials);
    for (unsigned i = 0; i < CONDITION_POOL; i++)
        pool->bits[i] = i % 3 == 0 ? specials[draw_next(&seed, number)]
                        : i % 3 == 1
                            ? pool->bits[i - 1] ^ draw_next(&seed, 2)
                            : data_random(seed, i) & element_all_bits(type);
}

/* ---------------------------------------------------------------- the tree */

static unsigned append(struct expression *expression, struct node node) {
    if (expression->number == 6 * CONDITION_TESTS)
        abort();
    expression->nodes[expression->number] = node;
    return expression->number++;
}

unsigned expression_test(struct expression *expression, unsigned column,
                         const struct rule *rule) {
    return append(expression, (struct node){.kind = EXPRESSION_TEST,
                                            .column = column,
                                            .rule = *rule});
}

unsigned expression_bit(struct expression *expression, unsigned column) {
    return append(expression,
                  (struct node){.kind = EXPRESSION_BIT, .column = column});
}

unsigned expression_is_null(struct expression *expression, unsigned column) {
    return append(expression,
                  (struct node){.kind = EXPRESSION_IS_NULL, .column = column});
}

unsigned expression_unknown(struct expression *expression) {
    return append(expression, (struct node){.kind = EXPRESSION_UNKNOWN});
}

unsigned expression_join(struct expression *expression,
                         enum expression_kind kind, unsigned a, unsigned b) {
    return append(expression, (struct node){.kind = kind, .a = a, .b = b});
}

unsigned expression_leaf(struct expression *expression,
                         const struct leaf *leaf) {
    return append(expression,
                  (struct node){.kind = EXPRESSION_LEAF, .leaf = leaf});
}

static struct rule random_rule(const struct pool *pool, uint64_t *seed) {
    struct rule rule = {.type = pool->type,
                        .kind = (enum rule_kind)draw_next(seed, 3),
                        .compare = (winnow_compare)draw_next(seed, 6),
                        .low = pool->bits[draw_next(seed, CONDITION_POOL)],
                        .high = pool->bits[draw_next(seed, CONDITION_POOL)],
                        .mask = pool->bits[draw_next(seed, CONDITION_POOL)]};

    rule.value = rule.low & rule.mask;
    return rule;
}

unsigned expression_random_leaf(struct expression *expression,
                                const struct pool *pools, unsigned columns,
                                uint64_t *seed) {
    const unsigned column = (unsigned)draw_next(seed, columns);
    struct rule rule;

    if (draw_next(seed, 10) == 0)
        return expression_is_null(expression, column);
    if (pools[column].type == WINNOW_BIT)
        return expression_bit(expression, column);
    rule = random_rule(&pools[column], seed);
    return expression_test(expression, column, &rule);
}

static unsigned random_tree(struct expression *expression,
                            expression_make_leaf *make, void *argument,
                            unsigned leaves, uint64_t *seed) {
    unsigned root;

    if (leaves == 1) {
        root = make(expression, argument, seed);
    } else {
        const unsigned left = 1 + (unsigned)draw_next(seed, leaves - 1);
        const unsigned a = random_tree(expression, make, argument, left, seed);
        const unsigned b =
            random_tree(expression, make, argument, leaves - left, seed);

        root = expression_join(
            expression, draw_next(seed, 2) ? EXPRESSION_AND : EXPRESSION_OR, a,
            b);
    }
    if (draw_next(seed, 12) == 0)
        root = expression_join(expression, EXPRESSION_IS_TRUE, root, root);
    return draw_next(seed, 4) == 0
               ? expression_join(expression, EXPRESSION_NOT, root, root)
               : root;
}

void expression_random_of(struct expression *expression,
                          expression_make_leaf *make, void *argument,
                          unsigned leaves, uint64_t seed) {
    expression->number = 0;
    random_tree(expression, make, argument, leaves, &seed);
}

struct source {
    const struct pool *pools;
    unsigned columns;
};

static unsigned of_pools(struct expression *expression, void *argument,
                         uint64_t *seed) {
    const struct source *const from = argument;

    return expression_random_leaf(expression, from->pools, from->columns, seed);
}

void expression_random(struct expression *expression, const struct pool *pools,
                       unsigned columns, unsigned tests, uint64_t seed) {
    struct source from = {pools, columns};

    expression_random_of(expression, of_pools, &from, tests, seed);
}

/* Rows at a time: a node's loop over them has one case, and no other branch. */
#define ROWS 64

/* What a node is of rows [first, first + rows), of those before it. */
static void node_values(const struct node *node, uint64_t *const *bits,
                        bool *const *is_null, uint64_t first, unsigned rows,
                        uint8_t value[][ROWS], uint8_t *to) {
    const uint8_t *const a = value[node->a], *const b = value[node->b];

    switch (node->kind) {
    case EXPRESSION_TEST:
        for (unsigned i = 0; i < rows; i++)
            to[i] = oracle_keeps(&node->rule, bits[node->column][first + i])
                        ? TRUTH_TRUE
                        : TRUTH_FALSE;
        break;
    case EXPRESSION_BIT:
        for (unsigned i = 0; i < rows; i++)
            to[i] =
                bits[node->column][first + i] != 0 ? TRUTH_TRUE : TRUTH_FALSE;
        break;
    case EXPRESSION_IS_NULL:
        for (unsigned i = 0; i < rows; i++)
            to[i] = is_null && is_null[node->column][first + i] ? TRUTH_TRUE
                                                                : TRUTH_FALSE;
        break;
    case EXPRESSION_UNKNOWN:
        memset(to, TRUTH_UNKNOWN, rows);
        break;
    case EXPRESSION_LEAF:
        memcpy(to, node->leaf->truth + first, rows);
        break;
    case EXPRESSION_AND:
        for (unsigned i = 0; i < rows; i++)
            to[i] = a[i] < b[i] ? a[i] : b[i];
        break;
    case EXPRESSION_OR:
        for (unsigned i = 0; i < rows; i++)
            to[i] = a[i] > b[i] ? a[i] : b[i];
        break;
    case EXPRESSION_NOT:
        for (unsigned i = 0; i < rows; i++)
            to[i] = a[i] == TRUTH_UNKNOWN ? TRUTH_UNKNOWN
                    : a[i] == TRUTH_FALSE ? TRUTH_TRUE
                                          : TRUTH_FALSE;
        break;
    case EXPRESSION_IS_TRUE:
        for (unsigned i = 0; i < rows; i++)
            to[i] = a[i] == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE;
        break;
    }
    if (is_null &&
        (node->kind == EXPRESSION_TEST || node->kind == EXPRESSION_BIT))
        for (unsigned i = 0; i < rows; i++)
            if (is_null[node->column][first + i])
                to[i] = TRUTH_UNKNOWN;
}

void expression_keep(const struct expression *expression, uint64_t *const *bits,
                     bool *const *is_null, uint64_t n, uint64_t limit,
                     uint8_t *keep) {
    uint8_t(*const value)[ROWS] = must_alloc(expression->number * ROWS);
    const uint8_t *const root = value[expression->number - 1];

    for (uint64_t first = 0; first < n; first += ROWS) {
        const unsigned rows = n - first < ROWS ? (unsigned)(n - first) : ROWS;

        for (unsigned i = 0; i < expression->number; i++)
            node_values(&expression->nodes[i], bits, is_null, first, rows,
                        value, value[i]);
        for (unsigned i = 0; i < rows; i++)
            keep[first + i] = first + i < limit && root[i] == TRUTH_TRUE;
    }
    free(value);
}

bool expression_keeps(const struct expression *expression, uint64_t *row) {
    uint64_t *bits[CONDITION_COLUMNS];
    uint8_t keep;

    for (unsigned c = 0; c < CONDITION_COLUMNS; c++)
        bits[c] = row + c;
    expression_keep(expression, bits, NULL, 1, UINT64_MAX, &keep);
    return keep;
}

static void must(winnow_status status) {
    if (status != WINNOW_OK)
        abort();
}

static winnow_condition *copy_of(const winnow_condition *condition) {
    winnow_condition *negated, *copy;

    must(winnow_condition_not(&negated, condition));
    must(winnow_condition_not(&copy, negated));
    winnow_condition_destroy(negated);
    return copy;
}

winnow_condition *expression_create(const struct expression *expression) {
    winnow_condition *made[6 * CONDITION_TESTS];
    winnow_predicate *predicate;

    for (unsigned i = 0; i < expression->number; i++) {
        const struct node *const node = &expression->nodes[i];

        switch (node->kind) {
        case EXPRESSION_TEST:
            must(rule_create(&node->rule, &predicate));
            must(winnow_condition_test(&made[i], node->column, predicate));
            winnow_predicate_destroy(predicate);
            break;
        case EXPRESSION_BIT:
            must(winnow_condition_bit(&made[i], node->column));
            break;
        case EXPRESSION_AND:
            must(winnow_condition_and(&made[i], made[node->a], made[node->b]));
            break;
        case EXPRESSION_OR:
            must(winnow_condition_or(&made[i], made[node->a], made[node->b]));
            break;
        case EXPRESSION_NOT:
            must(winnow_condition_not(&made[i], made[node->a]));
            break;
        case EXPRESSION_IS_NULL:
            must(winnow_condition_is_null(&made[i], node->column));
            break;
        case EXPRESSION_IS_TRUE:
            must(winnow_condition_is_true(&made[i], made[node->a]));
            break;
        case EXPRESSION_LEAF:
            made[i] = copy_of(node->leaf->condition);
            break;
        case EXPRESSION_UNKNOWN:
            abort(); /* there is no call for it */
        }
    }
    for (unsigned i = 0; i + 1 < expression->number; i++)
        winnow_condition_destroy(made[i]);
    return made[expression->number - 1];
}
