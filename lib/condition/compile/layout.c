/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout.h"

bool winnow__is_first(const winnow__to_compile *what, unsigned column) {
    return winnow__computed(what, column) != NULL &&
           winnow__first_with(what->program, column) == column;
}

unsigned winnow__place_of_read(const winnow__layout *of, uint16_t column) {
    unsigned i = 0;
    while (i < of->reads && of->read[i].column != column)
        i++;
    return i;
}

unsigned winnow__first_aggregate(const winnow__reduction *reduction,
                                 unsigned aggregate) {
    unsigned i = 0;
    while (reduction->aggregate[i].expression !=
           reduction->aggregate[aggregate].expression)
        i++;
    return i;
}

static void lay_out_reduction(const winnow__reduction *reduction,
                              winnow__layout *made) {
    made->first_read = made->columns;
    for (unsigned i = 0; i < reduction->number; i++) {
        const winnow__expression *const expression =
            reduction->aggregate[i].expression;
        if (expression == NULL || winnow__first_aggregate(reduction, i) != i)
            continue;
        for (unsigned c = 0; c < expression->columns; c++)
            if (winnow__place_of_read(made, expression->column[c].column) ==
                made->reads)
                made->read[made->reads++] = expression->column[c];
        made->aggregate_constant[i] = (uint16_t)made->constants;
        made->constants += expression->program.constants;
    }
    made->columns += 2 * made->reads;
}

winnow__layout winnow__argument_layout(const winnow__to_compile *what) {
    const winnow__where_program *const program = what->program;
    winnow__layout made = {.columns = program->column_count,
                           .constants =
                               WINNOW__TEST_CONSTANTS * program->tests};
    for (unsigned c = 0; c < program->column_count; c++) {
        if (!winnow__is_first(what, c))
            continue;
        made.column[c] = (uint16_t)made.columns;
        made.constant[c] = (uint16_t)made.constants;
        made.columns += 2 * winnow__computed(what, c)->columns;
        made.constants += winnow__computed(what, c)->program.constants;
    }
    if (what->reduction != NULL)
        lay_out_reduction(what->reduction, &made);
    return made;
}

unsigned winnow__loaded_bytes(winnow_type type) {
    return type == WINNOW_BIT ? 0 : (unsigned)winnow_type_size(type);
}
