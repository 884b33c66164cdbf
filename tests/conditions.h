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
    EXPRESSION_UNKNOWN = 7 /* only of texts */
};

struct node {
    enum expression_kind kind;
    unsigned a, b; /* the numbers of the children */
    unsigned column;
    struct rule rule; /* of a test */
};

/* The values of SQL's logic. */
enum truth {
    TRUTH_FALSE = 0,
    TRUTH_UNKNOWN = 1,
    TRUTH_TRUE = 2
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
/* Append a node and return its number. */
unsigned expression_test(struct expression *expression, unsigned column,
                         const struct rule *rule);
unsigned expression_bit(struct expression *expression, unsigned column);
unsigned expression_is_null(struct expression *expression, unsigned column);
unsigned expression_unknown(struct expression *expression);
unsigned expression_join(struct expression *expression,
                         enum expression_kind kind, unsigned a, unsigned b);

/* Is it true of a row, whose elements' bits are row[column]? */
bool expression_keeps(const struct expression *expression, const uint64_t *row);
/* The same where the elements of is_null are null. */
enum truth expression_value(const struct expression *expression,
                            const uint64_t *row, const bool *is_null);
/* The library's condition for it. */
winnow_condition *expression_create(const struct expression *expression);

#endif
