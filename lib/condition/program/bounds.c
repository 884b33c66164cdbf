/*
 * winnow_condition_bounds: bounds of all items that a condition keeps.
 *
 * The tree is walked from its root, which has to be true. A node tells its
 * children which truth values they need, so that negations reach the leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bounds.h"
#include "core/status.h"
#include "string/match.h"
#include "string/test.h"

enum {
    MOST_TEXTS = 64 /* a longer list has its least and greatest text alone */
};

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

/* Join two parts; the first begins at entry `begin`. If either part says
 * `decides`, so does the whole. A part that says the opposite adds nothing. */
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

/* ------------------------------------------------------------------- strings */

static winnow_buffer buffer_of(const winnow__pattern *pattern,
                               const winnow__pattern_text *text) {
    return (winnow_buffer){.d_bytes = winnow__pattern_bytes(pattern, text),
                           .bytes = text->bytes};
}

/* From one text to another; either may be missing. */
static winnow__said add_text(winnow__bounds *to, unsigned column,
                             winnow_buffer low, winnow_buffer high) {
    return winnow__bounds_add(to,
                              (winnow_bound){.kind = WINNOW_BOUND_TEXT,
                                             .column = column,
                                             .has_low = low.d_bytes != NULL,
                                             .has_high = high.d_bytes != NULL,
                                             .low_text = low,
                                             .high_text = high});
}

static int order_of(winnow_buffer a, winnow_buffer b) {
    return winnow__order(a.d_bytes, a.bytes, b.d_bytes, b.bytes);
}

static winnow__said add_list(winnow__bounds *to, unsigned column,
                             const winnow__pattern *list) {
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)((const char *)list +
                                                     list->others);
    const uint64_t begin = to->count;
    winnow__said said = WINNOW__SAYS_NONE;
    winnow_buffer low = {0}, high = {0};
    for (uint32_t i = 0; i < list->number; i++) {
        const winnow_buffer text = buffer_of(list, &texts[i]);
        low = i == 0 || order_of(text, low) < 0 ? text : low;
        high = i == 0 || order_of(text, high) > 0 ? text : high;
        if (list->number <= MOST_TEXTS)
            said = winnow__bounds_or(to, begin, said,
                                     add_text(to, column, text, text));
    }
    return list->number <= MOST_TEXTS ? said : add_text(to, column, low, high);
}

static winnow__said add_strings(winnow__bounds *to, const winnow__node *leaf,
                                bool truth) {
    const winnow__string_test *test = leaf->string;
    const winnow__pattern *pattern = test->pattern;
    const winnow_buffer none = {0};
    if (pattern->kind == WINNOW__PATTERN_LIKE && truth && test->need[0] != NULL)
        pattern = test->need[0]->pattern;
    const winnow_buffer text = buffer_of(pattern, &pattern->text);
    const bool orders = pattern->kind == WINNOW__PATTERN_LESS ||
                        pattern->kind == WINNOW__PATTERN_LESS_EQUAL;
    if (truth && pattern->kind == WINNOW__PATTERN_LIST)
        return add_list(to, leaf->column, pattern);
    if (truth && pattern->kind == WINNOW__PATTERN_EQUAL)
        return add_text(to, leaf->column, text, text);
    if (truth && orders)
        return add_text(to, leaf->column, none, text);
    if (orders || (truth && pattern->kind == WINNOW__PATTERN_STARTS))
        return add_text(to, leaf->column, text, none);
    return winnow__bounds_add_kind(to, WINNOW_BOUND_VALID, leaf->column);
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
        return add_strings(to, leaf, truth);
    case WINNOW__NODE_BIT:
        return add_bit(to, leaf, truth);
    default: /* VALID */
        return winnow__bounds_add_kind(
            to, truth ? WINNOW_BOUND_VALID : WINNOW_BOUND_NULL, leaf->column);
    }
}

/* A leaf of one column, or the two halves of WINNOW_INT128. Nothing is known of
 * a computed value, or of one that may be unknown: because it is null, or
 * because an index is outside of its dictionary. */
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

/* The values for the child of an IS_TRUE, which is never unknown. */
static unsigned values_below(unsigned values) {
    return (values & WINNOW__IS_TRUE) != 0
               ? WINNOW__IS_TRUE
               : WINNOW__IS_FALSE | WINNOW__IS_UNKNOWN;
}

/* Is the node an AND of halves, as wide.c makes them? */
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

/* Add what follows if node `*at - 1` has one of these values, which are never
 * both true and false. *at becomes the index of its subtree's first node. */
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
    /* If an AND is true, both children are; if it is false, one is. */
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
