/*
 * From a condition to a program, in three passes:
 *
 *   1. groups: "not" is pushed to the tests, an "or" becomes a group that is
 *      taken out, and members of a group inside of which there is one more of
 *      the same kind are members of one;
 *   2. from the innermost group outwards: tests of one column in a group become
 *      one leaf where they can, what all items pass or none goes away, and a
 *      group of a single member becomes that member;
 *   3. the groups are written down, one inside of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_program.h"

#include "where_tests.h"

#include <string.h>

_Static_assert(WINNOW_CONDITION_MOST_COLUMNS == WINNOW__WHERE_MOST_COLUMNS &&
                   WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_TESTS,
               "what the header promises is what programs have room for");

enum {
    MOST = WINNOW__WHERE_MOST_TESTS,
    /* Members: leaves are below, group g is FIRST_GROUP + g. */
    FIRST_GROUP = MOST,
    MEMBERS = 2 * MOST + 1,
    NONE = 0xffff /* no member, test or leaf */
};

typedef struct leaf {
    const winnow__type_info *type;
    const struct winnow__set *set; /* NULL: it has tests, in a list, */
    bool is_bit;                   /* or is the bit of its column */
    const struct winnow__string_test *string; /* or this is not NULL */
    uint16_t first, last;
    uint16_t tests;
    uint8_t column;
    bool negated;  /* then it has a set, a bit, or two tests at least */
    bool inverted; /* of strings: they pass that fail the test */
    bool joined;   /* of several leaves: its tests are to be united */
} leaf;

typedef struct group {
    uint16_t first;  /* member; NONE: all items are kept */
    bool keeps_none; /* whatever its members say */
    int nested;      /* how deep groups are nested in it */
    int saved;       /* the fewest sets that are saved for those */
} group;

/* Lists are by numbers. A group has a larger number than the one it is in. */
typedef struct maker {
    winnow__where_program *program;
    winnow__compiled *compiled; /* which has it */
    unsigned leaves, groups;
    leaf leaf[MOST];
    group group[MOST];
    uint16_t next[MEMBERS];
    winnow__test test[MOST];
    uint16_t next_test[MOST];
} maker;

/* ------------------------------------------------------------------ groups */

static void add_member(maker *m, unsigned to, unsigned member) {
    m->next[member] = m->group[to].first;
    m->group[to].first = (uint16_t)member;
}

static unsigned add_group(maker *m) {
    m->group[m->groups] = (group){.first = NONE};
    return m->groups++;
}

static void add_leaf(maker *m, const winnow__node *node, bool negated,
                     unsigned column, unsigned to) {
    const uint16_t i = (uint16_t)m->leaves++;
    if (node->kind == WINNOW__NODE_STRING) {
        m->leaf[i] = (leaf){.string = node->string,
                            .column = (uint8_t)column,
                            .inverted = negated};
        add_member(m, to, i);
        return;
    }
    if (node->kind != WINNOW__NODE_TEST) {
        m->leaf[i] = (leaf){.set = node->set,
                            .is_bit = node->kind == WINNOW__NODE_BIT,
                            .column = (uint8_t)column,
                            .negated = negated};
        add_member(m, to, i);
        return;
    }
    m->test[i] =
        negated ? winnow__complement(node->type, &node->test) : node->test;
    m->next_test[i] = NONE;
    m->leaf[i] = (leaf){.type = node->type,
                        .first = i,
                        .last = i,
                        .tests = 1,
                        .column = (uint8_t)column};
    add_member(m, to, i);
}

/* Go through the tree from its end, with the subtrees that are still to come on
 * a stack: the last are done first, and put in front of their group's. */
