/*
 * Simplifies a group: merges leaves of one column, and removes groups of one
 * member, tests that all items pass, and tests that none passes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include <string.h>

/* If a nested group is equivalent to something simpler, put that in its place.
 * No member is in two groups. */
static void dissolve(winnow__maker *m, winnow__made_group *g, uint16_t *link) {
    const uint16_t member = *link, behind = *winnow__next_of(m, member);
    winnow__made_group *const nested = winnow__group_of(m, member);
    const uint16_t first = nested->first;
    if (nested->keeps_none) {
        *link = behind; /* the group keeps everything: remove it */
    } else if (first == WINNOW__NO_MEMBER) {
        g->keeps_none = true;
    } else if (*winnow__next_of(m, first) == WINNOW__NO_MEMBER &&
               !winnow__is_group(first)) {
        winnow__negate_leaf(m, &m->leaf[first]);
        *winnow__next_of(m, first) = behind;
        *link = first;
        nested->first = WINNOW__NO_MEMBER;
    } else if (*winnow__next_of(m, first) == WINNOW__NO_MEMBER) {
        winnow__made_group *const inside = winnow__group_of(m, first);
        uint16_t last = inside->first;
        *link = last;
        nested->first = inside->first = WINNOW__NO_MEMBER;
        while (*winnow__next_of(m, last) != WINNOW__NO_MEMBER)
            last = *winnow__next_of(m, last);
        *winnow__next_of(m, last) = behind;
    }
}

static void dissolve_groups(winnow__maker *m, winnow__made_group *g) {
    uint16_t *link = &g->first;
    while (*link != WINNOW__NO_MEMBER && !g->keeps_none) {
        const uint16_t member = *link;
        if (winnow__is_group(member))
            dissolve(m, g, link);
        if (*link == member)
            link = winnow__next_of(m, member);
    }
}

/* Make the leaf keep the elements that are not null, or, if negated, those that are. */
static void be_validity(winnow__made_leaf *l, bool negated) {
    *l = (winnow__made_leaf){.kind = WINNOW__LEAF_VALID,
                             .next = l->next,
                             .column = l->column,
                             .negated = negated};
}

/* Join two leaves of the same bits, of a column or of its validity: a remains in the
 * group; or the group keeps nothing; or only nulls, which a later leaf may keep. */
static bool join_bits(winnow__made_group *g, winnow__made_leaf *a,
                      const winnow__made_leaf *b) {
    const bool keep_nulls = a->keeps_nulls && b->keeps_nulls;
    if (a->kind != b->kind)
        g->keeps_none |= !b->keeps_nulls;
    else if (a->negated != b->negated && !keep_nulls)
        g->keeps_none = true;
    else if (a->negated != b->negated)
        be_validity(a, true);
    else
        a->keeps_nulls = keep_nulls;
    return true;
}

static void join_leaves(winnow__maker *m, winnow__made_group *g) {
    uint16_t of_column[2][WINNOW_CONDITION_MOST_COLUMNS]; /* [1]: validity */
    uint16_t *link = &g->first;
    memset(of_column, 0xff, sizeof of_column); /* WINNOW__NO_MEMBER */
    while (*link != WINNOW__NO_MEMBER) {
        const uint16_t member = *link;
        if (!winnow__is_group(member) &&
            m->leaf[member].kind != WINNOW__LEAF_SET &&
            m->leaf[member].kind != WINNOW__LEAF_STRING) {
            winnow__made_leaf *const l = &m->leaf[member];
            uint16_t *const other =
                &of_column[l->kind == WINNOW__LEAF_VALID][l->column];
            if (*other != WINNOW__NO_MEMBER &&
                (l->kind == WINNOW__LEAF_TESTS
                     ? winnow__join_leaf(m, &m->leaf[*other], l)
                     : join_bits(g, &m->leaf[*other], l))) {
                *link = *winnow__next_of(m, member);
                continue;
            }
            *other = member;
        }
        link = winnow__next_of(m, member);
    }
}

/* Simplify a leaf that all elements pass, or none. False: it can be removed. */
static bool settle_leaf(winnow__maker *m, winnow__made_group *g,
                        winnow__made_leaf *l) {
    const winnow__share share =
        l->joined       ? winnow__settle_leaf(m, l)
        : l->tests == 1 ? winnow__share_of(l->type, &m->test[l->first])
                        : WINNOW__SHARE_SOME;
    const bool passes = share == WINNOW__SHARE_ALL;
    if (share == WINNOW__SHARE_SOME)
        return true;
    if (m->nulls->elements[l->column] && l->keeps_nulls != passes) {
        be_validity(l, !passes);
        return true;
    }
    g->keeps_none |= !passes;
    return false;
}

static void settle_leaves(winnow__maker *m, winnow__made_group *g) {
    uint16_t *link = &g->first;
    while (*link != WINNOW__NO_MEMBER) {
        const uint16_t member = *link;
        if (winnow__is_group(member) || settle_leaf(m, g, &m->leaf[member]))
            link = winnow__next_of(m, member);
        else
            *link = *winnow__next_of(m, member);
    }
}

void winnow__simplify_group(winnow__maker *m, winnow__made_group *g) {
    dissolve_groups(m, g);
    join_leaves(m, g);
    settle_leaves(m, g);
}
