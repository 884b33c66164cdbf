/*
 * Integers of 128 bits: the upper half decides or, if it is equal, the lower.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "wide.h"
#include "core/status.h"
#include "set/set.h"
#include "operand.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 unsigned_wide;

winnow__domain winnow__wide_domain(const winnow__type_info *type, int scale) {
    const winnow__wide most = (winnow__wide)(~(unsigned_wide)0 >> 1);
    return (winnow__domain){
        .type = type, .least = -most - 1, .most = most, .scale = scale};
}

/* --------------------------------------------------------------- intervals */

enum {
    MOST_NODES = 9 /* of an interval: 5 tests, and the nodes that join them */
};

typedef struct node_list {
    winnow__node *nodes;
    unsigned number;
} node_list;

static uint64_t upper_of(winnow__wide x) {
    return (uint64_t)((unsigned_wide)x >> 64);
}

static winnow__node *add_leaf(node_list *to, uint16_t column,
                              winnow__half half) {
    winnow__node *const node = &to->nodes[to->number++];
    *node = (winnow__node){.kind = WINNOW__NODE_TEST,
                           .column = column,
                           .half = (uint8_t)half,
                           .type = winnow__type(WINNOW_UINT64)};
    return node;
}

static void add_join(node_list *to, winnow__node_kind kind) {
    to->nodes[to->number++] = (winnow__node){.kind = (uint8_t)kind};
}

/* Add: a half is from `low` to low + span, modulo 2^64. */
static void add_test(node_list *to, uint16_t column, winnow__half half,
                     uint64_t low, uint64_t span) {
    add_leaf(to, column, half)->test =
        (winnow__test){.mask = UINT64_MAX, .low = low, .span = span};
}

/* Add: the upper half is equal to one number, and the lower half is from low to
 * high. */
static void add_one_upper(node_list *to, uint16_t column, uint64_t upper,
                          uint64_t low, uint64_t high) {
    add_test(to, column, WINNOW__UPPER, upper, 0);
    if (low == 0 && high == UINT64_MAX)
        return;
    add_test(to, column, WINNOW__LOWER, low, high - low);
    add_join(to, WINNOW__NODE_AND);
}

static void join_parts(node_list *to, unsigned *parts) {
    if ((*parts)++ != 0)
        add_join(to, WINNOW__NODE_OR);
}

/* Make the condition that an element is between two values. Returns the number
 * of its nodes, which is 1 if no element is, or all are. */
static unsigned nodes_of(uint16_t column, winnow__keys keys,
                         winnow__node *nodes) {
    uint64_t first = upper_of(keys.low), last = upper_of(keys.high);
    const uint64_t low = (uint64_t)keys.low, high = (uint64_t)keys.high;
    node_list to = {.nodes = nodes};
    unsigned parts = 0;
    if (keys.low > keys.high) {
        add_leaf(&to, column, WINNOW__UPPER)->test =
            (winnow__test){.mask = 0, .low = 1, .span = 0};
        return to.number;
    }
    if (first == last) {
        add_one_upper(&to, column, first, low, high);
        return to.number;
    }
    if (low != 0) {
        add_one_upper(&to, column, first++, low, UINT64_MAX);
        join_parts(&to, &parts);
    }
    if (high != UINT64_MAX) {
        add_one_upper(&to, column, last--, 0, high);
        join_parts(&to, &parts);
    }
    /* The remaining upper halves between, compared as signed numbers. There are
     * none if first - 1 is last. */
    if (first - 1 != last || parts == 0) {
        add_test(&to, column, WINNOW__UPPER, first, last - first);
        join_parts(&to, &parts);
    }
    return to.number;
}

winnow_status winnow__wide_test(winnow_condition **condition_p, uint16_t column,
                                const winnow_predicate *predicate) {
    const winnow__wide_predicate *const wide =
        (const winnow__wide_predicate *)predicate;
    const winnow__keys keys = {wide->low, wide->high};
    winnow__node nodes[MOST_NODES];
    const unsigned number = nodes_of(column, keys, nodes);
    nodes[number - 1].negated = wide->outside;
    return winnow__condition_of(condition_p, (number + 1) / 2, nodes, number);
}

/* *value, which is computed, becomes the condition of a BOOL. It stays the
 * column to which a second comparison may be added. */
static bool become(winnow__text *text, winnow__text_value *value,
                   winnow__value truth, uint32_t place) {
    winnow__text_value made = *value;
    if (!winnow__text_give_truth(text, &made, truth, place))
        return false;
    value->kind = made.kind;
    value->first = made.first;
    value->truth = made.truth;
    value->continues = value->inverted = false;
    return true;
}

bool winnow__text_add_wide_keys(winnow__text *text, winnow__text_value *column,
                                winnow__keys keys, uint32_t place) {
    winnow__node nodes[MOST_NODES];
    if (column->computed)
        return become(text, column,
                      winnow__exact_between(text->builder, column->exact,
                                            keys.low, keys.high),
                      place);
    const unsigned number = nodes_of(column->column, keys, nodes);
    return winnow__text_add_nodes(text, column, nodes, number, place);
}

