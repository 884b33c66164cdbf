/*
 * The tests of a leaf, while a program is made.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

unsigned winnow__take_tests(const winnow__maker *m, const winnow__made_leaf *l,
                            winnow__test tests[]) {
    unsigned number = 0;
    for (uint16_t t = l->first; t != WINNOW__NO_MEMBER; t = m->next_test[t])
        tests[number++] = m->test[t];
    return number;
}

/* No more than it has. */
static void put_tests(winnow__maker *m, winnow__made_leaf *l,
                      const winnow__test tests[], unsigned number) {
    uint16_t t = l->first;
    for (unsigned i = 0; i < number; i++, t = m->next_test[t]) {
        m->test[t] = tests[i];
        l->last = t;
    }
    m->next_test[l->last] = WINNOW__NO_MEMBER;
    l->tests = (uint16_t)number;
}

static void negate_test(winnow__maker *m, winnow__made_leaf *l) {
    if (l->tests == 1)
        m->test[l->first] = winnow__complement(l->type, &m->test[l->first]);
    else
        l->negated ^= true;
}

void winnow__negate_leaf(winnow__maker *m, winnow__made_leaf *l) {
    negate_test(m, l);
    l->keeps_nulls ^=
        m->nulls->elements[l->column] && l->kind != WINNOW__LEAF_VALID;
}

/* Have the leaf keep what passes none of its tests. False: it cannot. */
static bool turn(winnow__maker *m, winnow__made_leaf *l) {
    winnow__test *const tests = m->program->code.test; /* free so far */
    if (l->negated)
        return true;
    if (l->tests == 1) {
        negate_test(m, l);
    } else {
        const unsigned number = winnow__take_tests(m, l, tests);
        if (!winnow__complement_all(l->type, tests, number, m->arcs))
            return false;
        put_tests(m, l, tests, number);
    }
    l->negated = true;
    return true;
}

bool winnow__join_leaf(winnow__maker *m, winnow__made_leaf *a,
                       winnow__made_leaf *b) {
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

winnow__share winnow__settle_leaf(winnow__maker *m, winnow__made_leaf *l) {
    winnow__test *const tests = m->program->code.test; /* free so far */
    winnow__share share;
    unsigned number = winnow__take_tests(m, l, tests);
    l->joined = false;
    number = winnow__unite(l->type, tests, number, m->arcs, &share);
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
