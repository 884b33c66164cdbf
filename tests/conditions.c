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
    if (expression->number == 4 * CONDITION_TESTS)
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

unsigned expression_join(struct expression *expression,
                         enum expression_kind kind, unsigned a, unsigned b) {
    return append(expression, (struct node){.kind = kind, .a = a, .b = b});
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

static unsigned random_leaf(struct expression *expression,
                            const struct pool *pools, unsigned columns,
                            uint64_t *seed) {
    const unsigned column = (unsigned)draw_next(seed, columns);
    struct rule rule;

    if (pools[column].type == WINNOW_BIT)
        return expression_bit(expression, column);
    rule = random_rule(&pools[column], seed);
    return expression_test(expression, column, &rule);
}

static unsigned random_tree(struct expression *expression,
                            const struct pool *pools, unsigned columns,
                            unsigned tests, uint64_t *seed) {
    unsigned root;

    if (tests == 1) {
        root = random_leaf(expression, pools, columns, seed);
    } else {
        const unsigned left = 1 + (unsigned)draw_next(seed, tests - 1);
        const unsigned a = random_tree(expression, pools, columns, left, seed);
        const unsigned b =
            random_tree(expression, pools, columns, tests - left, seed);

        root = expression_join(
            expression, draw_next(seed, 2) ? EXPRESSION_AND : EXPRESSION_OR, a,
            b);
    }
    return draw_next(seed, 4) == 0
               ? expression_join(expression, EXPRESSION_NOT, root, root)
               : root;
}

void expression_random(struct expression *expression, const struct pool *pools,
                       unsigned columns, unsigned tests, uint64_t seed) {
    expression->number = 0;
    random_tree(expression, pools, columns, tests, &seed);
}

bool expression_keeps(const struct expression *expression,
                      const uint64_t *row) {
    bool keeps[4 * CONDITION_TESTS];

    for (unsigned i = 0; i < expression->number; i++) {
        const struct node *const node = &expression->nodes[i];

        switch (node->kind) {
        case EXPRESSION_TEST:
            keeps[i] = oracle_keeps(&node->rule, row[node->column]);
            break;
        case EXPRESSION_BIT:
            keeps[i] = row[node->column] != 0;
            break;
        case EXPRESSION_AND:
            keeps[i] = keeps[node->a] && keeps[node->b];
            break;
        case EXPRESSION_OR:
            keeps[i] = keeps[node->a] || keeps[node->b];
            break;
        case EXPRESSION_NOT:
            keeps[i] = !keeps[node->a];
            break;
        }
    }
    return keeps[expression->number - 1];
}

static void must(winnow_status status) {
    if (status != WINNOW_OK)
        abort();
}

winnow_condition *expression_create(const struct expression *expression) {
    winnow_condition *made[4 * CONDITION_TESTS];
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
        }
    }
    for (unsigned i = 0; i + 1 < expression->number; i++)
        winnow_condition_destroy(made[i]);
    return made[expression->number - 1];
}
