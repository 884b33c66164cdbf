/*
 * Makes both programs of a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include "core/round.h"
#include "core/status.h"
#include "expression.h"

#include <stdlib.h>

_Static_assert(2 * WINNOW_CONDITION_MOST_COLUMNS ==
                       WINNOW__WHERE_MOST_COLUMNS &&
                   WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_TESTS &&
                   2 * WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_LEAVES,
               "what the header promises is what programs have room for, with "
               "a validity of each column and beside each leaf");

/* ------------------------------------------------------------------ memory */

/* Memory in pieces; with NULL they are only counted. */
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

static void place(const winnow_condition *condition, pieces *from,
                  winnow__program *made) {
    const unsigned tests = condition->tests;
    PIECE(from, 2 * condition->tested.number, made->code.columns);
    PIECE(from, 2 * tests, made->code.leaf);
    PIECE(from, 6 * tests, made->code.op);
    PIECE(from, tests, made->code.test);
    PIECE(from, tests, made->set);
    PIECE(from, tests, made->string);
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

/* -------------------------------------------------------------------- make */

static void make(winnow__maker *m) {
    winnow__make_groups(m);
    for (unsigned i = m->groups; i-- > 0;)
        winnow__simplify_group(m, &m->group[i]);
    if (m->group[0].keeps_none) {
        winnow__write_none(m);
    } else {
        winnow__put_validity(m);
        winnow__write_groups(m);
    }
}

/* Nulls only from operations, or, if `any`, everywhere. */
static winnow__nulls nulls_of(const winnow_condition *condition, bool any) {
    const winnow__tested *const tested = &condition->tested;
    winnow__nulls nulls;
    for (unsigned t = 0; t < tested->number; t++) {
        nulls.elements[t] = any || (tested->expression[t] != NULL &&
                                    tested->expression[t]->program.makes_nulls);
        nulls.values[t] = any && tested->expression[t] == NULL;
    }
    for (unsigned i = 0; i < condition->number; i++) {
        const winnow__node *const node = &condition->nodes[i];
        if (winnow__is_leaf(node) && node->kind != WINNOW__NODE_VALID &&
            node->kind != WINNOW__NODE_STRING)
            nulls.values[winnow__place_of_tested(tested, node)] = false;
    }
    return nulls;
}

static void place_both(const winnow_condition *condition, pieces *from,
                       winnow__program *programs[2]) {
    for (unsigned any = 0; any < 2; any++) {
        winnow__program counted;
        PIECE(from, 1, programs[any]);
        place(condition, from, from->memory != NULL ? programs[any] : &counted);
    }
}

winnow_status winnow__make_programs(winnow_condition *condition) {
    winnow__maker m = {.condition = condition};
    pieces both = {0}, own = {0};
    place_both(condition, &both, condition->programs);
    place_maker(condition, &own, &m);
    both = (pieces){.memory = calloc(1, both.bytes)};
    own = (pieces){.memory = malloc(own.bytes)};
    if (both.memory == NULL || own.memory == NULL) {
        free(both.memory);
        free(own.memory);
        return winnow__no_memory("a condition's program");
    }
    place_both(condition, &both, condition->programs);
    place_maker(condition, &own, &m);
    for (unsigned any = 0; any < 2; any++) {
        const winnow__nulls nulls = nulls_of(condition, any != 0);
        m.program = condition->programs[any];
        m.nulls = &nulls;
        m.leaves = m.groups = 0;
        make(&m);
    }
    free(own.memory);
    return WINNOW_OK;
}
