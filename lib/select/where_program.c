/*
 * From a condition to a program of steps, in three passes:
 *
 *   1. a leaf for each test, in the order of the condition, with where an item
 *      goes that passes it and where one that does not: to a later leaf, or to
 *      the end. "not" only swaps the two;
 *   2. leaves in a row that test one column, and between which nothing else is
 *      decided, become one step, which loads the column once;
 *   3. steps get slots, which are free again once their step was taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_program.h"

enum {
    MOST = WINNOW__WHERE_TESTS,
    /* Where items go, beside the leaves 0 to MOST - 1. */
    KEEP = MOST,
    REJECT,
    NEXT, /* the leaf after this subtree */
    PLACES
};

/* Where items go that pass, and the others. */
typedef struct ways {
    uint8_t yes, no;
} ways;

static ways swapped(ways w) {
    return (ways){.yes = w.no, .no = w.yes};
}

typedef struct leaf {
    const winnow__node *node;
    ways to;
} leaf;

/* ------------------------------------------------------------------ leaves */

/* Go through the tree from its end, with the ways of the subtrees that are
 * still to come on a stack: those on the right are done first. */
static void make_leaves(const winnow_condition *condition, leaf leaves[]) {
    ways stack[MOST + 1] = {{.yes = KEEP, .no = REJECT}};
    unsigned depth = 1;
    uint8_t next = (uint8_t)condition->tests;
    for (unsigned i = condition->number; i-- > 0;) {
        const winnow__node *const node = &condition->nodes[i];
        ways to = stack[--depth];
        to.yes = to.yes == NEXT ? next : to.yes;
        to.no = to.no == NEXT ? next : to.no;
        if (node->negated)
            to = swapped(to);
        if (node->kind == WINNOW__NODE_TEST) {
            leaves[--next] = (leaf){.node = node, .to = to};
            continue;
        }
        stack[depth++] = node->kind == WINNOW__NODE_AND
                             ? (ways){.yes = NEXT, .no = to.no}
                             : (ways){.yes = to.yes, .no = NEXT};
        stack[depth++] = to;
    }
}

/* ------------------------------------------------------------------- steps */

/* What fails the test passes the result. */
static winnow__test complement(const winnow__node *node,
                               const winnow__test *test) {
    const uint64_t full = UINT64_MAX >> (64 - 8 * node->type->size);
    if (test->span == full)
        return (winnow__test){.mask = 0, .low = 1, .span = 0};
    return (winnow__test){.flip = test->flip,
                          .mask = test->mask,
                          .low = (test->low + test->span + 1) & full,
                          .span = full - test->span - 1};
}

/* The steps made so far. */
typedef struct maker {
    winnow__where_program *program;
    winnow__tested tested;
    unsigned tests;
    ways to[MOST];           /* of each step, as leaves */
    uint8_t step_of[PLACES]; /* of a leaf that begins one */
} maker;

/* The last step tests its leaf the other way. */
static void turn(maker *m, const leaf *last) {
    const unsigned i = m->program->steps - 1;
    winnow__test *const test = &m->program->test[m->program->step[i].first];
    *test = complement(last->node, test);
    m->to[i] = swapped(m->to[i]);
}

/* Add a test, by which the same items go to `yes` as by the step's others. */
static void append(maker *m, winnow__test test, uint8_t no) {
    const unsigned i = m->program->steps - 1;
    m->program->step[i].tests++;
    m->program->test[m->tests++] = test;
    m->to[i].no = no;
}

/* Can leaf j be tested by the last step, where all that arrives at it comes
 * from? If so it is. */
static bool join_last(maker *m, const leaf leaves[], unsigned j) {
    const leaf *const add = &leaves[j];
    const unsigned i = m->program->steps - 1;
    const winnow__where_step *const step = &m->program->step[i];
    if (step->column != winnow__place_of_tested(&m->tested, add->node->column))
        return false;
    if (m->to[i].yes == j) {
        if (step->tests != 1)
            return false;
        turn(m, add - 1);
    }
    if (m->to[i].yes == add->to.yes)
        append(m, add->node->test, add->to.no);
    else if (m->to[i].yes == add->to.no)
        append(m, complement(add->node, &add->node->test), add->to.yes);
    else
        return false;
    return true;
}

static void make_steps(maker *m, const leaf leaves[], unsigned number) {
    winnow__where_program *const program = m->program;
    uint8_t arrivals[PLACES] = {0}; /* of how many ways */
    for (unsigned j = 0; j < number; j++) {
        arrivals[leaves[j].to.yes]++;
        arrivals[leaves[j].to.no]++;
    }
    for (unsigned j = 0; j < number; j++) {
        /* One way leads to it, from the leaf before. */
        const bool follows =
            j != 0 && arrivals[j] == 1 &&
            (leaves[j - 1].to.yes == j || leaves[j - 1].to.no == j);
        if (follows && join_last(m, leaves, j))
            continue;
        m->step_of[j] = (uint8_t)program->steps;
        m->to[program->steps] = leaves[j].to;
        program->step[program->steps++] =
            (winnow__where_step){.column = (uint8_t)winnow__place_of_tested(
                                     &m->tested, leaves[j].node->column),
                                 .first = (uint8_t)m->tests,
                                 .tests = 1};
        program->test[m->tests++] = leaves[j].node->test;
    }
}

/* ------------------------------------------------------------------- slots */

typedef struct slots {
    uint8_t of_step[MOST]; /* 0: it has none yet; that slot is no step's */
    bool taken[WINNOW__WHERE_SLOTS];
    unsigned number;
} slots;

static uint8_t slot_of(slots *s, unsigned step) {
    unsigned slot = 1;
    if (s->of_step[step] != 0)
        return s->of_step[step];
    while (s->taken[slot])
        slot++;
    s->taken[slot] = true;
    if (slot >= s->number)
        s->number = slot + 1;
    return s->of_step[step] = (uint8_t)slot;
}

static uint8_t slot_to(slots *s, const maker *m, uint8_t place) {
    if (place == KEEP)
        return WINNOW__KEPT;
    return place == REJECT ? WINNOW__REJECTED : slot_of(s, m->step_of[place]);
}

static void give_slots(const maker *m) {
    winnow__where_program *const program = m->program;
    slots s = {.number = WINNOW__KEPT + 1};
    for (unsigned i = 0; i < program->steps; i++) {
        winnow__where_step *const step = &program->step[i];
        step->slot = slot_of(&s, i);
        s.taken[step->slot] = false;
        step->yes = slot_to(&s, m, m->to[i].yes);
        step->no = slot_to(&s, m, m->to[i].no);
    }
    program->slots = s.number;
}

void winnow__compile(const winnow_condition *condition,
                     winnow__where_program *program) {
    leaf leaves[MOST];
    maker m = {.program = program};
    program->steps = 0;
    winnow__add_tested(&m.tested, condition);
    make_leaves(condition, leaves);
    make_steps(&m, leaves, condition->tests);
    give_slots(&m);
}
