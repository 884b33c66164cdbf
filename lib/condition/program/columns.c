/*
 * winnow_condition_columns, winnow_expression_columns: what is read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tree.h"

#include "core/status.h"
#include "expression.h"

static winnow_status check(const void *of, const char *name,
                           const unsigned *columns, const unsigned *count_p) {
    const char *const missing = of == NULL        ? name
                                : columns == NULL ? "columns"
                                : count_p == NULL ? "count_p"
                                                  : NULL;
    return missing == NULL
               ? WINNOW_OK
               : winnow__fail(WINNOW_ERR_ARGUMENT, "%s is NULL", missing);
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