/* -------------------------------------------------------------------- sets */

enum {
    MOST_UPPER = WINNOW_CONDITION_MOST_TESTS / 2
};

static int compare_values(const void *a, const void *b) {
    const winnow__wide x = *(const winnow__wide *)a;
    const winnow__wide y = *(const winnow__wide *)b;
    return (x > y) - (x < y);
}

/* Add the values with the same upper half: the first ones of `count` sorted
 * values. Overwrites them with their lower halves. *used: their number. */
static winnow_status add_group(node_list *to, uint16_t column,
                               winnow__wide *values, uint64_t count,
                               uint64_t *used) {
    const uint64_t upper = upper_of(values[0]);
    uint64_t *const lower = (uint64_t *)(void *)values;
    uint64_t i = 0;
    for (; i < count && upper_of(values[i]) == upper; i++) {
        const uint64_t half = (uint64_t)values[i];
        memcpy(&lower[i], &half, sizeof half);
    }
    *used = i;
    add_test(to, column, WINNOW__UPPER, upper, 0);
    winnow__node *const leaf = add_leaf(to, column, WINNOW__LOWER);
    winnow_status status = winnow__set_create(&leaf->set, &leaf->test,
                                              leaf->type, UINT64_MAX, lower, i);
    if (status != WINNOW_OK) {
        to->number--;
        return status;
    }
    if (leaf->set != NULL)
        leaf->kind = WINNOW__NODE_SET;
    add_join(to, WINNOW__NODE_AND);
    return WINNOW_OK;
}

static unsigned count_groups(const winnow__wide *values, uint64_t count) {
    unsigned groups = 0;
    for (uint64_t i = 0; i < count && groups <= MOST_UPPER; i++)
        groups += i == 0 || upper_of(values[i]) != upper_of(values[i - 1]);
    return groups;
}

static void drop(node_list *nodes) {
    for (unsigned i = 0; i < nodes->number; i++)
        if (nodes->nodes[i].kind == WINNOW__NODE_SET)
            winnow__set_release(nodes->nodes[i].set);
    free(nodes->nodes);
}

/* Add groups for sorted values, which are overwritten. */
static winnow_status make_groups(node_list *to, uint16_t column,
                                 winnow__wide *values, uint64_t count) {
    const unsigned groups = count_groups(values, count);
    if (groups > MOST_UPPER)
        return winnow__unsupported(
            "values of int128 with more than %d different upper "
            "halves of 8 bytes: a set has at most that number",
            (int)MOST_UPPER);
    to->nodes = malloc((4 * groups + 1) * sizeof to->nodes[0]);
    if (to->nodes == NULL)
        return winnow__no_memory("a set of values");
    if (count == 0)
        to->number = nodes_of(column, (winnow__keys){1, 0}, to->nodes);
    for (uint64_t first = 0, used; first < count; first += used) {
        winnow_status status =
            add_group(to, column, values + first, count - first, &used);
        if (status != WINNOW_OK)
            return status;
        if (first != 0)
            add_join(to, WINNOW__NODE_OR);
    }
    return WINNOW_OK;
}

winnow_status winnow__wide_in(uint16_t column, const void *values,
                              uint64_t count, winnow__node **nodes_p,
                              unsigned *number_p) {
    const size_t bytes = (size_t)count * sizeof(winnow__wide);
    winnow__wide *const copy = malloc(bytes + 1);
    node_list made = {NULL, 0};
    if (copy == NULL)
        return winnow__no_memory("a set of values");
    if (count != 0) {
        memcpy(copy, values, bytes);
        qsort(copy, (size_t)count, sizeof copy[0], compare_values);
    }
    winnow_status status = make_groups(&made, column, copy, count);
    free(copy);
    if (status != WINNOW_OK) {
        drop(&made);
        return status;
    }
    *nodes_p = made.nodes;
    *number_p = made.number;
    return WINNOW_OK;
}

/* For a computed value. */
static bool in_computed(winnow__text *text, winnow__text_value *value,
                        uint32_t place) {
    const winnow__text_list *const list = &text->list;
    return become(text, value,
                  winnow__exact_in(text->builder, value->exact, list->values,
                                   list->bytes / sizeof(winnow__wide)),
                  place) &&
           winnow__text_turn(text, value, list->negated);
}

bool winnow__text_in_wide(winnow__text *text, winnow__text_value *value) {
    const winnow__text_list *const list = &text->list;
    const uint32_t place = list->column.span.begin;
    if (value->computed)
        return in_computed(text, value, place);
    winnow__node *nodes;
    unsigned number;
    const winnow_status status =
        winnow__wide_in(value->column, list->values,
                        list->bytes / sizeof(winnow__wide), &nodes, &number);
    if (status != WINNOW_OK)
        return winnow__text_fail(text, status, place, "%s",
                                 winnow_last_error());
    const bool added =
        winnow__text_add_nodes(text, value, nodes, number, place);
    free(nodes);
    return added && winnow__text_turn(text, value, list->negated);
}
