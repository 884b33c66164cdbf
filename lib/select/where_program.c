/*
 * From a condition to a program, in four passes:
 *
 *   1. groups: "not" is pushed to the tests, an "or" becomes a group that is
 *      taken out, and members of a group inside of which there is one more of
 *      the same kind are members of one;
 *   2. from the innermost group outwards: tests of one column in a group become
 *      one leaf where they can, what all items pass or none goes away, and a
 *      group of a single member becomes that member;
 *   3. columns with nulls: their validity becomes a leaf of its own;
 *   4. the groups are written down, one inside of another.
 *
 * A condition has three values, and what is kept is where it is true. A node is
 * asked whether it is true, or whether it is false, and the answer may be wanted
 * complemented, in a group that is taken out. So a leaf of a column with nulls is
 * "valid and test", or the complement of that, "null or test": then it keeps
 * nulls. In a group, which is an "and", "valid and a" with "null or b" is "valid
 * and a and b".
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_program.h"

#include "where_tests.h"

#include <string.h>

_Static_assert(2 * WINNOW_CONDITION_MOST_COLUMNS ==
                       WINNOW__WHERE_MOST_COLUMNS &&
                   WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_TESTS &&
                   2 * WINNOW_CONDITION_MOST_TESTS == WINNOW__WHERE_MOST_LEAVES,
               "what the header promises is what programs have room for, with "
               "a validity of each column and beside each leaf");

enum {
    MOST = WINNOW__WHERE_MOST_TESTS,
    /* With those of validity, and groups as many. */
    MOST_LEAVES = WINNOW__WHERE_MOST_LEAVES,
    /* Members: leaves are below, group g is FIRST_GROUP + g. */
    FIRST_GROUP = MOST_LEAVES,
    MEMBERS = 2 * MOST_LEAVES,
    NONE = 0xffff /* no member, test or leaf */
};

typedef enum leaf_kind {
    LEAF_TESTS, /* in a list */
    LEAF_SET,
    LEAF_BIT, /* of its column */
    LEAF_STRING,
    LEAF_VALID /* the element is not null */
} leaf_kind;

