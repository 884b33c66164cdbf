/*
 * Expressions: references, and what they read.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "expression.h"

#include <stdatomic.h>
#include <stdlib.h>

void winnow__expression_share(winnow__expression *expression) {
    atomic_fetch_add_explicit(&expression->references, 1, memory_order_relaxed);
}

void winnow__expression_release(winnow__expression *expression) {
    /* A release of what this thread did with it, and, by the last one, an acquire
     * of what all did. */
    if (expression != NULL &&
        atomic_fetch_sub_explicit(&expression->references, 1,
                                  memory_order_acq_rel) == 1) {
        free(expression->source);
        free(expression);
    }
}

bool winnow__reads(const winnow__expression *expression, unsigned column) {
    for (unsigned c = 0; c < expression->columns; c++)
        if (expression->column[c].column == column)
            return true;
    return false;
}
