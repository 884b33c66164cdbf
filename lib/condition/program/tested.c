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

static bool read_column(winnow__tested *tested, uint16_t column) {
    for (unsigned i = 0; i < tested->read_number; i++)
        if (tested->read[i] == column)
            return true;
    if (tested->read_number == WINNOW_CONDITION_MOST_COLUMNS)
        return false;
    tested->read[tested->read_number++] = column;
    return true;
}

/* Read the columns of the i-th. */
static bool read_columns(winnow__tested *tested, unsigned i) {
    const winnow__expression *const expression = tested->expression[i];
    if (expression == NULL)
        return read_column(tested, tested->column[i]);
    for (unsigned c = 0; c < expression->columns; c++)
        if (!read_column(tested, expression->column[c].column))
            return false;
    return true;
}

bool winnow__tested_add(winnow__tested *tested, const winnow__node *leaf) {
    const unsigned i = winnow__place_of_tested(tested, leaf);
    const unsigned read_number = tested->read_number;
    if (i < tested->number)
        return true;
    if (i == WINNOW_CONDITION_MOST_COLUMNS)
        return false;
    tested->column[i] = leaf->expression == NULL ? leaf->column : 0;
    tested->half[i] = leaf->half;
    tested->expression[i] = leaf->expression;
    if (!read_columns(tested, i)) {
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
        read_columns(tested, t); /* there is room, as before */
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
        winnow__fail(WINNOW_ERR_UNSUPPORTED,
                     "the condition would test more than %u different "
                     "columns%s",
                     WINNOW_CONDITION_MOST_COLUMNS,
                     winnow__what_counts_twice(tested));
        return false;
    }
    return true;
}
