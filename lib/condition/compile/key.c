/*
 * SPDX-License-Identifier: Apache-2.0
 */

#include "layout.h"

/* What is wanted of which expression, and which of the columns are the same. */
static void put_reduction(winnow__key *key, const winnow__to_compile *what) {
    const winnow__reduction *const reduction = what->reduction;
    const winnow__layout of = winnow__argument_layout(what);
    winnow__key_put_byte(key, reduction->number);
    for (unsigned i = 0; i < reduction->number; i++) {
        const winnow__expression *const expression =
            reduction->aggregate[i].expression;
        const unsigned first = expression != NULL
                                   ? winnow__first_aggregate(reduction, i)
                                   : WINNOW_MOST_AGGREGATES;
        winnow__key_put_byte(key, reduction->aggregate[i].wanted);
        winnow__key_put_byte(key, first);
        if (first != i)
            continue;
        winnow__key_put_expression(key, expression);
        for (unsigned c = 0; c < expression->columns; c++)
            winnow__key_put_byte(
                key, winnow__place_of_read(&of, expression->column[c].column));
    }
}

winnow__key_sum winnow__sum_key(const winnow__to_compile *what) {
    winnow__key key = winnow__no_key();
    if (what->condition != NULL)
        key.sum = what->condition->key;
    if (what->reduction != NULL)
        put_reduction(&key, what);
    return key.sum;
}

void winnow__put_key(const winnow__to_compile *what, winnow__key *key) {
    if (what->condition != NULL)
        winnow__key_put_program(key, what->program, &what->condition->tested);
    if (what->reduction != NULL)
        put_reduction(key, what);
}

static bool reads_strings(const winnow__expression *expression) {
    if (expression->compares_strings)
        return true;
    for (unsigned i = 0; i < expression->program.steps; i++)
        if (expression->program.step[i].code == WINNOW__LOAD_LENGTH)
            return true;
    return false;
}

bool winnow__is_compilable(const winnow__to_compile *what) {
    const winnow__layout of = winnow__argument_layout(what);
    for (unsigned c = 0; c < what->program->column_count; c++)
        if (winnow__is_first(what, c) &&
            reads_strings(winnow__computed(what, c)))
            return false;
    for (unsigned i = 0; what->reduction != NULL && i < what->reduction->number;
         i++) {
        const winnow__expression *const expression =
            what->reduction->aggregate[i].expression;
        if (expression != NULL && reads_strings(expression))
            return false;
    }
    return sizeof(winnow__compiled_args) +
               of.columns * sizeof(winnow__compiled_column) +
               (of.constants != 0 ? of.constants : 1) * sizeof(uint64_t) <=
           WINNOW__MOST_ARGUMENT;
}
