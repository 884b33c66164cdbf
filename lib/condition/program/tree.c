/*
 * A condition: its memory, and what its nodes refer to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "core/status.h"
#include "key.h"
#include "set/set.h"
#include "string/test.h"

#include <stdlib.h>
#include <string.h>

winnow_condition *winnow__condition_create(unsigned tests, unsigned number) {
    winnow_condition *const made =
        malloc(sizeof *made + number * sizeof made->nodes[0]);
    if (made == NULL) {
        winnow__fail(WINNOW_ERR_MEMORY, "no host memory for a condition");
        return NULL;
    }
    *made = (winnow_condition){.tests = tests, .number = number};
    return made;
}

winnow_status winnow__condition_finish(winnow_condition *made,
                                       winnow_condition **condition_p) {
    winnow_status status = winnow__add_tested(&made->tested, made)
                               ? WINNOW_OK
                               : WINNOW_ERR_UNSUPPORTED;
    for (unsigned i = 0; i < made->number; i++) {
        const winnow__node *const node = &made->nodes[i];
        const winnow__expression *const expression = node->expression;
        made->has_sets |= node->kind == WINNOW__NODE_SET;
        made->has_expressions |= expression != NULL;
        made->has_source |= expression != NULL && expression->source != NULL;
    }
    if (status == WINNOW_OK)
        status = winnow__make_programs(made);
    if (status == WINNOW_OK) {
        winnow__key key = winnow__no_key();
        winnow__key_put_program(&key, &made->programs[true]->code,
                                &made->tested);
        made->key = key.sum;
        *condition_p = made;
    } else {
        winnow_condition_destroy(made);
    }
    return status;
}

winnow_status winnow__condition_of(winnow_condition **condition_p,
                                   unsigned tests, const winnow__node *nodes,
                                   unsigned number) {
    winnow_condition *const made = winnow__condition_create(tests, number);
    if (made != NULL) {
        memcpy(made->nodes, nodes, number * sizeof nodes[0]);
        return winnow__condition_finish(made, condition_p);
    }
    for (unsigned i = 0; i < number; i++)
        winnow__node_release(&nodes[i]);
    return WINNOW_ERR_MEMORY;
}

winnow_status winnow__check_column(unsigned column) {
    return column <= UINT16_MAX
               ? WINNOW_OK
               : winnow__unsupported(
                     "column is %u: a condition has columns 0 to %u", column,
                     UINT16_MAX);
}

void winnow__node_share(const winnow__node *node) {
    if (node->kind == WINNOW__NODE_SET)
        winnow__set_share(node->set);
    if (node->kind == WINNOW__NODE_STRING)
        winnow__string_test_share(node->string);
    if (node->expression != NULL)
        winnow__expression_share(node->expression);
}

void winnow__node_release(const winnow__node *node) {
    if (node->kind == WINNOW__NODE_SET)
        winnow__set_release(node->set);
    if (node->kind == WINNOW__NODE_STRING)
        winnow__string_test_release(node->string);
    winnow__expression_release(node->expression);
}

void winnow_condition_destroy(winnow_condition *condition) {
    if (condition == NULL)
        return;
    for (unsigned i = 0; i < condition->number; i++)
        winnow__node_release(&condition->nodes[i]);
    free(condition->programs[0]);
    free(condition);
}
