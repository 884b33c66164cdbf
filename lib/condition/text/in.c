/*
 * winnow_condition_in: the condition that an element is one of an array's values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "condition/program/tree.h"
#include "core/context.h"
#include "core/status.h"
#include "set/set.h"
#include "wide.h"

#include <stdlib.h>
#include <string.h>

static winnow_status check(winnow_condition **condition_p, unsigned column,
                           winnow_type type, const void *values,
                           uint64_t count) {
    if (condition_p == NULL)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "condition_p is NULL");
    if (winnow__tested_type(type) == NULL)
        return winnow__fail_type("type", type);
    if (values == NULL && count != 0)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "values is NULL");
    if (column > UINT16_MAX)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "column is %u: a condition has columns 0 to %u",
                            column, UINT16_MAX);
    if (count > WINNOW_CONDITION_MOST_VALUES)
        return winnow__fail(WINNOW_ERR_UNSUPPORTED,
                            "count is %llu: a set has at most %u values",
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
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a set of values");
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
    winnow_status status =
        winnow__wide_in((uint16_t)column, values, count, &nodes, &number);
    if (status != WINNOW_OK)
        return status;
    winnow_condition *const made =
        winnow__condition_create((number + 1) / 2, number);
    if (made != NULL) {
        memcpy(made->nodes, nodes, number * sizeof nodes[0]);
        status = winnow__condition_finish(made, condition_p);
    } else {
        status = WINNOW_ERR_MEMORY;
        for (unsigned i = 0; i < number; i++)
            winnow__set_release(nodes[i].set);
    }
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
    winnow_condition *const made = winnow__condition_create(1, 1);
    if (made == NULL) {
        winnow__set_release(leaf.set);
        return WINNOW_ERR_MEMORY;
    }
    made->nodes[0] = leaf;
    return winnow__condition_finish(made, condition_p);
}

winnow_status winnow_condition_in(winnow_condition **condition_p,
                                  winnow_context *context, unsigned column,
                                  winnow_type type, const void *values,
                                  uint64_t count) {
    winnow_status status = check(condition_p, column, type, values, count);
    if (status != WINNOW_OK)
        return status;
    const winnow__type_info *const info = winnow__tested_type(type);
    void *copy = NULL;
    if (context != NULL && context->backend->fetch != NULL && count != 0) {
        status = fetch(context, values, (size_t)count * info->size, &copy);
        if (status != WINNOW_OK)
            return status;
    }
    status =
        create(condition_p, column, info, copy != NULL ? copy : values, count);
    free(copy);
    return status;
}
