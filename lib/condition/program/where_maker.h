/*
 * A condition on its way to a program, in four passes:
 *
 *   1. groups: "not" is pushed to the tests, an "or" becomes a group that is
 *      taken out, and members of a group inside of which there is one more of
 *      the same kind are members of one (where_groups.c);
 *   2. from the innermost group outwards: tests of one column in a group become
 *      one leaf where they can, what all items pass or none goes away, and a
 *      group of a single member becomes that member (where_simplify.c, by the
 *      tests of where_tests.c);
 *   3. columns with nulls: their validity becomes a leaf of its own
 *      (where_groups.c);
 *   4. the groups are written down, one inside of another (where_write.c).
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
#pragma once

#include "where_program.h"

/* ---- where_tests.c: tests of one column. */
/* How many elements of the type pass a test. */
typedef enum winnow__share {
    WINNOW__SHARE_NONE,
    WINNOW__SHARE_SOME, /* or it is not known */
    WINNOW__SHARE_ALL
} winnow__share;

winnow__share winnow__share_of(const winnow__type_info *type,
                               const winnow__test *test);

/* A test that elements pass if and only if they fail this one. */
winnow__test winnow__complement(const winnow__type_info *type,
                                const winnow__test *test);

/* The patterns from low to high, which wrap around if low > high. */
typedef struct winnow__arc {
    uint64_t low, high;
} winnow__arc;

/* Leaves, groups and tests are in lists, and named by an index. A member of a
 * group is the index of a leaf, or OF_GROUP plus the index of a group. */
enum {
    WINNOW__OF_GROUP = 0x8000,
    WINNOW__NO_MEMBER = 0xffff /* neither test, leaf nor group */
};

typedef enum winnow__leaf_kind {
    WINNOW__LEAF_TESTS, /* in a list */
    WINNOW__LEAF_SET,
    WINNOW__LEAF_BIT, /* of its column */
    WINNOW__LEAF_STRING,
    WINNOW__LEAF_VALID /* the element is not null */
} winnow__leaf_kind;

typedef struct winnow__made_leaf {
    const winnow__type_info *type;
    const struct winnow__set *set;
    const struct winnow__string_test *string;
    winnow__leaf_kind kind;
    uint16_t next; /* next member of the group */
    uint16_t first, last;
    uint16_t tests; /* 0 for other kinds */
    uint8_t column;
    bool negated;  /* not for a single test, which is complemented instead */
    bool inverted; /* strings pass if they fail the test */
    bool joined;   /* from several leaves: its tests still have to be united */
    bool keeps_nulls; /* its column has nulls; not for WINNOW__LEAF_VALID */
} winnow__made_leaf;

/* Its index is larger than that of the group that contains it. */
typedef struct winnow__made_group {
    uint16_t next;   /* next member of the containing group */
    uint16_t first;  /* first member; WINNOW__NO_MEMBER: keeps all items */
    uint16_t outer;  /* while it is written: the containing group */
    bool keeps_none; /* whatever its members keep */
    int nested;      /* depth of the groups nested in it */
    int saved;       /* the fewest sets that have to be saved for these */
} winnow__made_group;

/* Columns that may have nulls: in their validity; or among a dictionary's
 * values, if the condition only asks for nulls and strings of the column. */
typedef struct winnow__nulls {
    bool elements[WINNOW_CONDITION_MOST_COLUMNS];
    bool values[WINNOW_CONDITION_MOST_COLUMNS];
} winnow__nulls;

/* For a condition of T tests: 2T leaves (with those of validity), 2T groups, T
 * tests and 2T arcs. */
typedef struct winnow__maker {
    winnow__program *program;
    const winnow_condition *condition;
    const winnow__nulls *nulls;
    unsigned leaves, groups;
    winnow__made_leaf *leaf;
    winnow__made_group *group;
    winnow__test *test;
    uint16_t *next_test;
    winnow__arc *arcs; /* for where_tests.c */
} winnow__maker;

static inline bool winnow__is_group(unsigned member) {
    return (member & WINNOW__OF_GROUP) != 0;
}

static inline winnow__made_group *winnow__group_of(const winnow__maker *m,
                                                   unsigned member) {
    return &m->group[member - WINNOW__OF_GROUP];
}

/* The place of the next member's index. */
static inline uint16_t *winnow__next_of(const winnow__maker *m,
                                        unsigned member) {
    return winnow__is_group(member) ? &winnow__group_of(m, member)->next
                                    : &m->leaf[member].next;
}

static inline unsigned winnow__add_group(winnow__maker *m) {
    m->group[m->groups] = (winnow__made_group){.first = WINNOW__NO_MEMBER};
    return m->groups++;
}

static inline uint16_t winnow__add_leaf(winnow__maker *m,
                                        winnow__made_leaf made) {
    m->leaf[m->leaves] = made;
    return (uint16_t)m->leaves++;
}

/* ---- where_groups.c */

void winnow__make_groups(winnow__maker *m);
/* In all groups, add leaves for the validity of columns with nulls. */
void winnow__put_validity(winnow__maker *m);

/* ---- where_tests.c */

/* Copy the tests of a leaf; returns their number. */
unsigned winnow__take_tests(const winnow__maker *m, const winnow__made_leaf *l,
                            winnow__test tests[]);
/* Make the leaf keep the items that it did not keep. */
void winnow__negate_leaf(winnow__maker *m, winnow__made_leaf *l);
/* Make leaf a keep what both leaves keep. False: impossible. Both have tests. */
bool winnow__join_leaf(winnow__maker *m, winnow__made_leaf *a,
                       winnow__made_leaf *b);
/* Unite the tests of joined leaves; returns how much the leaf keeps. */
winnow__share winnow__settle_leaf(winnow__maker *m, winnow__made_leaf *l);

/* ---- where_simplify.c */

void winnow__simplify_group(winnow__maker *m, winnow__made_group *g);

/* ---- where_write.c */

void winnow__write_groups(winnow__maker *m);
/* Write a program that keeps no item. */
void winnow__write_none(winnow__maker *m);
