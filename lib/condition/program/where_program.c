/*
 * Programs: the memory that one is made in, and the copies that kernels take.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include "core/round.h"

#include <string.h>

_Static_assert(2 * WINNOW_CONDITION_MOST_COLUMNS ==
                       WINNOW__WHERE_MOST_COLUMNS &&
                   WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_TESTS &&
                   2 * WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_LEAVES,
               "what the header promises is what programs have room for, with "
               "a validity of each column and beside each leaf");

/* ------------------------------------------------------------------ memory */

/* Pieces of memory; NULL: they are counted. */
typedef struct pieces {
    unsigned char *memory;
    size_t bytes;
} pieces;

static void *piece(pieces *from, size_t number, size_t bytes) {
    void *const made = from->memory != NULL ? from->memory + from->bytes : NULL;
    from->bytes += (size_t)winnow__round_up(number * bytes, 16);
    return made;
}

#define PIECE(from, number, to) ((to) = piece((from), (number), sizeof *(to)))

static void place(const winnow_condition *condition,
                  const winnow__tested *tested, pieces *from,
                  winnow__compiled *c) {
    const unsigned tests = condition->tests;
    PIECE(from, 2 * tested->number, c->program.columns);
    PIECE(from, 2 * tests, c->program.leaf);
    PIECE(from, 6 * tests, c->program.op);
    PIECE(from, tests, c->program.test);
    PIECE(from, 2 * tested->number, c->part);
    PIECE(from, tests, c->set);
    PIECE(from, tests, c->string);
    PIECE(from, tested->read_number, c->values.read);
    PIECE(from, tested->read_number, c->values.column);
    PIECE(from, tested->number, c->values.expression);
}

static void place_maker(const winnow_condition *condition, pieces *from,
                        winnow__maker *m) {
    const unsigned tests = condition->tests;
    PIECE(from, 2 * tests, m->leaf);
    PIECE(from, 2 * tests, m->group);
    PIECE(from, tests, m->test);
    PIECE(from, tests, m->next_test);
    PIECE(from, 2 * tests, m->arcs);
}

size_t winnow__compile_bytes(const winnow_condition *condition,
                             const winnow__tested *tested) {
    pieces counted = {0};
    winnow__compiled compiled;
    winnow__maker maker;
    place(condition, tested, &counted, &compiled);
    place_maker(condition, &counted, &maker);
    return counted.bytes;
}

void winnow__place_compiled(const winnow_condition *condition,
                            const winnow__tested *tested, void *memory,
                            winnow__compiled *compiled) {
    pieces from = {.memory = memory};
    place(condition, tested, &from, compiled);
}

/* ----------------------------------------------------------------- compile */

void winnow__compile(const winnow_condition *condition,
                     const winnow__tested *tested, const winnow__nulls *nulls,
                     void *memory, winnow__compiled *compiled) {
    winnow__where_program *const program = &compiled->program;
    winnow__maker m = {.compiled = compiled, .nulls = nulls};
    pieces from = {.memory = memory};
    place(condition, tested, &from, compiled);
    place_maker(condition, &from, &m);
    compiled->sets = compiled->strings = 0;
    program->ops = program->depth = program->nested = 0;
    program->leaves = program->tests = 0;
    program->column_count = (uint16_t)tested->number;
    for (unsigned i = 0; i < tested->number; i++)
        compiled->part[i] = (winnow__part){.tested = (uint8_t)i};
    winnow__make_groups(&m, condition, tested);
    for (unsigned i = m.groups; i-- > 0;)
        winnow__simplify_group(&m, &m.group[i]);
    if (m.group[0].keeps_none) {
        winnow__write_none(&m);
    } else {
        winnow__put_validity(&m);
        winnow__write_groups(&m);
    }
}

/* ------------------------------------------------------------------ copies */

#define COPY(from, to)                                                         \
    do {                                                                       \
        (to)->ops = (from)->ops;                                               \
        (to)->depth = (from)->depth;                                           \
        (to)->nested = (from)->nested;                                         \
        (to)->column_count = (from)->column_count;                             \
        (to)->leaves = (from)->leaves;                                         \
        (to)->tests = (from)->tests;                                           \
        memcpy((to)->columns, (from)->columns,                                 \
               (from)->column_count * sizeof(to)->columns[0]);                 \
        memcpy((to)->leaf, (from)->leaf,                                       \
               (from)->leaves * sizeof(to)->leaf[0]);                          \
        memcpy((to)->op, (from)->op, (from)->ops * sizeof(to)->op[0]);         \
        memcpy((to)->test, (from)->test, (from)->tests * sizeof(to)->test[0]); \
    } while (0)

bool winnow__make_small(const winnow__where_program *program,
                        winnow__where_small *small) {
    if (program->column_count > WINNOW__WHERE_COLUMNS ||
        program->tests > WINNOW__WHERE_TESTS ||
        program->leaves > WINNOW__WHERE_LEAVES)
        return false;
    COPY(program, small);
    return true;
}

void winnow__make_large(const winnow__where_program *program,
                        winnow__where_large *large) {
    COPY(program, large);
}
