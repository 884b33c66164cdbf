/*
 * Conditions: tests of columns, joined by and, or, not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "wide.h"
#include "core/status.h"

static winnow_status create_leaf(winnow_condition **condition_p,
                                 unsigned column, winnow__node leaf) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__check_column(column));
    leaf.column = (uint16_t)column;
    return winnow__condition_of(condition_p, 1, &leaf, 1);
}

winnow_status winnow_condition_test(winnow_condition **condition_p,
                                    unsigned column,
                                    const winnow_predicate *predicate) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(predicate, "predicate"));
    if (winnow__is_wide(predicate)) {
        WINNOW__TRY(winnow__check_column(column));
        return winnow__wide_test(condition_p, (uint16_t)column, predicate);
    }
    return create_leaf(condition_p, column,
                       (winnow__node){.kind = WINNOW__NODE_TEST,
                                      .type = predicate->type,
                                      .test = predicate->test});
}

winnow_status winnow_condition_is_null(winnow_condition **condition_p,
                                       unsigned column) {
    return create_leaf(
        condition_p, column,
        (winnow__node){.kind = WINNOW__NODE_VALID, .negated = true});
}

winnow_status winnow_condition_bit(winnow_condition **condition_p,
                                   unsigned column) {
    return create_leaf(condition_p, column,
                       (winnow__node){.kind = WINNOW__NODE_BIT});
}

/* The nodes of a condition, at a place in a new one. */
static void copy_nodes(winnow__node *to, const winnow_condition *from) {
    for (unsigned i = 0; i < from->number; i++) {
        to[i] = from->nodes[i];
        winnow__node_share(&to[i]);
    }
}

static winnow_status join(winnow_condition **condition_p,
                          winnow__node_kind kind, const winnow_condition *a,
                          const winnow_condition *b) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(a, "a"));
    WINNOW__TRY(winnow__need(b, "b"));
    if (a->tests + b->tests > WINNOW_CONDITION_MOST_TESTS)
        return winnow__unsupported(
            "the condition would have %u tests: at most %u are "
            "possible",
            a->tests + b->tests, WINNOW_CONDITION_MOST_TESTS);
    winnow_condition *const made = winnow__condition_create(
        a->tests + b->tests, a->number + b->number + 1);
    if (made == NULL)
        return WINNOW_ERR_MEMORY;
    copy_nodes(made->nodes, a);
    copy_nodes(made->nodes + a->number, b);
    made->nodes[made->number - 1] = (winnow__node){.kind = (uint8_t)kind};
    return winnow__condition_finish(made, condition_p);
}

winnow_status winnow_condition_and(winnow_condition **condition_p,
                                   const winnow_condition *a,
                                   const winnow_condition *b) {
    return join(condition_p, WINNOW__NODE_AND, a, b);
}

winnow_status winnow_condition_or(winnow_condition **condition_p,
                                  const winnow_condition *a,
                                  const winnow_condition *b) {
    return join(condition_p, WINNOW__NODE_OR, a, b);
}

/* A copy of a condition, with room for `more` nodes behind it, to be finished. */
static winnow_status copy(winnow_condition **condition_p,
                          const winnow_condition *a, unsigned more,
                          winnow_condition **copy_p) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(a, "a"));
    *copy_p = winnow__condition_create(a->tests, a->number + more);
    if (*copy_p == NULL)
        return WINNOW_ERR_MEMORY;
    copy_nodes((*copy_p)->nodes, a);
    return WINNOW_OK;
}

winnow_status winnow_condition_not(winnow_condition **condition_p,
                                   const winnow_condition *a) {
    winnow_condition *made = NULL;
    WINNOW__TRY(copy(condition_p, a, 0, &made));
    made->nodes[a->number - 1].negated ^= true;
    return winnow__condition_finish(made, condition_p);
}

winnow_status winnow_condition_is_true(winnow_condition **condition_p,
                                       const winnow_condition *a) {
    winnow_condition *made = NULL;
    WINNOW__TRY(copy(condition_p, a, 1, &made));
    made->nodes[a->number] = (winnow__node){.kind = WINNOW__NODE_IS_TRUE};
    return winnow__condition_finish(made, condition_p);
}