static void make_groups(maker *m, const winnow_condition *condition,
                        const winnow__tested *tested) {
    struct {
        uint16_t group;
        bool negated;
    } stack[MOST + 1], to;
    unsigned depth = 1;
    stack[0].negated = false;
    stack[0].group = (uint16_t)add_group(m);
    for (unsigned i = condition->number; i-- > 0;) {
        const winnow__node *const node = &condition->nodes[i];
        to = stack[--depth];
        to.negated ^= node->negated;
        if (node->kind == WINNOW__NODE_TRUE) {
            m->group[to.group].keeps_none |= to.negated;
            continue;
        }
        if (winnow__is_leaf(node)) {
            add_leaf(m, node, to.negated,
                     winnow__place_of_tested(tested, node->column), to.group);
            continue;
        }
        const bool is_or = node->kind == WINNOW__NODE_OR;
        /* not (a and b); a or b, which is not (not a and not b) */
        if (to.negated != is_or) {
            const unsigned inside = add_group(m);
            add_member(m, to.group, FIRST_GROUP + inside);
            to.group = (uint16_t)inside;
        }
        to.negated = is_or;
        stack[depth++] = to;
        stack[depth++] = to;
    }
}

/* ------------------------------------------------------------------ leaves */

static unsigned take_tests(const maker *m, const leaf *l,
                           winnow__test tests[]) {
    unsigned number = 0;
    for (uint16_t t = l->first; t != NONE; t = m->next_test[t])
        tests[number++] = m->test[t];
    return number;
}

/* No more than it has. */
static void put_tests(maker *m, leaf *l, const winnow__test tests[],
                      unsigned number) {
    uint16_t t = l->first;
    for (unsigned i = 0; i < number; i++, t = m->next_test[t]) {
        m->test[t] = tests[i];
        l->last = t;
    }
    m->next_test[l->last] = NONE;
    l->tests = (uint16_t)number;
}

static void negate(maker *m, leaf *l) {
    if (l->tests == 1)
        m->test[l->first] = winnow__complement(l->type, &m->test[l->first]);
    else
        l->negated ^= true;
}

/* Have the leaf keep what passes none of its tests. False: it cannot. */
static bool turn(maker *m, leaf *l) {
    winnow__test *const tests = m->program->test; /* nothing is there yet */
    if (l->negated)
        return true;
    if (l->tests == 1) {
        negate(m, l);
    } else {
        const unsigned number = take_tests(m, l, tests);
        if (!winnow__complement_all(l->type, tests, number))
            return false;
        put_tests(m, l, tests, number);
    }
    l->negated = true;
    return true;
}

/* Have leaf a keep what both keep. False: it cannot. */
static bool join(maker *m, leaf *a, leaf *b) {
    if (!turn(m, a))
        return false;
    if (!turn(m, b)) {
        a->joined = true; /* a single test is not negated in the end */
        return false;
    }
    m->next_test[a->last] = b->first;
    a->last = b->last;
    a->tests = (uint16_t)(a->tests + b->tests);
    a->joined = true;
    return true;
}

/* Unite the tests of leaves that were joined; what the leaf keeps of all. */
static winnow__share settle(maker *m, leaf *l) {
    winnow__test *const tests = m->program->test; /* nothing is there yet */
    winnow__share share;
    unsigned number = take_tests(m, l, tests);
    l->joined = false;
    number = winnow__unite(l->type, tests, number, &share);
    if (number == 0) /* it is negated */
        return share == WINNOW__SHARE_ALL ? WINNOW__SHARE_NONE
                                          : WINNOW__SHARE_ALL;
    put_tests(m, l, tests, number);
    if (number == 1) {
        l->negated = false;
        negate(m, l);
    }
    return WINNOW__SHARE_SOME;
}

/* ---------------------------------------------------------------- simplify */

static bool is_group(unsigned member) {
    return member >= FIRST_GROUP;
}

