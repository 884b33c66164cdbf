/*
 * Random conditions and tables for them, in the tests' own words: the oracle of
 * winnow_select_where() and of the text of conditions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_CONDITIONS_H
#define WINNOW_TESTS_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oracle.h"

#define CONDITION_COLUMNS 64
#define CONDITION_TESTS 512
#define CONDITION_POOL 12

/* Elements that a column has, and that it is compared with. */
struct pool {
    winnow_type type;
    uint64_t bits[CONDITION_POOL];
};

void pool_random(struct pool *pool, winnow_type type, uint64_t seed);

enum expression_kind {
    EXPRESSION_TEST = 0,
    EXPRESSION_AND = 1,
    EXPRESSION_OR = 2,
    EXPRESSION_NOT = 3,
    EXPRESSION_BIT = 4, /* an element of a column of bits */
    EXPRESSION_IS_NULL = 5,
    EXPRESSION_IS_TRUE = 6,
    EXPRESSION_UNKNOWN = 7, /* only of texts */
    EXPRESSION_LEAF = 8
};

/* The values of SQL's logic. */
enum truth {
    TRUTH_FALSE = 0,
    TRUTH_UNKNOWN = 1,
    TRUTH_TRUE = 2
};

/* A condition and, for each row, what it is, found by whoever made it. */
struct leaf {
    winnow_condition *condition; /* NULL: it is only of texts */
    uint8_t truth[];
};

struct node {
    enum expression_kind kind;
    unsigned a, b; /* the numbers of the children */
    unsigned column;
    struct rule rule;        /* of a test */
    const struct leaf *leaf; /* in place of it, in use as long as the node */
};

/* The last node is the root; children stand before their parents. */
struct expression {
    unsigned number;
    struct node nodes[6 * CONDITION_TESTS];
};

/* A number below `below`, from a seed that goes on with every draw. */
uint64_t draw_next(uint64_t *seed, uint64_t below);

/* A tree of so many tests of columns from pools[0 .. columns). */
void expression_random(struct expression *expression, const struct pool *pools,
                       unsigned columns, unsigned tests, uint64_t seed);
/* The same of leaves that another one makes; it returns the number of the
 * node. */
typedef unsigned expression_make_leaf(struct expression *expression,
                                      void *argument, uint64_t *seed);
void expression_random_of(struct expression *expression,
                          expression_make_leaf *make, void *argument,
                          unsigned leaves, uint64_t seed);
/* One of those that expression_random() has. */
unsigned expression_random_leaf(struct expression *expression,
                                const struct pool *pools, unsigned columns,
                                uint64_t *seed);
/* Append a node and return its number. */
unsigned expression_leaf(struct expression *expression,
                         const struct leaf *leaf);
unsigned expression_test(struct expression *expression, unsigned column,
                         const struct rule *rule);
unsigned expression_bit(struct expression *expression, unsigned column);
unsigned expression_is_null(struct expression *expression, unsigned column);
unsigned expression_unknown(struct expression *expression);
unsigned expression_join(struct expression *expression,
                         enum expression_kind kind, unsigned a, unsigned b);

/* Set keep[i] to whether i is below the limit and it is true of row i, where the
 * elements' bits are bits[column][i], and those with is_null[column][i] are null;
 * is_null may be NULL. */
void expression_keep(const struct expression *expression, uint64_t *const *bits,
                     bool *const *is_null, uint64_t n, uint64_t limit,
                     uint8_t *keep);
/* Is it true of a row without nulls, whose elements' bits are row[column]? */
bool expression_keeps(const struct expression *expression, uint64_t *row);
/* The library's condition for it. */
winnow_condition *expression_create(const struct expression *expression);

#endif
