/*
 * winnow_condition_bounds: bounds that hold for every item that a condition keeps.
 *
 * The tree is walked from its root, which has to be true. A node passes to its
 * children the values that they have to have, so that negations reach the leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bounds.h"

#include "core/status.h"

/* ------------------------------------------------------------------ writing */

winnow__said winnow__bounds_add(winnow__bounds *to, winnow_bound bound) {
    if (to->count < to->capacity)
        to->bounds[to->count] = bound;
    to->count++;
    return WINNOW__SAYS_SOME;
}

winnow__said winnow__bounds_add_kind(winnow__bounds *to, winnow_bound_kind kind,
                                     unsigned column) {
    return winnow__bounds_add(to,
                              (winnow_bound){.kind = kind, .column = column});
}

/* Join two parts; the first begins at entry `begin`. If either part is `decides`, so
 * is the whole; a part that says the other value adds nothing. */
static winnow__said join(winnow__bounds *to, winnow_bound_kind kind,
                         winnow__said decides, uint64_t begin, winnow__said a,
                         winnow__said b) {
    if (a == decides || b == decides) {
        to->count = begin;
        return decides;
    }
    if (a == WINNOW__SAYS_SOME && b == WINNOW__SAYS_SOME)
        return winnow__bounds_add(to, (winnow_bound){.kind = kind});
    return a == WINNOW__SAYS_SOME ? a : b;
}

winnow__said winnow__bounds_or(winnow__bounds *to, uint64_t begin,
                               winnow__said a, winnow__said b) {
    return join(to, WINNOW_BOUND_OR, WINNOW__SAYS_ANY, begin, a, b);
}

/* ------------------------------------------------------------------- leaves */

static winnow__said add_bit(winnow__bounds *to, const winnow__node *leaf,
                            bool truth) {
    return winnow__bounds_add(to, (winnow_bound){.kind = WINNOW_BOUND_RANGE,
                                                 .column = leaf->column,
                                                 .type = WINNOW_BIT,
                                                 .has_low = truth,
                                                 .has_high = !truth,
                                                 .low = {truth},
                                                 .high = {truth}});
}

static winnow__said add_truth(winnow__bounds *to, const winnow__node *leaf,
                              bool truth) {
    switch (leaf->kind) {
    case WINNOW__NODE_TEST:
    case WINNOW__NODE_SET:
        return winnow__bounds_of_numbers(to, leaf, truth);
    case WINNOW__NODE_STRING:
        return winnow__bounds_of_strings(to, leaf, truth);
    case WINNOW__NODE_BIT:
        return add_bit(to, leaf, truth);
    default: /* VALID */
        return winnow__bounds_add_kind(
            to, truth ? WINNOW_BOUND_VALID : WINNOW_BOUND_NULL, leaf->column);
    }
}

/* A leaf of one column, or the halves of WINNOW_INT128. Nothing is known of what is
 * computed, and of what may be unknown: where it is null, or where an index of a
 * dictionary names no value. */
static winnow__said add_leaf(winnow__bounds *to, const winnow__node *leaf,
                             const winnow__node *lower, unsigned values) {
    const bool truth = (values & WINNOW__IS_TRUE) != 0;
    if (leaf->expression != NULL || ((values & WINNOW__IS_UNKNOWN) != 0 &&
                                     leaf->kind != WINNOW__NODE_VALID))
        return WINNOW__SAYS_ANY;
    return lower != NULL ? winnow__bounds_of_halves(to, leaf, lower, truth)
                         : add_truth(to, leaf, truth);
}

/* ---------------------------------------------------------------- the tree */

static unsigned turned(unsigned values) {
    return (values & WINNOW__IS_UNKNOWN) |
           ((values & WINNOW__IS_TRUE) != 0 ? WINNOW__IS_FALSE : 0u) |
           ((values & WINNOW__IS_FALSE) != 0 ? WINNOW__IS_TRUE : 0u);
}

/* The values of the child of an IS_TRUE, which is never unknown. */
static unsigned values_below(unsigned values) {
    return (values & WINNOW__IS_TRUE) != 0
               ? WINNOW__IS_TRUE
               : WINNOW__IS_FALSE | WINNOW__IS_UNKNOWN;
}

/* Is an AND of halves, as wide.c makes them? */
static bool is_of_halves(const winnow__node *nodes, unsigned at) {
    if (at < 2 || nodes[at].kind != WINNOW__NODE_AND)
        return false;
    const winnow__node *const upper = &nodes[at - 2], *const lower = upper + 1;
    return upper->kind == WINNOW__NODE_TEST && !upper->negated &&
           upper->half == WINNOW__UPPER && upper->test.span == 0 &&
           upper->test.mask != 0 && winnow__is_leaf(lower) && !lower->negated &&
           lower->half == WINNOW__LOWER && lower->kind != WINNOW__NODE_VALID &&
           lower->column == upper->column;
}

/* What follows where node number `*at - 1` has one of these values, never both
 * true and false; *at becomes the number of its first node. */
static winnow__said add(winnow__bounds *to, const winnow__node *nodes,
                        unsigned *at, unsigned values) {
    const unsigned own = --*at;
    const winnow__node *const node = &nodes[own];
    const uint64_t begin = to->count;
    if (node->negated)
        values = turned(values);
    if (winnow__is_leaf(node))
        return add_leaf(to, node, NULL, values);
    if (node->kind == WINNOW__NODE_TRUE)
        return (values & WINNOW__IS_TRUE) != 0 ? WINNOW__SAYS_ANY
                                               : WINNOW__SAYS_NONE;
    if (node->kind == WINNOW__NODE_UNKNOWN)
        return (values & WINNOW__IS_UNKNOWN) != 0 ? WINNOW__SAYS_ANY
                                                  : WINNOW__SAYS_NONE;
    if (node->kind == WINNOW__NODE_IS_TRUE)
        return add(to, nodes, at, values_below(values));
    if (is_of_halves(nodes, own)) {
        *at -= 2;
        return add_leaf(to, &nodes[own - 2], &nodes[own - 1], values);
    }
    const winnow__said a = add(to, nodes, at, values);
    const winnow__said b = add(to, nodes, at, values);
    /* Both are true where an AND is; one is false where it is false. */
    const bool both =
        (node->kind == WINNOW__NODE_AND) == ((values & WINNOW__IS_TRUE) != 0);
    return both ? join(to, WINNOW_BOUND_AND, WINNOW__SAYS_NONE, begin, a, b)
                : winnow__bounds_or(to, begin, a, b);
}

winnow_status winnow_condition_bounds(const winnow_condition *condition,
                                      winnow_bound *bounds, uint64_t capacity,
                                      uint64_t *count_p) {
    winnow__bounds to = {.bounds = bounds, .capacity = capacity};
    WINNOW__TRY(winnow__need(condition, "condition"));
    WINNOW__TRY(winnow__need(count_p, "count_p"));
    if (bounds == NULL && capacity != 0)
        return winnow__refuse("bounds is NULL");
    unsigned at = condition->number;
    const winnow__said said = add(&to, condition->nodes, &at, WINNOW__IS_TRUE);
    if (said != WINNOW__SAYS_SOME)
        to.count = 0;
    if (said == WINNOW__SAYS_NONE)
        (void)winnow__bounds_add_kind(&to, WINNOW_BOUND_NEVER, 0);
    *count_p = to.count;
    return WINNOW_OK;
}
