/*
 * Random formulas of decimals, and what they are of each item, on paper.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_DECIMAL_FORMULAS_H
#define WINNOW_TESTS_DECIMAL_FORMULAS_H

#include "tests/expression/decimals.h"

enum {
    DECIMAL_NODES = 32
};

/* Of two operands, then of one, then of none. */
enum decimal_operation {
    DECIMAL_ADD,
    DECIMAL_SUBTRACT,
    DECIMAL_MULTIPLY,
    DECIMAL_REMAINDER,
    DECIMAL_MIN,
    DECIMAL_MAX,
    DECIMAL_NEGATE,
    DECIMAL_ABS,
    DECIMAL_FLOOR,
    DECIMAL_CEIL,
    DECIMAL_ROUND,
    DECIMAL_CAST,
    DECIMAL_COLUMN,
    DECIMAL_LITERAL
};

struct decimal_node {
    enum decimal_operation operation;
    bool is_binary;
    unsigned a, b; /* nodes; or a column */
    int precision, scale;
    struct decimal literal;
};

/* The last node is its root. */
struct decimal_formula {
    const struct decimal_table *table;
    unsigned number;
    bool is_refused; /* the library says so */
    struct decimal_node node[DECIMAL_NODES];
};

struct decimal_tally {
    unsigned tested, refused;
};

void decimal_formula_random(struct decimal_formula *formula,
                            const struct decimal_table *table, uint64_t *seed);
/* The text, without a zero at its end, which it returns. */
char *decimal_formula_put(char *to, const struct decimal_formula *formula,
                          unsigned number);
struct decimal decimal_value(const struct decimal_formula *formula,
                             unsigned number, uint64_t item);

/* Compare so many with others, as conditions of the table. */
struct decimal_tally decimal_formulas_check(const struct decimal_table *table,
                                            unsigned formulas, uint64_t seed);
/* Sums of so many, and how many were not refused. */
unsigned decimal_sums_check(const struct decimal_table *table,
                            unsigned formulas, uint64_t seed);

#endif
