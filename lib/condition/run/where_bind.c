/*
 * Bind the program of a condition to the columns of a call. The program for nullable
 * columns is shortened: a leaf that tests for null is removed where the call's column
 * has no nulls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

#include "core/round.h"
#include "core/status.h"
#include "where_strings.h"
#include "where_values.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- nulls */

static bool may_be_null(const winnow_in *column) {
    return column->d_valid != NULL || column->dictionary != NULL;
}

static bool any_may_be_null(const winnow__where *where) {
    const winnow__tested *const tested = &where->condition->tested;
    for (unsigned i = 0; i < tested->read_number; i++)
        if (may_be_null(&where->columns[tested->read[i]]))
            return true;
    return false;
}

const winnow__program *winnow__program_of(const winnow__where *where) {
    return where->condition->programs[any_may_be_null(where)];
}

/* May tested value i be null for some item? */
static bool is_nullable(const winnow__where *where, unsigned i) {
    const winnow__tested *const tested = &where->condition->tested;
    const winnow__expression *const expression = tested->expression[i];
    if (expression == NULL)
        return where->columns[tested->column[i]].d_valid != NULL;
    for (unsigned c = 0; c < expression->columns; c++)
        if (may_be_null(&where->columns[expression->column[c].column]))
            return true;
    return expression->program.makes_nulls;
}

/* The caller's array of a column that is not an expression. */
static const winnow_in *tested_column(const winnow__where *where,
                                      const winnow__where_column *column) {
    return &where->columns[where->condition->tested.column[column->tested]];
}

/* Does the leaf test for nulls a column that has none? */
static bool is_idle(const winnow__where *where, const winnow__program *made,
                    const winnow__where_leaf *leaf) {
    const winnow__where_column *const column =
        &made->code.columns[leaf->column];
    if (column->is_validity)
        return !is_nullable(where, column->tested);
    return column->access == WINNOW__BY_STRINGS &&
           made->string[leaf->first].test == NULL &&
           !winnow__has_null_values(tested_column(where, column));
}

/* ----------------------------------------------------------------- columns */

static winnow__where_column bits_of(const void *start, uint64_t offset) {
    return winnow__bits(start, start != NULL ? offset : 0);
}

/* The address and stride of a program's column in the call. If the column has
 * no validity, `first` is NULL, and every bit counts as 1. */
static winnow__where_column place_of(const winnow__where *where,
                                     const winnow__where_column *made) {
    const winnow_in *const in = tested_column(where, made);
    winnow__where_column column = *made;
    if (made->access == WINNOW__BY_VALUES)
        return column;
    if (made->is_validity)
        column = bits_of(in->d_valid, in->valid_offset);
    else if (made->access == WINNOW__BY_BITS)
        column = winnow__bits(in->d_base, in->offset);
    else if (made->access == WINNOW__BY_VECTORS)
        /* may be NULL when a call is planned */
        column = winnow__elements(
            (const void *)((uintptr_t)in->d_base +
                           (where->condition->tested.half[made->tested] ==
                                    WINNOW__UPPER
                                ? sizeof(uint64_t)
                                : 0)),
            (uint64_t)winnow__stride_of(in), made->log2_size);
    else if (!winnow__is_of_strings(in))
        column.access = WINNOW__BY_BITS; /* its leaf is idle */
    column.tested = made->tested;
    column.is_validity = made->is_validity;
    return column;
}

/* ----------------------------------------------------------------- shorten */

/* The shortened program; its lists replace the condition's. */
typedef struct shorter {
    winnow__bound *bound;
    uint8_t
        number[WINNOW__WHERE_MOST_COLUMNS]; /* 1 + the new number of a column;
                                                   0: none */
} shorter;

static void put_op(winnow__where_program *to, unsigned op) {
    to->op[to->ops++] = (uint16_t)op;
}

static void put_leaf(shorter *s, const winnow__where_leaf *leaf) {
    winnow__where_program *const to = &s->bound->program;
    uint8_t *const number = &s->number[leaf->column];
    if (*number == 0) {
        to->columns[to->column_count++] = place_of(
            s->bound->where, &s->bound->made->code.columns[leaf->column]);
        *number = (uint8_t)to->column_count;
    }
    to->leaf[to->leaves] = *leaf;
    to->leaf[to->leaves].column = (uint8_t)(*number - 1);
    put_op(to, to->leaves++);
}

/* An idle leaf passes every item and is left out. A negated one passes none: a group
 * without members stands in its place. */
static void put_idle(shorter *s, const winnow__where_leaf *leaf) {
    if (!leaf->negated)
        return;
    put_op(&s->bound->program, WINNOW__WHERE_OPEN);
    put_op(&s->bound->program, WINNOW__WHERE_CLOSE);
    s->bound->has_empty = true;
}

