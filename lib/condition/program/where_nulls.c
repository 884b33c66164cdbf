/*
 * The validity of columns with nulls, as leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include <string.h>

/* Which columns with nulls have a leaf that keeps none of them? */
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

/* In place of "null or test" a group that is taken out: "valid and not test". */
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

/* That of a column stands before its tests, as it has fewer words. */
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

/* Those that are added have it. */
void winnow__put_validity(winnow__maker *m) {
    const unsigned groups = m->groups;
    for (unsigned i = 0; i < groups; i++)
        if (!m->group[i].keeps_none)
            put_in_group(m, &m->group[i]);
}
