/*
 * A condition inside the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/predicate.h"

/*
 * A tree in postfix order: the children of a node stand before it, the first
 * child's before the second one's.
 *
 * Its values are those of SQL: true, false and unknown. A test of a null is
 * unknown, and so is its opposite; an item is kept where the root is true.
 */
typedef enum winnow__node_kind {
    WINNOW__NODE_TEST = 0,
    WINNOW__NODE_AND = 1,
    WINNOW__NODE_OR = 2,
    WINNOW__NODE_SET = 3,
    WINNOW__NODE_TRUE = 4,    /* of every item */
    WINNOW__NODE_BIT = 5,     /* the bit of its column is set */
    WINNOW__NODE_VALID = 6,   /* the element of its column is not null */
    WINNOW__NODE_UNKNOWN = 7, /* neither true nor false, of any item */
    WINNOW__NODE_IS_TRUE = 8, /* its child is true; else false, not unknown */
    WINNOW__NODE_STRING = 9
} winnow__node_kind;

/* What is tested of an element: of WINNOW_INT128 either half, as 8 bytes. */
typedef enum winnow__half {
    WINNOW__HALF_NONE = 0,
    WINNOW__LOWER = 1,
    WINNOW__UPPER = 2
} winnow__half;

typedef struct winnow__node {
    uint8_t kind;
    bool negated;
    uint16_t column; /* of a leaf */
    uint8_t half;    /* winnow__half */
    /* Of what is tested: of a half uint64; NULL: bits, strings. */
    const winnow__type_info *type;
    /* NULL, or what stands in place of the column of a TEST, SET, BIT or VALID,
     * with a reference: its values are int64, uint64, float32, float64 or bits. */
    struct winnow_expression *expression;
    winnow__test test;
    /* In place of the test; it has a reference. */
    struct winnow__set *set;
    struct winnow__string_test *string;
} winnow__node;

/* Has it a column? */
static inline bool winnow__is_leaf(const winnow__node *node) {
    return node->kind == WINNOW__NODE_TEST || node->kind == WINNOW__NODE_SET ||
           node->kind == WINNOW__NODE_STRING ||
           node->kind == WINNOW__NODE_BIT || node->kind == WINNOW__NODE_VALID;
}

/* What a condition tests: columns, halves of columns and expressions, each once,
 * in the order in which it first tests them. */
typedef struct winnow__tested {
    unsigned number;
    uint16_t column[WINNOW_CONDITION_MOST_COLUMNS]; /* 0 of an expression */
    uint8_t half[WINNOW_CONDITION_MOST_COLUMNS];
    const struct winnow_expression *expression[WINNOW_CONDITION_MOST_COLUMNS];
    /* The columns of a call that it reads for them, each once. */
    unsigned read_number;
    uint16_t read[WINNOW_CONDITION_MOST_COLUMNS];
    /* More than whether it is null? */
    bool asks_value[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__tested;

typedef struct winnow__key_sum {
    uint64_t hash;
    size_t bytes;
} winnow__key_sum;

struct winnow_condition {
    /* Of nodes without children: at most WINNOW_CONDITION_MOST_TESTS. */
    unsigned tests;
    /* winnow__condition_finish() sets these. */
    bool has_sets, has_expressions, has_source;
    winnow__key_sum key; /* of the second program, for a kernel of its own */
    winnow__tested tested;
    /* Where nothing that is tested is null, and where anything may be. */
    struct winnow__program *programs[2];
    unsigned number; /* of nodes */
    winnow__node nodes[];
};

/* ---- tree.c */

/* A condition whose nodes are to be set, and which is finished then; NULL, with the
 * detail set: there is no memory. */
winnow_condition *winnow__condition_create(unsigned tests, unsigned number);
/* Find what it tests, and make its programs. It takes the condition, and the
 * references of its nodes; *condition_p is set on success alone. */
winnow_status winnow__condition_finish(winnow_condition *made,
                                       winnow_condition **condition_p);
/* The same of nodes, which are copied; their references are taken in any case. */
winnow_status winnow__condition_of(winnow_condition **condition_p,
                                   unsigned tests, const winnow__node *nodes,
                                   unsigned number);
/* WINNOW_ERR_UNSUPPORTED: no condition has a column of this number. */
winnow_status winnow__check_column(unsigned column);
/* Of the sets, tests and expressions that nodes refer to. */
void winnow__node_share(const winnow__node *node);
void winnow__node_release(const winnow__node *node);

/* Add what a leaf tests, unless it is there. False: there are too many. */
bool winnow__tested_add(winnow__tested *tested, const winnow__node *leaf);
/* Remove one; the last takes its place. */
void winnow__tested_remove(winnow__tested *tested, unsigned i);
/* Which of them a leaf tests; their number: none. */
unsigned winnow__place_of_tested(const winnow__tested *tested,
                                 const winnow__node *leaf);
/* For the detail of a failure: "", or that halves of columns are counted. */
const char *winnow__what_counts_twice(const winnow__tested *tested);
