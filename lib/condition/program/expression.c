/*
 * Expressions: references, and the columns that they read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "expression.h"

#include "core/status.h"
#include "core/type.h"

#include <stdatomic.h>
#include <stdlib.h>

void winnow__expression_share(winnow__expression *expression) {
    atomic_fetch_add_explicit(&expression->references, 1, memory_order_relaxed);
}

void winnow__expression_release(winnow__expression *expression) {
    /* A release of this thread's accesses; for the last thread an acquire of
     * all others'. */
    if (expression != NULL &&
        atomic_fetch_sub_explicit(&expression->references, 1,
                                  memory_order_acq_rel) == 1) {
        winnow__expression_release(expression->upper);
        free(expression->source);
        free(expression);
    }
}

/* ---------------------------------------------------------------------- API */

static winnow_status check_column(unsigned column, winnow_type type) {
    if (winnow_type_name(type) == winnow_type_name((winnow_type)-1) ||
        type == WINNOW_OPAQUE)
        return winnow__refuse("type %d is no type of elements", (int)type);
    if (winnow__type(type) == NULL || type == WINNOW_BIT)
        return winnow__unsupported(
            "type is %s: an expression is of numbers of at "
            "most 64 bits",
            winnow_type_name(type));
    if (column > UINT16_MAX)
        return winnow__unsupported("column %u is greater than %d", column,
                                   UINT16_MAX);
    return WINNOW_OK;
}

winnow_status winnow_expression_column(winnow_expression **expression_p,
                                       unsigned column, winnow_type type) {
    WINNOW__TRY(winnow__need(expression_p, "expression_p"));
    WINNOW__TRY(check_column(column, type));
    winnow__builder *const builder = winnow__builder_create();
    if (builder == NULL)
        return WINNOW_ERR_MEMORY;
    winnow__expression *const made = winnow__build_finish(
        builder, winnow__build_column(builder, (uint16_t)column, type));
    winnow_status status =
        made != NULL ? WINNOW_OK : winnow__builder_status(builder);
    winnow__builder_destroy(builder);
    if (status == WINNOW_OK)
        *expression_p = made;
    return status;
}

winnow_type winnow__type_of_value(winnow__value_type type) {
    static const winnow_type types[WINNOW__VALUE_TYPES] = {
        [WINNOW__INT64] = WINNOW_INT64,
        [WINNOW__UINT64] = WINNOW_UINT64,
        [WINNOW__FLOAT32] = WINNOW_FLOAT32,
        [WINNOW__FLOAT64] = WINNOW_FLOAT64,
        [WINNOW__BOOL] = WINNOW_BIT};
    return types[type];
}

winnow_type winnow_expression_type(const winnow_expression *expression) {
    if (expression != NULL && expression->precision != 0)
        return WINNOW_INT128;
    return expression != NULL
               ? winnow__type_of_value(winnow__expression_type(expression))
               : WINNOW_OPAQUE;
}

const char *winnow_expression_format(const winnow_expression *expression) {
    static const char *const formats[WINNOW__VALUE_TYPES] = {
        [WINNOW__INT64] = "l",
        [WINNOW__UINT64] = "L",
        [WINNOW__FLOAT32] = "f",
        [WINNOW__FLOAT64] = "g",
        [WINNOW__BOOL] = "b"};
    if (expression == NULL)
        return NULL;
    return expression->precision != 0
               ? expression->format
               : formats[winnow__expression_type(expression)];
}

void winnow_expression_destroy(winnow_expression *expression) {
    winnow__expression_release(expression);
}
