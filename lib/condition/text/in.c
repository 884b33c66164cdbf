/*
 * winnow_condition_in: the condition that an element is one of an array's values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/context.h"
#include "core/status.h"
#include "set/set.h"
#include "wide.h"

#include <stdlib.h>

static winnow_status check(winnow_condition **condition_p, unsigned column,
                           winnow_type type, const void *values,
                           uint64_t count) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    if (winnow__tested_type(type) == NULL)
        return winnow__fail_type("type", type);
    if (values == NULL && count != 0)
        return winnow__refuse("values is NULL");
    WINNOW__TRY(winnow__check_column(column));
    if (count > WINNOW_CONDITION_MOST_VALUES)
        return winnow__unsupported("count is %llu: a set has at most %u values",
                                   (unsigned long long)count,
                                   WINNOW_CONDITION_MOST_VALUES);
    return WINNOW_OK;
}

/* What `values` has, in host memory, where a context's device may have it;
 * *copy_p is for free(). */
static winnow_status fetch(const winnow_context *context, const void *values,
                           size_t bytes, void **copy_p) {
    void *const copy = malloc(bytes);
    bool entered;
    if (copy == NULL)
        return winnow__no_memory("a set of values");
    winnow_status status = context->backend->enter(context, &entered);
    if (status == WINNOW_OK) {
        status = context->backend->fetch(context, values, bytes, copy);
        context->backend->leave(context, entered);
    }
    if (status == WINNOW_OK)
        *copy_p = copy;
    else
        free(copy);
    return status;
}

static winnow_status create_wide(winnow_condition **condition_p,
                                 unsigned column, const void *values,
                                 uint64_t count) {
    winnow__node *nodes;
    unsigned number;
    WINNOW__TRY(
        winnow__wide_in((uint16_t)column, values, count, &nodes, &number));
    winnow_status status =
        winnow__condition_of(condition_p, (number + 1) / 2, nodes, number);
    free(nodes);
    return status;
}

/* The condition that an element is one of the values in host memory. */
static winnow_status create(winnow_condition **condition_p, unsigned column,
                            const winnow__type_info *type, const void *values,
                            uint64_t count) {
    if (type->size == sizeof(winnow__wide))
        return create_wide(condition_p, column, values, count);
    winnow__node leaf = {.column = (uint16_t)column, .type = type};
    WINNOW__TRY(winnow__set_create(&leaf.set, &leaf.test, type,
                                   winnow__all_bits(type), values, count));
    leaf.kind = leaf.set != NULL ? WINNOW__NODE_SET : WINNOW__NODE_TEST;
    return winnow__condition_of(condition_p, 1, &leaf, 1);
}

winnow_status winnow_condition_in(winnow_condition **condition_p,
                                  winnow_context *context, unsigned column,
                                  winnow_type type, const void *values,
                                  uint64_t count) {
    WINNOW__TRY(check(condition_p, column, type, values, count));
    const winnow__type_info *const info = winnow__tested_type(type);
    void *copy = NULL;
    if (context != NULL && context->backend->fetch != NULL && count != 0)
        WINNOW__TRY(fetch(context, values, (size_t)count * info->size, &copy));
    winnow_status status =
        create(condition_p, column, info, copy != NULL ? copy : values, count);
    free(copy);
    return status;
}
