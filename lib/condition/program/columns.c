/*
 * winnow_condition_columns, winnow_expression_columns: what is read;
 * winnow_condition_predicate: a condition of one test.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "core/status.h"
#include "expression.h"
#include "where_maker.h"

#include <stdlib.h>

static winnow_status check(const void *of, const char *name,
                           const unsigned *columns, const unsigned *count_p) {
    const char *const missing = of == NULL        ? name
                                : columns == NULL ? "columns"
                                : count_p == NULL ? "count_p"
                                                  : NULL;
    return missing == NULL ? WINNOW_OK : winnow__refuse("%s is NULL", missing);
}

winnow_status winnow_condition_columns(const winnow_condition *condition,
                                       unsigned *columns, unsigned *count_p) {
    WINNOW__TRY(check(condition, "condition", columns, count_p));
    for (unsigned i = 0; i < condition->tested.read_number; i++)
        columns[i] = condition->tested.read[i];
    *count_p = condition->tested.read_number;
    return WINNOW_OK;
}

winnow_status winnow_expression_columns(const winnow_expression *expression,
                                        unsigned *columns, unsigned *count_p) {
    WINNOW__TRY(check(expression, "expression", columns, count_p));
    for (unsigned i = 0; i < expression->columns; i++)
        columns[i] = expression->column[i].column;
    *count_p = expression->columns;
    return WINNOW_OK;
}

winnow_status winnow_condition_predicate(winnow_predicate **predicate_p,
                                         const winnow_condition *condition) {
    WINNOW__TRY(winnow__need(predicate_p, "predicate_p"));
    WINNOW__TRY(winnow__need(condition, "condition"));
    const winnow__node *const node = &condition->nodes[0];
    if (condition->number != 1 || node->kind != WINNOW__NODE_TEST ||
        node->expression != NULL || node->half != WINNOW__HALF_NONE)
        return winnow__unsupported(
            "the condition is not one test of one number");
    winnow_predicate *const made = malloc(sizeof *made);
    if (made == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a predicate");
    *made = (winnow_predicate){
        .type = node->type,
        .test = node->negated ? winnow__complement(node->type, &node->test)
                              : node->test};
    made->kind = made->test.flip != 0 ? WINNOW__KEYED
                 : made->test.mask == winnow__all_bits(node->type)
                     ? WINNOW__INTERVAL
                     : WINNOW__BITS;
    *predicate_p = made;
    return WINNOW_OK;
}
