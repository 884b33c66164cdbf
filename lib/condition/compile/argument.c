/*
 * SPDX-License-Identifier: Apache-2.0
 */

#include "layout.h"

#include <string.h>

/* Can four elements be loaded as an aligned vector, or as several? */
static bool is_by_vectors(const winnow__value_column *column, unsigned bytes) {
    const unsigned vector =
        WINNOW__STEP_ITEMS * bytes < 16 ? WINNOW__STEP_ITEMS * bytes : 16;
    return column->access == WINNOW__VALUE_ELEMENTS &&
           column->stride == bytes && (uintptr_t)column->first % vector == 0;
}

/* A column that an expression reads. */
static const winnow__value_column *read_of(const uint16_t *numbers,
                                           const winnow__value_column *columns,
                                           uint16_t column) {
    unsigned i = 0;
    while (numbers[i] != column)
        i++;
    return &columns[i];
}

/* Columns that expressions read, of those of the call. */
static void write_read(const uint16_t *numbers,
                       const winnow__value_column *of_call,
                       const winnow__expression_column *list, unsigned number,
                       winnow__compiled_args *to,
                       winnow__compiled_column *columns) {
    for (unsigned i = 0; i < number; i++) {
        const winnow__value_column *const read =
            read_of(numbers, of_call, list[i].column);
        const winnow_type type = list[i].type;
        if (type != WINNOW_BIT &&
            !is_by_vectors(read, winnow__loaded_bytes(type)))
            to->by_vectors = 0;
        columns[2 * i] = (winnow__compiled_column){
            .first = read->first,
            .stride = read->stride,
            .skip = read->skip,
            .is_aligned = read->access == WINNOW__VALUE_ELEMENTS};
        columns[2 * i + 1] = (winnow__compiled_column){
            .first = read->valid, .skip = read->valid_skip};
    }
}

static void write_reduction(const winnow__reduction *reduction,
                            const winnow__layout *of, winnow__compiled_args *to,
                            winnow__compiled_column *columns,
                            uint64_t *constants) {
    write_read(reduction->read, reduction->read_column, of->read, of->reads, to,
               &columns[of->first_read]);
    for (unsigned i = 0; i < reduction->number; i++) {
        const winnow__expression *const expression =
            reduction->aggregate[i].expression;
        if (expression != NULL && winnow__first_aggregate(reduction, i) == i)
            memcpy(&constants[of->aggregate_constant[i]],
                   expression->program.constant,
                   expression->program.constants * sizeof constants[0]);
    }
}

void winnow__write_argument(const winnow__to_compile *what,
                            winnow__compiled_args *to) {
    const winnow__where_program *const program = what->program;
    const winnow__layout of = winnow__argument_layout(what);
    winnow__compiled_column *const columns =
        (winnow__compiled_column *)(to + 1);
    uint64_t *const constants = (uint64_t *)(columns + of.columns);
    to->by_vectors = 1;
    for (unsigned c = 0; c < program->column_count; c++) {
        const winnow__where_column *const from = &program->columns[c];
        const winnow__expression *const computed = winnow__computed(what, c);
        columns[c] = (winnow__compiled_column){.first = from->first,
                                               .stride = from->stride,
                                               .skip = from->skip,
                                               .is_aligned = from->access !=
                                                             WINNOW__BY_BYTES};
        if (computed == NULL && (from->access == WINNOW__BY_ELEMENTS ||
                                 from->access == WINNOW__BY_BYTES))
            to->by_vectors = 0;
        if (!winnow__is_first(what, c))
            continue;
        write_read(what->condition->tested.read, what->read_column,
                   computed->column, computed->columns, to,
                   &columns[of.column[c]]);
        memcpy(&constants[of.constant[c]], computed->program.constant,
               computed->program.constants * sizeof constants[0]);
    }
    for (unsigned t = 0; t < program->tests; t++) {
        const winnow__test *const test = &program->test[t];
        const uint64_t numbers[WINNOW__TEST_CONSTANTS] = {
            test->flip, test->mask, test->low, test->span};
        memcpy(&constants[WINNOW__TEST_CONSTANTS * t], numbers, sizeof numbers);
    }
    if (what->reduction != NULL)
        write_reduction(what->reduction, &of, to, columns, constants);
}
