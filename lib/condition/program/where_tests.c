/*
 * A test without a mask is an arc: an interval of patterns, on the circle of
 * all patterns of the type's size. Unions and complements of arcs are exact.
 *
 * For floats the circle has the patterns in the order of the values: patterns
 * of negative values are reversed, as in tests with a flip. A test without a
 * flip compares the bits themselves, which descend for negative values. It is
 * an arc of this circle only if it, or its complement, has values of one sign.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_maker.h"

#include <stdlib.h>

winnow__share winnow__share_of(const winnow__type_info *type,
                               const winnow__test *test) {
    const uint64_t full = winnow__all_bits(type);
    if ((test->span & full) == full)
        return WINNOW__SHARE_ALL;
    if ((test->mask & full) != 0)
        return WINNOW__SHARE_SOME;
    return ((0 - test->low) & full) <= test->span ? WINNOW__SHARE_ALL
                                                  : WINNOW__SHARE_NONE;
}

winnow__test winnow__complement(const winnow__type_info *type,
                                const winnow__test *test) {
    const uint64_t full = winnow__all_bits(type);
    if (winnow__share_of(type, test) == WINNOW__SHARE_ALL)
        return (winnow__test){.mask = 0, .low = 1, .span = 0};
    return (winnow__test){.flip = test->flip,
                          .mask = test->mask,
                          .low = (test->low + test->span + 1) & full,
                          .span = full - test->span - 1};
}

/* -------------------------------------------------------------------- arcs */

/* All bits but the sign: the last pattern without a sign. */
static uint64_t positive(const winnow__type_info *type) {
    return winnow__all_bits(type) >> 1;
}

/* Convert float bits of one sign to the order of the circle, or back. */
static bool turn(const winnow__type_info *type, winnow__arc *a) {
    const uint64_t most = positive(type);
    if (a->low > a->high || (a->low <= most && a->high > most))
        return false;
    if (a->low > most)
        *a = (winnow__arc){a->high ^ most, a->low ^ most};
    return true;
}

static bool arc_of(const winnow__type_info *type, const winnow__test *test,
                   winnow__arc *a) {
    const uint64_t full = winnow__all_bits(type);
    if ((test->mask & full) != full)
        return false;
    *a = (winnow__arc){test->low & full, (test->low + test->span) & full};
    if (type->infinity == 0 || test->flip != 0 || turn(type, a))
        return true;
    winnow__arc rest = {(a->high + 1) & full, (a->low - 1) & full};
    if (!turn(type, &rest))
        return false;
    *a = (winnow__arc){(rest.high + 1) & full, (rest.low - 1) & full};
    return true;
}

static winnow__test test_of(const winnow__type_info *type, winnow__arc a) {
    const uint64_t full = winnow__all_bits(type);
    const bool keyed = type->infinity != 0 && !turn(type, &a);
    return (winnow__test){.flip = keyed ? positive(type) : 0,
                          .mask = full,
                          .low = a.low,
                          .span = (a.high - a.low) & full};
}

/* ------------------------------------------------------------------- unions */

static int compare_arcs(const void *a, const void *b) {
    const uint64_t x = ((const winnow__arc *)a)->low,
                   y = ((const winnow__arc *)b)->low;
    return (x > y) - (x < y);
}

/* Sort arcs that do not wrap around, and unite those that meet; returns their
 * number. */
static unsigned unite_arcs(winnow__arc arcs[], unsigned number) {
    unsigned made = 0;
    qsort(arcs, number, sizeof arcs[0], compare_arcs);
    for (unsigned i = 1; i < number; i++) {
        if (arcs[i].low <= arcs[made].high ||
            arcs[i].low - 1 == arcs[made].high) {
            if (arcs[i].high > arcs[made].high)
                arcs[made].high = arcs[i].high;
        } else {
            arcs[++made] = arcs[i];
        }
    }
    return made + 1;
}

