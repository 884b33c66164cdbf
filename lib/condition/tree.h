/*
 * A condition inside the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_TREE_H
#define WINNOW_LIB_CONDITION_TREE_H

#include "core/predicate.h"

#include <stdbool.h>

/* A tree in postfix order: the children of a node stand before it, the first
 * child's before the second one's. */
typedef enum winnow__node_kind {
    WINNOW__NODE_TEST = 0,
    WINNOW__NODE_AND = 1,
    WINNOW__NODE_OR = 2
} winnow__node_kind;

typedef struct winnow__node {
    uint8_t kind;
    bool negated;
    uint16_t column;               /* of a test, as all below */
    const winnow__type_info *type; /* of the column */
    winnow__test test;
} winnow__node;

struct winnow_condition {
    unsigned tests;  /* at most WINNOW_CONDITION_MOST_TESTS */
    unsigned number; /* of nodes */
    winnow__node nodes[];
};

/* A condition whose nodes are to be set; NULL, with the detail set: there is no
 * memory. */
winnow_condition *winnow__condition_create(unsigned tests, unsigned number);

/* The different columns that a condition tests, each once, in the order in which
 * it first tests them. */
typedef struct winnow__tested {
    unsigned number;
    uint16_t column[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__tested;

/* Add those of a condition. False: there are too many, and the detail is set. */
bool winnow__add_tested(winnow__tested *tested,
                        const winnow_condition *condition);
/* Which of them a column is that is among them. */
unsigned winnow__place_of_tested(const winnow__tested *tested, unsigned column);

#endif
