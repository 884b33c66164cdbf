/*
 * The argument of a kernel: its layout, its values, and the parts of it on
 * which a kernel's source depends.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout.h"

#include <string.h>

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

/* ------------------------------------------------------------------ argument */

/* Can four elements be loaded as one aligned vector, or as several? */
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

/* The columns of the call that expressions read. */
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

/* ----------------------------------------------------------------------- key */

/* Add to the key what is computed of which expression, and which columns are the
 * same. */
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
