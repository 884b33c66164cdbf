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
    WINNOW__NODE_TRUE = 4,    /* for every item */
    WINNOW__NODE_BIT = 5,     /* the bit of its column is set */
    WINNOW__NODE_VALID = 6,   /* the element of its column is not null */
    WINNOW__NODE_UNKNOWN = 7, /* neither true nor false, for every item */
    WINNOW__NODE_IS_TRUE = 8, /* its child is true; else it is false, and never
                                 unknown */
    WINNOW__NODE_STRING = 9
} winnow__node_kind;

/* What is tested of an element: a half of WINNOW_INT128 is tested as 8 bytes. */
typedef enum winnow__half {
    WINNOW__HALF_NONE = 0,
    WINNOW__LOWER = 1,
    WINNOW__UPPER = 2
} winnow__half;

typedef struct winnow__node {
    uint8_t kind;
    bool negated;
    uint16_t column; /* for a leaf */
    uint8_t half;    /* winnow__half */
    /* Type of the tested value: uint64 for a half; NULL for bits and strings. */
    const winnow__type_info *type;
    /* NULL, or an expression, with a reference, that replaces the column of a TEST,
     * SET, BIT or VALID. Its values are int64, uint64, float32, float64 or bits. */
    struct winnow_expression *expression;
    winnow__test test;
    /* Replaces the test; with a reference. */
    struct winnow__set *set;
    struct winnow__string_test *string;
} winnow__node;

/* Does it have a column? */
static inline bool winnow__is_leaf(const winnow__node *node) {
    return node->kind == WINNOW__NODE_TEST || node->kind == WINNOW__NODE_SET ||
           node->kind == WINNOW__NODE_STRING ||
           node->kind == WINNOW__NODE_BIT || node->kind == WINNOW__NODE_VALID;
}

/* What a condition tests: columns, halves of columns and expressions, each
 * once, in the order of its first tests. */
typedef struct winnow__tested {
    unsigned number;
    uint16_t column[WINNOW_CONDITION_MOST_COLUMNS]; /* 0 for an expression */
    uint8_t half[WINNOW_CONDITION_MOST_COLUMNS];
    const struct winnow_expression *expression[WINNOW_CONDITION_MOST_COLUMNS];
    /* The columns of a call that are read for these, each once. */
    unsigned read_number;
    uint16_t read[WINNOW_CONDITION_MOST_COLUMNS];
    /* Does it ask for more than whether the value is null? */
    bool asks_value[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__tested;

typedef struct winnow__key_sum {
    uint64_t hash;
    size_t bytes;
} winnow__key_sum;

struct winnow_condition {
    /* Number of leaves: at most WINNOW_CONDITION_MOST_TESTS. */
    unsigned tests;
    /* winnow__condition_finish() sets these. */
    bool has_sets, has_expressions, has_source;
    winnow__key_sum
        key; /* of the second program, if it has a kernel of its own */
    winnow__tested tested;
    /* The program if no tested value is null, and the one if any may be. */
    struct winnow__program *programs[2];
    unsigned number; /* of nodes */
    winnow__node nodes[];
};

/* ---- tree.c */

/* A condition without nodes. Set them, then finish it. NULL, with the detail
 * set: out of memory. */
winnow_condition *winnow__condition_create(unsigned tests, unsigned number);
/* Find what it tests, and make its programs. Takes over the condition and its
 * nodes' references; *condition_p is only set on success. */
winnow_status winnow__condition_finish(winnow_condition *made,
                                       winnow_condition **condition_p);
/* The same for nodes, which are copied. Always takes over their references. */
winnow_status winnow__condition_of(winnow_condition **condition_p,
                                   unsigned tests, const winnow__node *nodes,
                                   unsigned number);
/* WINNOW_ERR_UNSUPPORTED if a condition cannot have a column of this number. */
winnow_status winnow__check_column(unsigned column);
/* Share, or release, the set, test or expression of a node. */
void winnow__node_share(const winnow__node *node);
void winnow__node_release(const winnow__node *node);

/* Add what a leaf tests if it is new. False: there are too many. */
bool winnow__tested_add(winnow__tested *tested, const winnow__node *leaf);
/* Remove one. The last one takes its place. */
void winnow__tested_remove(winnow__tested *tested, unsigned i);
/* The index of what a leaf tests; their number if it is not among them. */
unsigned winnow__place_of_tested(const winnow__tested *tested,
                                 const winnow__node *leaf);
/* Part of a detail: "", or that halves of columns are counted. */
const char *winnow__what_counts_twice(const winnow__tested *tested);