/* Close a group. A group of a single leaf becomes that leaf, negated. */
static void put_end(shorter *s, unsigned op) {
    winnow__where_program *const to = &s->bound->program;
    uint16_t *const end = to->op + to->ops;
    s->bound->has_empty |= end[-1] == WINNOW__WHERE_OPEN;
    if (end[-1] >= WINNOW__WHERE_OPEN || end[-2] != WINNOW__WHERE_OPEN) {
        put_op(to, op);
        return;
    }
    to->leaf[end[-1]].negated ^= true;
    if (op == WINNOW__WHERE_CLOSE) {
        end[-2] = end[-1];
        to->ops--;
    }
}

static void shorten(winnow__bound *bound) {
    const winnow__where_program *const from = &bound->made->code;
    winnow__where_program *const to = &bound->program;
    shorter s = {.bound = bound};
    to->ops = to->leaves = to->column_count = 0;
    for (unsigned i = 0; i < from->ops; i++) {
        const unsigned op = from->op[i];
        if (op == WINNOW__WHERE_OPEN)
            put_op(to, op);
        else if (op > WINNOW__WHERE_OPEN)
            put_end(&s, op);
        else if (is_idle(bound->where, bound->made, &from->leaf[op]))
            put_idle(&s, &from->leaf[op]);
        else
            put_leaf(&s, &from->leaf[op]);
    }
    if (bound->has_empty && to->depth < WINNOW__WHERE_DEPTH)
        to->depth++;
}

/* -------------------------------------------------------------------- bind */

/* The call's lists, in its memory. */
typedef struct lists {
    size_t leaf, op, values, end;
} lists;

/* `shortens`: with room for shortened leaves and operations. */
static lists lay_out(const winnow__where *where, bool any, bool shortens) {
    const winnow_condition *const condition = where->condition;
    const winnow__where_program *const code = &condition->programs[any]->code;
    lists at = {.leaf = code->column_count * sizeof(winnow__where_column)};
    at.op = at.leaf + shortens * code->leaves * sizeof(winnow__where_leaf);
    /* An idle leaf becomes at most two operations. */
    at.values = winnow__round_up(
        at.op + shortens * (code->ops + code->leaves) * sizeof(uint16_t), 16);
    at.end = at.values +
             (condition->has_expressions
                  ? condition->tested.read_number * sizeof(winnow__value_column)
                  : 0);
    return at;
}

winnow_status winnow__find_room(winnow__bind_room *room, size_t bytes,
                                void **memory_p) {
    room->allocated = bytes > sizeof room->own ? malloc(bytes) : NULL;
    *memory_p = room->allocated != NULL ? room->allocated : room->own;
    return bytes <= sizeof room->own || room->allocated != NULL
               ? WINNOW_OK
               : winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory: the condition's program needs "
                              "%zu bytes",
                              bytes);
}

static void begin(const winnow__where *where, const winnow__program *made,
                  unsigned char *memory, const lists *at,
                  winnow__bound *bound) {
    *bound = (winnow__bound){
        .where = where,
        .made = made,
        .program = made->code,
        .values = {.columns = where->columns,
                   .tested = &where->condition->tested,
                   .column =
                       (winnow__value_column *)(void *)(memory + at->values)}};
    bound->program.columns = (winnow__where_column *)(void *)memory;
    if (where->condition->has_expressions)
        winnow__find_values(&bound->values);
}

static void place_columns(winnow__bound *bound) {
    for (unsigned c = 0; c < bound->program.column_count; c++)
        bound->program.columns[c] =
            place_of(bound->where, &bound->made->code.columns[c]);
}

size_t winnow__bind_bytes(const winnow__where *where) {
    const bool any = any_may_be_null(where);
    return winnow__round_up(lay_out(where, any, any).end, 16);
}

void winnow__bind(const winnow__where *where, void *memory,
                  winnow__bound *bound) {
    unsigned char *const start = memory;
    const bool any = any_may_be_null(where);
    const lists at = lay_out(where, any, any);
    begin(where, where->condition->programs[any], memory, &at, bound);
    if (any) {
        bound->program.leaf = (winnow__where_leaf *)(void *)(start + at.leaf);
        bound->program.op = (uint16_t *)(void *)(start + at.op);
        shorten(bound);
    } else {
        place_columns(bound);
    }
}

size_t winnow__bind_whole_bytes(const winnow__where *where) {
    return winnow__round_up(lay_out(where, true, false).end, 16);
}

void winnow__bind_whole(const winnow__where *where, void *memory,
                        winnow__bound *bound) {
    const lists at = lay_out(where, true, false);
    begin(where, where->condition->programs[true], memory, &at, bound);
    place_columns(bound);
}
