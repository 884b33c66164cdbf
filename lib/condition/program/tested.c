/*
 * What a condition tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tree.h"

#include "core/status.h"
#include "expression.h"

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

/* Read the columns of the i-th. */
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
        return read_columns(tested, i, asks_value); /* they are there */
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
        read_columns(tested, t, true); /* there is room, as before */
}

const char *winnow__what_counts_twice(const winnow__tested *tested) {
    for (unsigned i = 0; i < tested->number; i++)
        if (tested->half[i] != WINNOW__HALF_NONE)
            return ", of which one of int128 counts as two";
    return "";
}

bool winnow__add_tested(winnow__tested *tested,
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