/* Reduce tests of which an element has to pass one: intervals that meet become
 * one. Returns the number of tests, never more than before; or 0 if all
 * elements pass or none, as *share_p says. `arcs` has room for twice as many. */
static unsigned unite(const winnow__type_info *type, winnow__test tests[],
                      unsigned number, winnow__arc arcs[],
                      winnow__share *share_p) {
    const uint64_t full = winnow__all_bits(type);
    unsigned many = 0, others = 0;
    *share_p = WINNOW__SHARE_ALL;
    for (unsigned i = 0; i < number; i++) {
        const winnow__share share = winnow__share_of(type, &tests[i]);
        winnow__arc a;
        if (share == WINNOW__SHARE_ALL)
            return 0;
        if (share == WINNOW__SHARE_NONE)
            continue;
        if (!arc_of(type, &tests[i], &a)) {
            tests[others++] = tests[i];
        } else if (a.low <= a.high) {
            arcs[many++] = a;
        } else {
            arcs[many++] = (winnow__arc){a.low, full};
            arcs[many++] = (winnow__arc){0, a.high};
        }
    }
    if (many != 0)
        many = unite_arcs(arcs, many);
    if (many == 1 && arcs[0].low == 0 && arcs[0].high == full)
        return 0;
    *share_p = others + many == 0 ? WINNOW__SHARE_NONE : WINNOW__SHARE_SOME;
    if (many > 1 && arcs[0].low == 0 && arcs[many - 1].high == full)
        arcs[0].low = arcs[--many].low;
    for (unsigned i = 0; i < many; i++)
        tests[others + i] = test_of(type, arcs[i]);
    return others + many;
}

/* Replace tests, which unite() made, by as many of which an element passes one
 * if it passes none of the old ones. False: impossible, and nothing was
 * changed. `arcs` has room for as many. */
static bool complement_all(const winnow__type_info *type, winnow__test tests[],
                           unsigned number, winnow__arc arcs[]) {
    const uint64_t full = winnow__all_bits(type);
    for (unsigned i = 0; i < number; i++)
        if (!arc_of(type, &tests[i], &arcs[i]))
            return false;
    for (unsigned i = 0; i < number; i++) {
        const winnow__arc *const next = &arcs[(i + 1) % number];
        tests[i] = test_of(type, (winnow__arc){(arcs[i].high + 1) & full,
                                               (next->low - 1) & full});
    }
    return true;
}

/* ------------------------------------------------------------------- leaves */

unsigned winnow__take_tests(const winnow__maker *m, const winnow__made_leaf *l,
                            winnow__test tests[]) {
    unsigned number = 0;
    for (uint16_t t = l->first; t != WINNOW__NO_MEMBER; t = m->next_test[t])
        tests[number++] = m->test[t];
    return number;
}

/* The leaf has at least as many places. */
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

/* Make the leaf keep what passes none of its tests. False: impossible. */
static bool turn_leaf(winnow__maker *m, winnow__made_leaf *l) {
    winnow__test *const tests = m->program->code.test; /* not used yet */
    if (l->negated)
        return true;
    if (l->tests == 1) {
        negate_test(m, l);
    } else {
        const unsigned number = winnow__take_tests(m, l, tests);
        if (!complement_all(l->type, tests, number, m->arcs))
            return false;
        put_tests(m, l, tests, number);
    }
    l->negated = true;
    return true;
}

bool winnow__join_leaf(winnow__maker *m, winnow__made_leaf *a,
                       winnow__made_leaf *b) {
    if (!turn_leaf(m, a))
        return false;
    if (!turn_leaf(m, b)) {
        a->joined =
            true; /* a single test that is negated is complemented in the
                             end */
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
    winnow__test *const tests = m->program->code.test; /* not used yet */
    winnow__share share;
    unsigned number = winnow__take_tests(m, l, tests);
    l->joined = false;
    number = unite(l->type, tests, number, m->arcs, &share);
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
