/*
 * A condition: its memory, its nodes' references, and its columns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "key.h"
#include "set/set.h"
#include "string/test.h"
#include "where_maker.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- tested */

unsigned winnow__place_of_tested(const winnow__tested *tested,
                                 const winnow__node *leaf) {
    unsigned i = 0;
    while (i < tested->number &&
           (tested->expression[i] != leaf->expression ||
            (leaf->expression == NULL && (tested->column[i] != leaf->column ||
                                          tested->half[i] != leaf->half))))
        i++;
    return i;
}

static bool read_column(winnow__tested *tested, uint16_t column,
                        bool asks_value) {
    unsigned i = 0;
    while (i < tested->read_number && tested->read[i] != column)
        i++;
    if (i == WINNOW_CONDITION_MOST_COLUMNS)
        return false;
    tested->asks_value[i] =
        asks_value || (i < tested->read_number && tested->asks_value[i]);
    tested->read[i] = column;
    tested->read_number += i == tested->read_number;
    return true;
}

/* Add the columns that tested value i reads. */
static bool read_columns(winnow__tested *tested, unsigned i, bool asks_value) {
    const winnow__expression *const expression = tested->expression[i];
    if (expression == NULL)
        return read_column(tested, tested->column[i], asks_value);
    for (unsigned c = 0; c < expression->columns; c++)
        if (!read_column(tested, expression->column[c].column, true))
            return false;
    return true;
}

bool winnow__tested_add(winnow__tested *tested, const winnow__node *leaf) {
    const unsigned i = winnow__place_of_tested(tested, leaf);
    const unsigned read_number = tested->read_number;
    const bool asks_value = leaf->kind != WINNOW__NODE_VALID;
    if (i < tested->number)
        return read_columns(tested, i, asks_value); /* the columns are there
                                                       already */
    if (i == WINNOW_CONDITION_MOST_COLUMNS)
        return false;
    tested->column[i] = leaf->expression == NULL ? leaf->column : 0;
    tested->half[i] = leaf->half;
    tested->expression[i] = leaf->expression;
    if (!read_columns(tested, i, asks_value)) {
        tested->read_number = read_number;
        return false;
    }
    tested->number++;
    return true;
}

void winnow__tested_remove(winnow__tested *tested, unsigned i) {
    const unsigned last = --tested->number;
    tested->column[i] = tested->column[last];
    tested->half[i] = tested->half[last];
    tested->expression[i] = tested->expression[last];
    tested->read_number = 0;
    for (unsigned t = 0; t < tested->number; t++)
        read_columns(tested, t, true); /* succeeds, as there was room before */
}

const char *winnow__what_counts_twice(const winnow__tested *tested) {
    for (unsigned i = 0; i < tested->number; i++)
        if (tested->half[i] != WINNOW__HALF_NONE)
            return ", of which one of int128 counts as two";
    return "";
}

/* Add what a condition tests. False: there are too many, and the detail is set. */
static bool add_tested(winnow__tested *tested,
                       const winnow_condition *condition) {
    for (unsigned i = 0; i < condition->number; i++) {
        const winnow__node *const node = &condition->nodes[i];
        if (!winnow__is_leaf(node) || winnow__tested_add(tested, node))
            continue;
        winnow__unsupported("the condition would test more than %u different "
                            "columns%s",
                            WINNOW_CONDITION_MOST_COLUMNS,
                            winnow__what_counts_twice(tested));
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------- memory */

winnow_condition *winnow__condition_create(unsigned tests, unsigned number) {
    winnow_condition *const made =
        malloc(sizeof *made + number * sizeof made->nodes[0]);
    if (made == NULL) {
        winnow__no_memory("a condition");
        return NULL;
    }
    *made = (winnow_condition){.tests = tests, .number = number};
    return made;
}

winnow_status winnow__condition_finish(winnow_condition *made,
                                       winnow_condition **condition_p) {
    winnow_status status =
        add_tested(&made->tested, made) ? WINNOW_OK : WINNOW_ERR_UNSUPPORTED;
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

/* --------------------------------------------------------------------- read */

static winnow_status check(const void *of, const char *name,
                           const unsigned *columns, const unsigned *count_p) {
    WINNOW__TRY(winnow__need(of, name));
    WINNOW__TRY(winnow__need(columns, "columns"));
    return winnow__need(count_p, "count_p");
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
        return winnow__no_memory("a predicate");
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