typedef struct leaf {
    const winnow__type_info *type;
    const struct winnow__set *set;
    const struct winnow__string_test *string;
    leaf_kind kind;
    uint16_t first, last;
    uint16_t tests; /* 0 of other kinds */
    uint8_t column;
    bool negated;  /* then it is of another kind, or has two tests at least */
    bool inverted; /* of strings: they pass that fail the test */
    bool joined;   /* of several leaves: its tests are to be united */
    bool keeps_nulls; /* of a column with nulls, and not LEAF_VALID */
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
    const bool *nullable;       /* which columns have a validity */
    const bool *null_values;    /* and which a dictionary with one */
    unsigned leaves, groups;
    leaf leaf[MOST_LEAVES];
    group group[MOST_LEAVES];
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

static uint16_t new_leaf(maker *m, leaf made) {
    m->leaf[m->leaves] = made;
    return (uint16_t)m->leaves++;
}

/* What is asked of a node: whether it is true or, `is_false`, false; and whether
 * the answer is complemented. */
typedef struct question {
    uint16_t group; /* which the answer is a member of */
    bool is_false, complemented;
} question;

static void add_leaf(maker *m, const winnow__node *node, const question *asked,
                     unsigned column) {
    const bool negated = asked->is_false != asked->complemented;
    leaf made = {.type = node->type,
                 .set = node->set,
                 .column = (uint8_t)column,
                 .negated = negated,
                 .keeps_nulls = m->nullable[column] && asked->complemented};
    switch (node->kind) {
    case WINNOW__NODE_SET:
        made.kind = LEAF_SET;
        break;
    case WINNOW__NODE_BIT:
        made.kind = LEAF_BIT;
        break;
    case WINNOW__NODE_STRING:
        /* What no value of a dictionary is is unknown: the test is turned around
         * before that is known, and the answer afterwards. */
        made.kind = LEAF_STRING;
        made.string = node->string;
        made.inverted = asked->is_false;
        made.negated = asked->complemented;
        break;
    case WINNOW__NODE_VALID:
        /* Of a null it is false, and not unknown. */
        made.keeps_nulls = m->nullable[column] && negated;
        if (m->null_values[column]) {
            made.kind = LEAF_STRING;
            break;
        }
        if (!m->nullable[column]) {
            m->group[asked->group].keeps_none |= negated;
            return;
        }
        made.kind = LEAF_VALID;
        made.keeps_nulls = false;
        break;
    default:
        m->test[m->leaves] =
            negated ? winnow__complement(node->type, &node->test) : node->test;
        m->next_test[m->leaves] = NONE;
        made.first = made.last = (uint16_t)m->leaves;
        made.tests = 1;
        made.negated = false;
    }
    add_member(m, asked->group, new_leaf(m, made));
}

/* Go through the tree from its end, with the subtrees that are still to come on
 * a stack: the last are done first, and put in front of their group's. */
static void make_groups(maker *m, const winnow_condition *condition,
                        const winnow__tested *tested) {
    question stack[MOST + 1], asked;
    unsigned depth = 1;
    stack[0] = (question){.group = (uint16_t)add_group(m)};
    for (unsigned i = condition->number; i-- > 0;) {
        const winnow__node *const node = &condition->nodes[i];
        asked = stack[--depth];
        asked.is_false ^= node->negated;
        if (winnow__is_leaf(node)) {
            add_leaf(m, node, &asked, winnow__place_of_tested(tested, node));
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
        /* Of those asked whether they are false, "and" is "or". */
        const bool is_or = (node->kind == WINNOW__NODE_OR) != asked.is_false;
        /* not (a and b); a or b, which is not (not a and not b) */
        if (asked.complemented != is_or) {
            const unsigned inside = add_group(m);
            add_member(m, asked.group, FIRST_GROUP + inside);
            asked.group = (uint16_t)inside;
        }
        asked.complemented = is_or;
        stack[depth++] = asked;
        stack[depth++] = asked;
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

static void negate_test(maker *m, leaf *l) {
    if (l->tests == 1)
        m->test[l->first] = winnow__complement(l->type, &m->test[l->first]);
    else
        l->negated ^= true;
}

/* Have the leaf keep all that it does not. */
static void negate(maker *m, leaf *l) {
    negate_test(m, l);
    l->keeps_nulls ^= m->nullable[l->column] && l->kind != LEAF_VALID;
}

/* Have the leaf keep what passes none of its tests. False: it cannot. */
static bool turn(maker *m, leaf *l) {
    winnow__test *const tests = m->program->test; /* nothing is there yet */
    if (l->negated)
        return true;
    if (l->tests == 1) {
        negate_test(m, l);
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
    a->keeps_nulls &= b->keeps_nulls;
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
        negate_test(m, l);
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

/* Of bits, of a column or of its validity: the group has one leaf a, or keeps
 * none, or nulls alone. */
static bool join_bits(group *g, leaf *a, const leaf *b) {
    const bool keep_nulls = a->keeps_nulls && b->keeps_nulls;
    if (a->negated != b->negated && !keep_nulls)
        g->keeps_none = true;
    else if (a->negated != b->negated)
        *a = (leaf){.kind = LEAF_VALID, .column = a->column, .negated = true};
    else
        a->keeps_nulls = keep_nulls;
    return true;
}

static void join_leaves(maker *m, group *g) {
    uint16_t of_column[2][WINNOW_CONDITION_MOST_COLUMNS]; /* [1]: validity */
    uint16_t *link = &g->first;
    memset(of_column, 0xff, sizeof of_column); /* NONE */
    while (*link != NONE) {
        const uint16_t member = *link;
        if (!is_group(member) && m->leaf[member].kind != LEAF_SET &&
            m->leaf[member].kind != LEAF_STRING) {
            leaf *const l = &m->leaf[member];
            uint16_t *const other =
                &of_column[l->kind == LEAF_VALID][l->column];
            if (*other != NONE &&
                (l->kind == LEAF_TESTS ? join(m, &m->leaf[*other], l)
                                       : join_bits(g, &m->leaf[*other], l))) {
                *link = m->next[member];
                continue;
            }
            *other = member;
        }
        link = &m->next[member];
    }
}

/* What is left of a leaf that all elements pass or none: false if nothing is. */
static bool settle_leaf(maker *m, group *g, leaf *l) {
    const winnow__share share =
        l->joined       ? settle(m, l)
        : l->tests == 1 ? winnow__share_of(l->type, &m->test[l->first])
                        : WINNOW__SHARE_SOME;
    const bool passes = share == WINNOW__SHARE_ALL;
    if (share == WINNOW__SHARE_SOME)
        return true;
    if (m->nullable[l->column] && l->keeps_nulls != passes) {
        *l =
            (leaf){.kind = LEAF_VALID, .column = l->column, .negated = !passes};
        return true;
    }
    g->keeps_none |= !passes;
    return false;
}

static void settle_leaves(maker *m, group *g) {
    uint16_t *link = &g->first;
    while (*link != NONE) {
        const uint16_t member = *link;
        if (is_group(member) || settle_leaf(m, g, &m->leaf[member]))
            link = &m->next[member];
        else
            *link = m->next[member];
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

/* ---------------------------------------------------------------- validity */

/* Which columns with nulls have a leaf that keeps none of them? */
static void find_valid(const maker *m, const group *g, bool valid[]) {
    memset(valid, 0, WINNOW_CONDITION_MOST_COLUMNS * sizeof valid[0]);
    for (uint16_t i = g->first; i != NONE; i = m->next[i])
        if (!is_group(i) && m->nullable[m->leaf[i].column] &&
            !m->leaf[i].keeps_nulls &&
            !(m->leaf[i].kind == LEAF_VALID && m->leaf[i].negated))
            valid[m->leaf[i].column] = true;
}

static uint16_t valid_leaf(maker *m, uint8_t column) {
    return new_leaf(m, (leaf){.kind = LEAF_VALID, .column = column});
}

/* In place of "null or test" a group that is taken out: "valid and not test". */
static void put_group(maker *m, uint16_t *link) {
    const uint16_t member = *link, behind = m->next[member];
    leaf *const l = &m->leaf[member];
    const unsigned inside = add_group(m);
    const uint16_t valid = valid_leaf(m, l->column);
    negate(m, l);
    m->group[inside].first = valid;
    m->next[valid] = member;
    m->next[member] = NONE;
    *link = (uint16_t)(FIRST_GROUP + inside);
    m->next[*link] = behind;
    measure(m, &m->group[inside]);
}

/* Make leaves of the validity of columns with nulls, in a group that is written,
 * and in those inside of it. That of a column stands before its tests, as it has
 * fewer words. */
static void put_validity(maker *m, group *g) {
    bool valid[WINNOW_CONDITION_MOST_COLUMNS];
    bool stands[WINNOW_CONDITION_MOST_COLUMNS] = {false};
    find_valid(m, g, valid);
    for (uint16_t *link = &g->first; *link != NONE; link = &m->next[*link]) {
        const uint16_t member = *link;
        if (is_group(member)) {
            put_validity(m, &m->group[member - FIRST_GROUP]);
            continue;
        }
        const leaf *const l = &m->leaf[member];
        if (!m->nullable[l->column] || (l->kind == LEAF_VALID && l->negated) ||
            stands[l->column])
            continue;
        if (!valid[l->column]) {
            put_group(m, link);
            continue;
        }
        stands[l->column] = true;
        if (l->kind != LEAF_VALID) {
            const uint16_t before = valid_leaf(m, l->column);
            m->next[before] = member;
            *link = before;
        }
    }
    measure(m, g);
}

/* -------------------------------------------------------------------- write */

static void write_op(maker *m, uint16_t op) {
    m->program->op[m->program->ops++] = op;
}

/* The column of the program that is the validity of another one. */
static unsigned validity_of(maker *m, uint8_t column) {
    winnow__where_program *const program = m->program;
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

static void write_leaf(maker *m, const leaf *l) {
    winnow__where_program *const program = m->program;
    write_op(m, program->leaves);
    if (l->kind == LEAF_BIT || l->kind == LEAF_VALID) {
        const unsigned column =
            l->kind == LEAF_BIT ? l->column : validity_of(m, l->column);
        program->leaf[program->leaves++] = (winnow__where_leaf){
            .tests = 1, .column = (uint8_t)column, .negated = l->negated};
        return;
    }
    if (l->kind == LEAF_STRING) {
        m->compiled->string[m->compiled->strings] = (winnow__where_string){
            .test = l->string, .column = l->column, .inverted = l->inverted};
        program->leaf[program->leaves++] =
            (winnow__where_leaf){.first = (uint16_t)m->compiled->strings++,
                                 .tests = 1,
                                 .column = l->column,
                                 .negated = l->negated};
        return;
    }
    if (l->kind == LEAF_SET) {
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
                     const winnow__tested *tested, const winnow__nulls *nulls,
                     winnow__compiled *compiled) {
    winnow__where_program *const program = &compiled->program;
    maker m;
    m.program = program;
    m.compiled = compiled;
    m.nullable = nulls->elements;
    m.null_values = nulls->values;
    compiled->sets = compiled->strings = 0;
    m.leaves = m.groups = 0;
    program->ops = program->depth = program->leaves = program->tests = 0;
    program->column_count = (uint16_t)tested->number;
    for (unsigned i = 0; i < tested->number; i++)
        compiled->part[i] = (winnow__part){.tested = (uint8_t)i};
    make_groups(&m, condition, tested);
    for (unsigned i = m.groups; i-- > 0;)
        simplify(&m, &m.group[i]);
    if (m.group[0].keeps_none) {
        write_none(&m);
    } else {
        put_validity(&m, &m.group[0]);
        write_group(&m, &m.group[0], 0);
    }
    program->nested = (uint16_t)m.group[0].nested;
}

bool winnow__make_small(const winnow__where_program *program,
                        winnow__where_small *small) {
    if (program->column_count > WINNOW__WHERE_COLUMNS ||
        program->tests > WINNOW__WHERE_TESTS ||
        program->leaves > WINNOW__WHERE_LEAVES)
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
