/*
 * Writes the operations of a program from its groups.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

/* One set is saved for each group around a group. If that is too many, the
 * member that needs most sets comes first in each group: it begins with the
 * same items as its group, so that one set serves both. A group needs one more
 * set than its members only if two members need equally many: with 2^9 leaves
 * fewer than 10. */
static void measure(winnow__maker *m, winnow__made_group *g) {
    int most = -1, second = -1, nested = 0;
    for (uint16_t i = g->first; i != WINNOW__NO_MEMBER;
         i = *winnow__next_of(m, i)) {
        if (!winnow__is_group(i))
            continue;
        const winnow__made_group *const inside = winnow__group_of(m, i);
        second = inside->saved > most     ? most
                 : inside->saved > second ? inside->saved
                                          : second;
        most = inside->saved > most ? inside->saved : most;
        nested = inside->nested >= nested ? inside->nested + 1 : nested;
    }
    g->nested = nested;
    g->saved = most > second + 1 ? most : second + 1;
}

static void put_most_nested_first(winnow__maker *m, winnow__made_group *g) {
    uint16_t *link = &g->first, *best = NULL;
    int most = -1;
    for (; *link != WINNOW__NO_MEMBER; link = winnow__next_of(m, *link))
        if (winnow__is_group(*link) &&
            winnow__group_of(m, *link)->saved > most) {
            most = winnow__group_of(m, *link)->saved;
            best = link;
        }
    if (best == NULL)
        return;
    const uint16_t member = *best;
    *best = *winnow__next_of(m, member);
    *winnow__next_of(m, member) = g->first;
    g->first = member;
}

static void write_op(winnow__maker *m, uint16_t op) {
    winnow__where_program *const program = &m->program->code;
    program->op[program->ops++] = op;
}

/* How a leaf reads what it tests, according to the condition's nodes. */
static winnow__where_column column_of(const winnow__maker *m,
                                      const winnow__made_leaf *l) {
    const bool has_type =
        l->kind == WINNOW__LEAF_TESTS || l->kind == WINNOW__LEAF_SET;
    return (winnow__where_column){
        .access = m->condition->tested.expression[l->column] != NULL
                      ? WINNOW__BY_VALUES
                  : has_type                       ? WINNOW__BY_VECTORS
                  : l->kind == WINNOW__LEAF_STRING ? WINNOW__BY_STRINGS
                                                   : WINNOW__BY_BITS,
        .log2_size = has_type ? l->type->log2_size : 0,
        .tested = l->column,
        .is_validity = l->kind == WINNOW__LEAF_VALID};
}

/* The index of the program's column that a leaf reads. */
static uint8_t column_number(winnow__maker *m, const winnow__made_leaf *l) {
    winnow__where_program *const program = &m->program->code;
    const bool is_validity = l->kind == WINNOW__LEAF_VALID;
    unsigned i = 0;
    while (i < program->column_count &&
           (program->columns[i].tested != l->column ||
            program->columns[i].is_validity != is_validity))
        i++;
    if (i == program->column_count)
        program->columns[program->column_count++] = column_of(m, l);
    return (uint8_t)i;
}

static void write_leaf(winnow__maker *m, const winnow__made_leaf *l) {
    winnow__program *const made = m->program;
    winnow__where_program *const program = &made->code;
    winnow__where_leaf leaf = {
        .tests = 1, .column = column_number(m, l), .negated = l->negated};
    if (l->kind == WINNOW__LEAF_STRING) {
        leaf.first = (uint16_t)made->strings;
        made->string[made->strings++] = (winnow__string_leaf){
            .test = l->string, .tested = l->column, .inverted = l->inverted};
    } else if (l->kind == WINNOW__LEAF_SET) {
        leaf.first = (uint16_t)made->sets;
        leaf.tests = 0;
        made->set[made->sets++] = l->set;
    } else if (l->kind == WINNOW__LEAF_TESTS) {
        leaf.first = program->tests;
        leaf.tests = l->tests;
        program->tests = (uint16_t)(program->tests +
                                    winnow__take_tests(
                                        m, l, program->test + program->tests));
    }
    write_op(m, program->leaves);
    program->leaf[program->leaves++] = leaf;
}

/* Begin a group, around which `saved` sets are saved. */
static void begin_group(winnow__maker *m, winnow__made_group *g,
                        unsigned saved) {
    winnow__where_program *const program = &m->program->code;
    if (m->group[0].nested > WINNOW__WHERE_DEPTH)
        put_most_nested_first(m, g);
    if (saved > program->depth)
        program->depth = (uint16_t)saved;
}

/* Write all groups, beginning with the outermost. A first member that is a
 * group shares the set of its own group, unless that is the outermost. */
void winnow__write_groups(winnow__maker *m) {
    unsigned current = 0, saved = 0;
    for (unsigned i = m->groups; i-- > 0;)
        measure(m, &m->group[i]);
    begin_group(m, &m->group[0], 0);
    uint16_t member = m->group[0].first;
    while (member != WINNOW__NO_MEMBER || current != 0) {
        winnow__made_group *const g = &m->group[current];
        if (member == WINNOW__NO_MEMBER) {
            const winnow__made_group *const outer = &m->group[g->outer];
            const bool turns =
                g->outer != 0 && outer->first == WINNOW__OF_GROUP + current;
            write_op(m, turns ? WINNOW__WHERE_TURN : WINNOW__WHERE_CLOSE);
            saved -= !turns;
            member = g->next;
            current = g->outer;
        } else if (!winnow__is_group(member)) {
            write_leaf(m, &m->leaf[member]);
            member = m->leaf[member].next;
        } else {
            winnow__made_group *const inside = winnow__group_of(m, member);
            if (current == 0 || member != g->first) {
                write_op(m, WINNOW__WHERE_OPEN);
                saved++;
            }
            begin_group(m, inside, saved);
            inside->outer = (uint16_t)current;
            current = member - WINNOW__OF_GROUP;
            member = inside->first;
        }
    }
    m->program->code.nested = (uint16_t)m->group[0].nested;
}

void winnow__write_none(winnow__maker *m) {
    write_op(m, WINNOW__WHERE_OPEN);
    write_op(m, WINNOW__WHERE_CLOSE);
    m->program->code.depth = 1;
}
