/*
 * Random expressions over random columns, and what they are of each item, in the
 * tests' own words: a value at a time, by recursion, integers of 128 bits and
 * floats of 113.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_FORMULAS_H
#define WINNOW_TESTS_FORMULAS_H

#include <stdbool.h>
#include <stdint.h>

#include "condition/program/expression.h"

__extension__ typedef __int128 formula_integer;

#define FORMULA_COLUMNS 40
#define FORMULA_NODES 64
#define FORMULA_MEMORY 5

struct formula_value {
    winnow__value_type type;
    bool null;
    formula_integer i; /* of integers and BOOL */
    double d;          /* of floats */
};

/* The elements of a column, as the library and as the oracle see them. */
struct formula_column {
    winnow_type type; /* of its field */
    int precision;    /* 0: it is of no decimals */
    int scale;
    winnow_in in; /* with memory of its own */
    winnow_in dictionary;
    winnow_buffer *buffers;
    uint64_t *lengths; /* of the strings of a dictionary */
    struct formula_value *values;
    /* Elements or indices, offsets or views, bytes, validity, that of the values
     * of a dictionary. */
    void *memory[FORMULA_MEMORY];
    size_t bytes[FORMULA_MEMORY];
};

struct formula_table {
    uint64_t n;
    unsigned columns;
    struct formula_column column[FORMULA_COLUMNS];
};

/* A column of each kind and layout, in any order. */
void formula_table_open(struct formula_table *table, uint64_t n, uint64_t seed);
void formula_table_close(struct formula_table *table);

enum formula_kind {
    FORMULA_COLUMN,
    FORMULA_LENGTH,
    FORMULA_CONSTANT,
    FORMULA_NULL,
    FORMULA_UNARY,
    FORMULA_BINARY,
    FORMULA_COMPARE,
    FORMULA_CAST,
    FORMULA_PART,
    FORMULA_OF_UNITS,
    FORMULA_COMPARE_SCALED
};

struct formula_node {
    enum formula_kind kind;
    unsigned operation, column, a, b;
    int64_t number;   /* ticks, a factor */
    int64_t b_number; /* of b, of two units */
    bool constant, weak;
    struct formula_value value; /* of a constant */
    winnow__value_type type;
};

/* The last node is the root. */
struct formula {
    unsigned number;
    struct formula_node node[FORMULA_NODES];
};

void formula_random(struct formula *formula, const struct formula_table *table,
                    unsigned nodes, uint64_t seed);
/* The same value of a builder. */
winnow__value formula_build(const struct formula *formula,
                            const struct formula_table *table,
                            winnow__builder *builder);
struct formula_value formula_of(const struct formula *formula,
                                const struct formula_table *table,
                                uint64_t item);

#endif