/* Put what a nested group is, if it is less than a group, in its place. */
static void dissolve(maker *m, group *g, uint16_t *link) {
    const uint16_t member = *link, behind = m->next[member];
    const group *const nested = &m->group[member - FIRST_GROUP];
    const uint16_t first = nested->first;
    if (nested->keeps_none) {
        *link = behind; /* nothing is taken out */
    } else if (first == NONE) {
        g->keeps_none = true;
    } else if (m->next[first] == NONE && !is_group(first)) {
        negate(m, &m->leaf[first]);
        m->next[first] = behind;
        *link = first;
    } else if (m->next[first] == NONE) {
        uint16_t last = m->group[first - FIRST_GROUP].first;
        *link = last;
        while (m->next[last] != NONE)
            last = m->next[last];
        m->next[last] = behind;
    }
}

static void dissolve_groups(maker *m, group *g) {
    uint16_t *link = &g->first;
    while (*link != NONE && !g->keeps_none) {
        const uint16_t member = *link;
        if (is_group(member))
            dissolve(m, g, link);
        if (*link == member)
            link = &m->next[member];
    }
}

/* Of a column of bits: the group has one leaf, or keeps none. */
static bool join_bits(group *g, const leaf *a, const leaf *b) {
    g->keeps_none |= a->negated != b->negated;
    return true;
}

static void join_leaves(maker *m, group *g) {
    uint16_t of_column[WINNOW__WHERE_MOST_COLUMNS];
    uint16_t *link = &g->first;
    memset(of_column, 0xff, sizeof of_column); /* NONE */
    while (*link != NONE) {
        const uint16_t member = *link;
        if (!is_group(member) && m->leaf[member].set == NULL &&
            m->leaf[member].string == NULL) {
            leaf *const l = &m->leaf[member];
            uint16_t *const other = &of_column[l->column];
            if (*other != NONE && (l->is_bit ? join_bits(g, &m->leaf[*other], l)
                                             : join(m, &m->leaf[*other], l))) {
                *link = m->next[member];
                continue;
            }
            *other = member;
        }
        link = &m->next[member];
    }
}

static void settle_leaves(maker *m, group *g) {
    uint16_t *link = &g->first;
    while (*link != NONE) {
        const uint16_t member = *link;
        if (!is_group(member)) {
            leaf *const l = &m->leaf[member];
            const winnow__share share =
                l->joined       ? settle(m, l)
                : l->tests == 1 ? winnow__share_of(l->type, &m->test[l->first])
                                : WINNOW__SHARE_SOME;
            if (share == WINNOW__SHARE_NONE)
                g->keeps_none = true;
            if (share == WINNOW__SHARE_ALL) {
                *link = m->next[member];
                continue;
            }
        }
        link = &m->next[member];
    }
}

static void simplify(maker *m, group *g) {
    dissolve_groups(m, g);
    join_leaves(m, g);
    settle_leaves(m, g);
}

/* ------------------------------------------------------------------- depth */

/*
 * A set is saved for each group that a group is inside of. Where that is too
 * much, the member that needs the most sets goes first in each group: it begins
 * with the items that its group begins with, so that one set is saved for both.
 * A group needs one more than its members only if two of them need as many: of
 * 2^9 leaves, fewer than 10.
 */
static void measure(maker *m, group *g) {
    int most = -1, second = -1, nested = 0;
    for (uint16_t i = g->first; i != NONE; i = m->next[i]) {
        if (!is_group(i))
            continue;
        const group *const inside = &m->group[i - FIRST_GROUP];
        second = inside->saved > most     ? most
                 : inside->saved > second ? inside->saved
                                          : second;
        most = inside->saved > most ? inside->saved : most;
        nested = inside->nested >= nested ? inside->nested + 1 : nested;
    }
    g->nested = nested;
    g->saved = most > second + 1 ? most : second + 1;
}

static void put_most_nested_first(maker *m, group *g) {
    uint16_t *link = &g->first, *best = NULL;
    int most = -1;
    for (; *link != NONE; link = &m->next[*link])
        if (is_group(*link) && m->group[*link - FIRST_GROUP].saved > most) {
            most = m->group[*link - FIRST_GROUP].saved;
            best = link;
        }
    if (best == NULL)
        return;
    const uint16_t member = *best;
    *best = m->next[member];
    m->next[member] = g->first;
    g->first = member;
}

