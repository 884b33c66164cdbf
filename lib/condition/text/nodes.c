/*
 * The nodes of a condition that is made from text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "core/status.h"
#include "set/set.h"
#include "string/test.h"
#include "text.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- tests */

static bool fail_tests(winnow__text *text, uint32_t place) {
    return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                             "here is one test more than the %u that a "
                             "condition can have; a list, as in x in (1, 2), "
                             "is one",
                             WINNOW_CONDITION_MOST_TESTS);
}

static bool count_test(winnow__text *text, const winnow__node *leaf,
                       uint32_t place) {
    winnow__tested *const tested = &text->tested;
    const unsigned i = winnow__place_of_tested(tested, leaf);
    const unsigned number = tested->number;
    if (text->tests == WINNOW_CONDITION_MOST_TESTS)
        return fail_tests(text, place);
    if (!winnow__tested_add(tested, leaf))
        return winnow__text_fail(text, WINNOW_ERR_UNSUPPORTED, place,
                                 "here is one column more than the %u that a "
                                 "condition can test%s",
                                 WINNOW_CONDITION_MOST_COLUMNS,
                                 winnow__what_counts_twice(tested));
    text->tests++;
    text->uses[i] = i == number ? 1 : (uint16_t)(text->uses[i] + 1);
    return true;
}

static void uncount_test(winnow__text *text, const winnow__node *leaf) {
    winnow__tested *const tested = &text->tested;
    const unsigned i = winnow__place_of_tested(tested, leaf);
    text->tests--;
    if (--text->uses[i] != 0)
        return;
    winnow__tested_remove(tested, i);
    text->uses[i] = text->uses[tested->number];
}

/* ------------------------------------------------------------------- nodes */

static bool add(winnow__text *text, winnow__node node) {
    if (text->number == text->room) {
        const uint32_t room = text->room == 0 ? 16 : 2 * text->room;
        winnow__node *const nodes =
            realloc(text->nodes, room * sizeof nodes[0]);
        if (nodes == NULL)
            return winnow__text_no_memory(text);
        text->nodes = nodes;
        text->room = room;
    }
    text->nodes[text->number++] = node;
    return true;
}

static void be_condition(winnow__text_value *value, uint32_t first) {
    value->kind = WINNOW__TEXT_CONDITION;
    value->continues = value->inverted = false;
    value->first = first;
}

bool winnow__text_add_leaf(winnow__text *text, winnow__text_value *value,
                           winnow__node node, uint32_t place) {
    node.column = value->computed ? 0 : value->column;
    node.type = winnow__type(winnow__text_element_type(text, value));
    if (value->computed)
        node.expression = winnow__text_expression(text, value);
    if ((value->computed && node.expression == NULL) ||
        !count_test(text, &node, place) || !add(text, node)) {
        winnow__node_release(&node);
        return false;
    }
    be_condition(value, text->number - 1);
    return true;
}

bool winnow__text_add_nodes(winnow__text *text, winnow__text_value *value,
                            const winnow__node *nodes, unsigned number,
                            uint32_t place) {
    const uint32_t first = text->number;
    unsigned i = 0;
    while (
        i < number &&
        (!winnow__is_leaf(&nodes[i]) || count_test(text, &nodes[i], place)) &&
        add(text, nodes[i]))
        i++;
    if (i < number) {
        for (; i < number; i++)
            winnow__node_release(&nodes[i]);
        return false;
    }
    be_condition(value, first);
    return true;
}

bool winnow__text_add_unknown(winnow__text *text, winnow__text_value *value) {
    if (text->tests == WINNOW_CONDITION_MOST_TESTS)
        return fail_tests(text, value->span.begin);
    if (!add(text, (winnow__node){.kind = WINNOW__NODE_UNKNOWN}))
        return false;
    text->tests++;
    be_condition(value, text->number - 1);
    return true;
}

bool winnow__text_add_is_true(winnow__text *text) {
    return add(text, (winnow__node){.kind = WINNOW__NODE_IS_TRUE});
}

bool winnow__text_copy(winnow__text *text, uint32_t first, uint32_t end,
                       uint32_t place) {
    for (uint32_t i = first; i < end; i++) {
        const winnow__node node = text->nodes[i];
        if (winnow__is_leaf(&node) && !count_test(text, &node, place))
            return false;
        if (node.kind == WINNOW__NODE_UNKNOWN &&
            text->tests == WINNOW_CONDITION_MOST_TESTS)
            return fail_tests(text, place);
        text->tests += node.kind == WINNOW__NODE_UNKNOWN;
        if (!add(text, node))
            return false;
        winnow__node_share(&node);
    }
    return true;
}

/* Free the nodes from `first` on. */
static void drop_from(winnow__text *text, uint32_t first) {
    while (text->number > first) {
        const winnow__node *const node = &text->nodes[--text->number];
        winnow__node_release(node);
        text->tests -= node->kind == WINNOW__NODE_UNKNOWN;
        if (winnow__is_leaf(node))
            uncount_test(text, node);
    }
}

void winnow__text_drop(winnow__text *text) {
    drop_from(text, 0);
    free(text->nodes);
    free(text->list.values);
    winnow__builder_destroy(text->builder);
}

/* ------------------------------------------------------------------- joins */

void winnow__text_be_constant(winnow__text_value *value, bool truth) {
    value->kind = WINNOW__TEXT_CONSTANT;
    value->continues = value->inverted = false;
    value->truth = truth;
}

bool winnow__text_turn(winnow__text *text, winnow__text_value *value,
                       bool turns) {
    if (value->kind == WINNOW__TEXT_CONSTANT)
        value->truth ^= turns;
    else
        text->nodes[text->number - 1].negated ^= turns;
    return true;
}

bool winnow__text_join(winnow__text *text, winnow__node_kind kind,
                       winnow__text_value *a, const winnow__text_value *b) {
    const bool decides = kind == WINNOW__NODE_OR; /* if it is in either */
    const bool constant_a = a->kind == WINNOW__TEXT_CONSTANT;
    const bool constant_b = b->kind == WINNOW__TEXT_CONSTANT;
    a->continues = a->inverted = false;
    if (!constant_a && !constant_b)
        return add(text, (winnow__node){.kind = (uint8_t)kind});
    if ((constant_a && a->truth == decides) ||
        (constant_b && b->truth == decides)) {
        if (!constant_a)
            drop_from(text, a->first);
        if (!constant_b)
            drop_from(text, b->first);
        winnow__text_be_constant(a, decides);
    } else if (constant_a) {
        a->kind = b->kind;
        a->truth = b->truth;
        a->first = b->first;
    }
    return true;
}

winnow_status winnow__text_take(winnow__text *text,
                                const winnow__text_value *value,
                                winnow_condition **condition_p) {
    if (value->kind == WINNOW__TEXT_CONSTANT &&
        !add(text, (winnow__node){.kind = WINNOW__NODE_TRUE,
                                  .negated = !value->truth}))
        return WINNOW_ERR_MEMORY;
    text->tests += value->kind == WINNOW__TEXT_CONSTANT;
    const uint32_t number = text->number;
    text->number = 0;
    return winnow__condition_of(condition_p, text->tests, text->nodes, number);
}
