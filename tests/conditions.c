/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "conditions.h"

#include <stdlib.h>

#include "data.h"
#include "element.h"

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

static enum truth truth_of(bool is) {
    return is ? TRUTH_TRUE : TRUTH_FALSE;
}

enum truth expression_value(const struct expression *expression,
                            const uint64_t *row, const bool *is_null,
                            uint64_t number) {
    enum truth value[6 * CONDITION_TESTS];

    for (unsigned i = 0; i < expression->number; i++) {
        const struct node *const node = &expression->nodes[i];
        const enum truth a = value[node->a], b = value[node->b];

        switch (node->kind) {
        case EXPRESSION_TEST:
        case EXPRESSION_BIT:
            if (is_null[node->column])
                value[i] = TRUTH_UNKNOWN;
            else if (node->kind == EXPRESSION_BIT)
                value[i] = truth_of(row[node->column] != 0);
            else
                value[i] =
                    truth_of(oracle_keeps(&node->rule, row[node->column]));
            break;
        case EXPRESSION_IS_NULL:
            value[i] = truth_of(is_null[node->column]);
            break;
        case EXPRESSION_UNKNOWN:
            value[i] = TRUTH_UNKNOWN;
            break;
        case EXPRESSION_LEAF:
            value[i] = (enum truth)node->leaf->truth[number];
            break;
        case EXPRESSION_AND:
            value[i] = a < b ? a : b;
            break;
        case EXPRESSION_OR:
            value[i] = a > b ? a : b;
            break;
        case EXPRESSION_NOT:
            value[i] = a == TRUTH_UNKNOWN ? a : truth_of(a == TRUTH_FALSE);
            break;
        case EXPRESSION_IS_TRUE:
            value[i] = truth_of(a == TRUTH_TRUE);
            break;
        }
    }
    return value[expression->number - 1];
}

bool expression_keeps(const struct expression *expression,
                      const uint64_t *row) {
    static const bool none[CONDITION_COLUMNS];

    return expression_value(expression, row, none, 0) == TRUTH_TRUE;
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
