/*
 * winnow_condition_prepare: makes what a device needs before calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "condition/program/tree.h"
#include "core/context.h"
#include "core/status.h"

#ifdef WINNOW_CUDA
#include "set/tables.h"
#include "where_compiled.h"
#include "where_strings.h"

/* The context's device has to be current. */
static winnow_status prepare_sets(const winnow_context *context,
                                  const winnow_condition *condition) {
    const winnow__table_use use = {0};
    for (unsigned i = 0; i < condition->number; i++) {
        winnow__set_ref table;
        const winnow__node *const node = &condition->nodes[i];
        const void *block;
        if (node->kind == WINNOW__NODE_STRING)
            WINNOW__TRY(
                winnow__find_pattern(context, node->string, &use, &block));
        if (node->kind == WINNOW__NODE_SET)
            WINNOW__TRY(winnow__table_of(context, condition->nodes[i].set, &use,
                                         &table));
    }
    return WINNOW_OK;
}

static winnow_status prepare(const winnow_context *context,
                             const winnow_condition *condition) {
    const winnow__to_compile what = winnow__to_compile_of(condition);
    winnow__choice choice;
    bool entered;
    WINNOW__TRY(context->backend->enter(context, &entered));
    winnow_status status = prepare_sets(context, condition);
    if (status == WINNOW_OK)
        status = winnow__choose_code(context, &what, true, NULL, &choice);
    context->backend->leave(context, entered);
    return status;
}
#endif

winnow_status winnow_condition_prepare(winnow_context *context,
                                       const winnow_condition *condition) {
    WINNOW__TRY(winnow__need(context, "context"));
    WINNOW__TRY(winnow__need(condition, "condition"));
#ifdef WINNOW_CUDA
    if (!context->backend->is_host)
        return prepare(context, condition);
#endif
    return WINNOW_OK;
}
