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
    uint8_t column;                /* of a test, as all below */
    const winnow__type_info *type; /* of the column */
    winnow__test test;
} winnow__node;

struct winnow_condition {
    unsigned tests;
    unsigned number; /* of nodes */
    winnow__node nodes[];
};

/* A condition whose nodes are to be set; NULL, with the detail set: there is no
 * memory. */
winnow_condition *winnow__condition_create(unsigned tests, unsigned number);

#endif
