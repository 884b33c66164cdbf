/*
 * The operations of a program, from its groups.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

/*
 * A set is saved for each group that a group is inside of. Where that is too
 * much, the member that needs the most sets goes first in each group: it begins
 * with the items that its group begins with, so that one set is saved for both.
 * A group needs one more than its members only if two of them need as many: of
 * 2^9 leaves, fewer than 10.
 */
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
    winnow__where_program *const program = &m->compiled->program;
    program->op[program->ops++] = op;
}

/* The column of the program that is the validity of another one. */
static unsigned validity_of(winnow__maker *m, uint8_t column) {
    winnow__where_program *const program = &m->compiled->program;
    winnow__part *const part = m->compiled->part;
    unsigned i = 0;
    while (i < program->column_count &&
           !(part[i].is_validity && part[i].tested == column))
        i++;
    if (i == program->column_count)
        part[program->column_count++] =
            (winnow__part){.tested = column, .is_validity = true};
    return i;
}

static void write_leaf(winnow__maker *m, const winnow__made_leaf *l) {
    winnow__where_program *const program = &m->compiled->program;
    write_op(m, program->leaves);
    if (l->kind == WINNOW__LEAF_BIT || l->kind == WINNOW__LEAF_VALID) {
        const unsigned column =
            l->kind == WINNOW__LEAF_BIT ? l->column : validity_of(m, l->column);
        program->leaf[program->leaves++] = (winnow__where_leaf){
            .tests = 1, .column = (uint8_t)column, .negated = l->negated};
        return;
    }
    if (l->kind == WINNOW__LEAF_STRING) {
        m->compiled->string[m->compiled->strings] = (winnow__where_string){
            .test = l->string, .column = l->column, .inverted = l->inverted};
        program->leaf[program->leaves++] =
            (winnow__where_leaf){.first = (uint16_t)m->compiled->strings++,
                                 .tests = 1,
                                 .column = l->column,
                                 .negated = l->negated};
        return;
    }
    if (l->kind == WINNOW__LEAF_SET) {
        program->leaf[program->leaves++] =
            (winnow__where_leaf){.first = (uint16_t)m->compiled->sets,
                                 .column = l->column,
                                 .negated = l->negated};
        m->compiled->set[m->compiled->sets++] = l->set;
        return;
    }
    program->leaf[program->leaves++] =
        (winnow__where_leaf){.first = program->tests,
                             .tests = l->tests,
                             .column = l->column,
                             .negated = l->negated};
    program->tests =
        (uint16_t)(program->tests +
                   winnow__take_tests(m, l, program->test + program->tests));
}

/* A group begins, outside of which `saved` sets are saved. */
static void begin_group(winnow__maker *m, winnow__made_group *g,
                        unsigned saved) {
    winnow__where_program *const program = &m->compiled->program;
    if (m->group[0].nested > WINNOW__WHERE_DEPTH)
        put_most_nested_first(m, g);
    if (saved > program->depth)
        program->depth = (uint16_t)saved;
}

/* From a member on, to the end of the outermost group. A first member that is a
 * group begins with the set of its own group, unless that is the outermost. */
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
    m->compiled->program.nested = (uint16_t)m->group[0].nested;
}

void winnow__write_none(winnow__maker *m) {
    write_op(m, WINNOW__WHERE_OPEN);
    write_op(m, WINNOW__WHERE_CLOSE);
    m->compiled->program.depth = 1;
}