/* -------------------------------------------------------------------- write */

static void write_op(maker *m, uint16_t op) {
    m->program->op[m->program->ops++] = op;
}

static void write_leaf(maker *m, const leaf *l) {
    winnow__where_program *const program = m->program;
    write_op(m, program->leaves);
    if (l->is_bit) {
        program->leaf[program->leaves++] = (winnow__where_leaf){
            .tests = 1, .column = l->column, .negated = l->negated};
        return;
    }
    if (l->string != NULL) {
        m->compiled->string[m->compiled->strings] = (winnow__where_string){
            .test = l->string, .column = l->column, .inverted = l->inverted};
        program->leaf[program->leaves++] =
            (winnow__where_leaf){.first = (uint16_t)m->compiled->strings++,
                                 .tests = 1,
                                 .column = l->column,
                                 .negated = l->negated};
        return;
    }
    if (l->set != NULL) {
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
                   take_tests(m, l, program->test + program->tests));
}

/* `saved` sets are saved outside of the group. */
static void write_group(maker *m, group *g, unsigned saved) {
    const bool is_outermost = g == &m->group[0];
    if (m->group[0].nested > WINNOW__WHERE_DEPTH)
        put_most_nested_first(m, g);
    if (saved > m->program->depth)
        m->program->depth = (uint16_t)saved;
    for (uint16_t i = g->first; i != NONE; i = m->next[i]) {
        if (!is_group(i)) {
            write_leaf(m, &m->leaf[i]);
        } else if (i == g->first && !is_outermost) {
            write_group(m, &m->group[i - FIRST_GROUP], saved);
            write_op(m, WINNOW__WHERE_TURN);
        } else {
            write_op(m, WINNOW__WHERE_OPEN);
            write_group(m, &m->group[i - FIRST_GROUP], saved + 1);
            write_op(m, WINNOW__WHERE_CLOSE);
        }
    }
}

/* All items are taken out. */
static void write_none(maker *m) {
    write_op(m, WINNOW__WHERE_OPEN);
    write_op(m, WINNOW__WHERE_CLOSE);
    m->program->depth = 1;
}

void winnow__compile(const winnow_condition *condition,
                     const winnow__tested *tested, winnow__compiled *compiled) {
    winnow__where_program *const program = &compiled->program;
    maker m;
    m.program = program;
    m.compiled = compiled;
    compiled->sets = compiled->strings = 0;
    m.leaves = m.groups = 0;
    program->ops = program->depth = program->leaves = program->tests = 0;
    program->column_count = (uint16_t)tested->number;
    make_groups(&m, condition, tested);
    for (unsigned i = m.groups; i-- > 0;) {
        simplify(&m, &m.group[i]);
        measure(&m, &m.group[i]);
    }
    if (m.group[0].keeps_none)
        write_none(&m);
    else
        write_group(&m, &m.group[0], 0);
    program->nested = (uint16_t)m.group[0].nested;
}

bool winnow__make_small(const winnow__where_program *program,
                        winnow__where_small *small) {
    if (program->column_count > WINNOW__WHERE_COLUMNS ||
        program->tests > WINNOW__WHERE_TESTS ||
        program->leaves > WINNOW__WHERE_TESTS)
        return false;
    small->ops = program->ops;
    small->depth = program->depth;
    small->nested = program->nested;
    small->column_count = program->column_count;
    small->leaves = program->leaves;
    small->tests = program->tests;
    memcpy(small->columns, program->columns,
           program->column_count * sizeof program->columns[0]);
    memcpy(small->leaf, program->leaf,
           program->leaves * sizeof program->leaf[0]);
    memcpy(small->op, program->op, program->ops * sizeof program->op[0]);
    memcpy(small->test, program->test,
           program->tests * sizeof program->test[0]);
    return true;
}
