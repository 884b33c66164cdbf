/*
 * The groups of a condition's tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include <string.h>

/* -------------------------------------------------------------------- nulls */

/* Find the columns with nulls that have a leaf which keeps no null. */
static void find_valid(const winnow__maker *m, const winnow__made_group *g,
                       bool valid[]) {
    memset(valid, 0, WINNOW_CONDITION_MOST_COLUMNS * sizeof valid[0]);
    for (uint16_t i = g->first; i != WINNOW__NO_MEMBER;
         i = *winnow__next_of(m, i))
        if (!winnow__is_group(i) && m->nulls->elements[m->leaf[i].column] &&
            !m->leaf[i].keeps_nulls &&
            !(m->leaf[i].kind == WINNOW__LEAF_VALID && m->leaf[i].negated))
            valid[m->leaf[i].column] = true;
}

static uint16_t valid_leaf(winnow__maker *m, uint8_t column) {
    return winnow__add_leaf(
        m, (winnow__made_leaf){.kind = WINNOW__LEAF_VALID, .column = column});
}

/* Replace "null or test" by the complement of a group: "valid and not test". */
static void put_group(winnow__maker *m, uint16_t *link) {
    const uint16_t member = *link, behind = *winnow__next_of(m, member);
    winnow__made_leaf *const l = &m->leaf[member];
    const unsigned inside = winnow__add_group(m);
    const uint16_t valid = valid_leaf(m, l->column);
    winnow__negate_leaf(m, l);
    m->group[inside].first = valid;
    *winnow__next_of(m, valid) = member;
    *winnow__next_of(m, member) = WINNOW__NO_MEMBER;
    *link = (uint16_t)(WINNOW__OF_GROUP + inside);
    *winnow__next_of(m, *link) = behind;
}

/* The leaf of validity comes before the column's tests, as it has fewer words. */
static void put_in_group(winnow__maker *m, winnow__made_group *g) {
    bool valid[WINNOW_CONDITION_MOST_COLUMNS];
    bool stands[WINNOW_CONDITION_MOST_COLUMNS] = {false};
    find_valid(m, g, valid);
    for (uint16_t *link = &g->first; *link != WINNOW__NO_MEMBER;
         link = winnow__next_of(m, *link)) {
        const uint16_t member = *link;
        if (winnow__is_group(member))
            continue;
        const winnow__made_leaf *const l = &m->leaf[member];
        if (!m->nulls->elements[l->column] ||
            (l->kind == WINNOW__LEAF_VALID && l->negated) || stands[l->column])
            continue;
        if (!valid[l->column]) {
            put_group(m, link);
            continue;
        }
        stands[l->column] = true;
        if (l->kind != WINNOW__LEAF_VALID) {
            const uint16_t before = valid_leaf(m, l->column);
            *winnow__next_of(m, before) = member;
            *link = before;
        }
    }
}

/* The groups that are added have their validity already. */
void winnow__put_validity(winnow__maker *m) {
    const unsigned groups = m->groups;
    for (unsigned i = 0; i < groups; i++)
        if (!m->group[i].keeps_none)
            put_in_group(m, &m->group[i]);
}

static void add_member(winnow__maker *m, unsigned to, unsigned member) {
    *winnow__next_of(m, member) = m->group[to].first;
    m->group[to].first = (uint16_t)member;
}

/* The question to a node: is it true or, if `is_false`, false; and is the
 * answer complemented? */
typedef struct question {
    uint16_t group; /* the group that gets the answer as a member */
    bool is_false, complemented;
} question;

static void add_leaf_of(winnow__maker *m, const winnow__node *node,
                        const question *asked, unsigned column) {
    const bool negated = asked->is_false != asked->complemented;
    winnow__made_leaf made = {.type = node->type,
                              .set = node->set,
                              .column = (uint8_t)column,
                              .negated = negated,
                              .keeps_nulls = m->nulls->elements[column] &&
                                             asked->complemented};
    switch (node->kind) {
    case WINNOW__NODE_SET:
        made.kind = WINNOW__LEAF_SET;
        break;
    case WINNOW__NODE_BIT:
        made.kind = WINNOW__LEAF_BIT;
        break;
    case WINNOW__NODE_STRING:
        /* An index outside of the dictionary is unknown. So the test is inverted
         * before the index is checked, and the answer is negated afterwards. */
        made.kind = WINNOW__LEAF_STRING;
        made.string = node->string;
        made.inverted = asked->is_false;
        made.negated = asked->complemented;
        break;
    case WINNOW__NODE_VALID:
        /* For a null this is false, and not unknown. */
        made.keeps_nulls = m->nulls->elements[column] && negated;
        if (m->nulls->values[column]) {
            made.kind = WINNOW__LEAF_STRING;
            break;
        }
        if (!m->nulls->elements[column]) {
            m->group[asked->group].keeps_none |= negated;
            return;
        }
        made.kind = WINNOW__LEAF_VALID;
        made.keeps_nulls = false;
        break;
    default:
        m->test[m->leaves] =
            negated ? winnow__complement(node->type, &node->test) : node->test;
        m->next_test[m->leaves] = WINNOW__NO_MEMBER;
        made.first = made.last = (uint16_t)m->leaves;
        made.tests = 1;
        made.negated = false;
    }
    add_member(m, asked->group, winnow__add_leaf(m, made));
}

/* Walk through the tree from its end. Subtrees that are not done yet are on a
 * stack: the last ones are done first, and are put first in their groups. */
void winnow__make_groups(winnow__maker *m) {
    const winnow_condition *const condition = m->condition;
    question stack[WINNOW__WHERE_MOST_TESTS + 1], asked;
    unsigned depth = 1;
    stack[0] = (question){.group = (uint16_t)winnow__add_group(m)};
    for (unsigned i = condition->number; i-- > 0;) {
        const winnow__node *const node = &condition->nodes[i];
        asked = stack[--depth];
        asked.is_false ^= node->negated;
        if (winnow__is_leaf(node)) {
            add_leaf_of(m, node, &asked,
                        winnow__place_of_tested(&condition->tested, node));
            continue;
        }
        switch (node->kind) {
        case WINNOW__NODE_TRUE:
            m->group[asked.group].keeps_none |=
                asked.is_false != asked.complemented;
            continue;
        case WINNOW__NODE_UNKNOWN: /* neither true nor false */
            m->group[asked.group].keeps_none |= !asked.complemented;
            continue;
        case WINNOW__NODE_IS_TRUE: /* false where it is not true */
            asked.complemented ^= asked.is_false;
            asked.is_false = false;
            stack[depth++] = asked;
            continue;
        default:
            break;
        }
        /* If the question is whether it is false, "and" becomes "or". */
        const bool is_or = (node->kind == WINNOW__NODE_OR) != asked.is_false;
        /* not (a and b); a or b, which is not (not a and not b) */
        if (asked.complemented != is_or) {
            const unsigned inside = winnow__add_group(m);
            add_member(m, asked.group, WINNOW__OF_GROUP + inside);
            asked.group = (uint16_t)inside;
        }
        asked.complemented = is_or;
        stack[depth++] = asked;
        stack[depth++] = asked;
    }
}
