/*
 * A builder: it makes each value once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "builder.h"

#include "core/seed.h"
#include "core/status.h"
#include "kernels/core/hash.h"

#include <stdlib.h>
#include <string.h>

winnow__builder *winnow__builder_create(void) {
    winnow__builder *const builder = calloc(1, sizeof *builder);
    if (builder == NULL)
        winnow__no_memory("an expression");
    return builder;
}

void winnow__builder_destroy(winnow__builder *builder) {
    if (builder == NULL)
        return;
    for (uint32_t i = 0; i < builder->made_number; i++)
        winnow__expression_release(builder->made[i].expression);
    free(builder->made);
    free(builder->place);
    free(builder->nodes);
    free(builder);
}

winnow_status winnow__builder_status(const winnow__builder *builder) {
    return builder->status;
}

winnow__value winnow__builder_no_memory(winnow__builder *builder) {
    builder->status = winnow__no_memory("an expression");
    return WINNOW__NO_VALUE;
}

/* -------------------------------------------------------------- equal values */

static uint64_t mix(uint64_t hash, uint64_t word) {
    return winnow__hash_fold(hash ^ word, winnow__seed(0) | 1);
}

static uint64_t hash_of(const winnow__builder_node *node) {
    uint64_t hash = mix(node->code, node->type | node->column_type << 8 |
                                        node->weak << 16 | node->is_null << 17);
    hash = mix(hash, (uint64_t)node->a << 32 | node->b);
    hash = mix(hash, node->second_type);
    return mix(hash, node->bits);
}

static bool are_equal(const winnow__builder_node *a,
                      const winnow__builder_node *b) {
    return a->code == b->code && a->type == b->type &&
           a->column_type == b->column_type &&
           a->second_type == b->second_type && a->weak == b->weak &&
           a->is_null == b->is_null && a->a == b->a && a->b == b->b &&
           a->bits == b->bits;
}

/* The place of a node, or the place to put it. */
static winnow__value *find(const winnow__builder *builder,
                           const winnow__builder_node *node) {
    uint32_t i = (uint32_t)hash_of(node) & (builder->places - 1);
    while (builder->place[i] != WINNOW__NO_VALUE &&
           !are_equal(&builder->nodes[builder->place[i]], node))
        i = (i + 1) & (builder->places - 1);
    return &builder->place[i];
}

/* Make room for one more. */
static bool grow(winnow__builder *builder) {
    const uint32_t room = builder->room == 0 ? 32 : 2 * builder->room;
    if (builder->number < builder->room)
        return true;
    winnow__builder_node *const nodes =
        realloc(builder->nodes, room * sizeof nodes[0]);
    if (nodes == NULL)
        return false;
    builder->nodes = nodes;
    winnow__value *const place = malloc(2 * (size_t)room * sizeof place[0]);
    if (place == NULL)
        return false;
    memset(place, 0xff, 2 * (size_t)room * sizeof place[0]);
    free(builder->place);
    builder->place = place;
    builder->places = 2 * room;
    builder->room = room;
    for (uint32_t i = 0; i < builder->number; i++)
        *find(builder, &nodes[i]) = i;
    return true;
}

static bool is_operation(const winnow__builder_node *node) {
    return node->code < WINNOW__IS_CONSTANT && !winnow__is_load(node->code);
}

/* The values that a node may have when it is not null. */
static winnow__range range_of(const winnow__builder *builder,
                              const winnow__builder_node *node) {
    const winnow__range none = {0, 0};
    if (node->code == WINNOW__IS_CONSTANT)
        return (winnow__range){(int64_t)node->bits, (int64_t)node->bits};
    return winnow__range_of(
        node->code, is_operation(node) ? builder->nodes[node->a].range : none,
        winnow__has_second(node->code) ? builder->nodes[node->b].range : none);
}

/* Count the operations of a value that this count has not visited. Recursion is
 * at most as deep as a program has operations. */
static unsigned count_new(winnow__builder *builder, winnow__value value) {
    winnow__builder_node *const node = &builder->nodes[value];
    if (node->code == WINNOW__IS_CONSTANT || node->seen == builder->counts)
        return 0;
    node->seen = builder->counts;
    if (!is_operation(node))
        return 1;
    return 1 + count_new(builder, node->a) +
           (winnow__has_second(node->code) ? count_new(builder, node->b) : 0);
}

/* The number of a node's operations. It is counted exactly if it may be too
 * large, since operations that both operands share count once. */
static unsigned operations_of(winnow__builder *builder,
                              const winnow__builder_node *node) {
    if (!is_operation(node))
        return node->code != WINNOW__IS_CONSTANT;
    const bool has_second = winnow__has_second(node->code);
    const unsigned most = 1 + builder->nodes[node->a].operations +
                          (has_second ? builder->nodes[node->b].operations : 0);
    if (most <= WINNOW__MOST_OPERATIONS)
        return most;
    builder->counts++;
    return 1 + count_new(builder, node->a) +
           (has_second ? count_new(builder, node->b) : 0);
}

winnow_status winnow__fail_limit(unsigned most, const char *what) {
    return winnow__unsupported("an expression has more than %u %s", most, what);
}

static winnow__value fail(winnow__builder *builder, winnow_status status) {
    builder->status = status;
    return WINNOW__NO_VALUE;
}

static winnow__value add(winnow__builder *builder,
                         const winnow__builder_node *node) {
    if (!grow(builder))
        return winnow__builder_no_memory(builder);
    winnow__value *const place = find(builder, node);
    if (*place != WINNOW__NO_VALUE)
        return *place;
    const unsigned operations = operations_of(builder, node);
    if (operations > WINNOW__MOST_OPERATIONS)
        return fail(builder,
                    winnow__fail_limit(WINNOW__MOST_OPERATIONS, "operations"));
    if (builder->number == WINNOW__MOST_VALUES)
        return fail(builder, winnow__unsupported(
                                 "a text computes at most %u different values",
                                 WINNOW__MOST_VALUES));
    winnow__builder_node *const added = &builder->nodes[builder->number];
    *added = *node;
    added->range = range_of(builder, node);
    added->operations = operations;
    return *place = builder->number++;
}

winnow__value winnow__build_node(winnow__builder *builder,
                                 winnow__builder_node node) {
    if (is_operation(&node)) {
        const winnow__builder_node *const a = &builder->nodes[node.a];
        const winnow__builder_node *const b =
            winnow__has_second(node.code) ? &builder->nodes[node.b] : NULL;
        winnow__fold(&node, a, b);
    }
    return add(builder, &node);
}

uint32_t winnow__builder_values(const winnow__builder *builder) {
    return builder->number;
}

void winnow__builder_forget(winnow__builder *builder, uint32_t values) {
    /* Each value is in a place that earlier ones do not use. */
    while (builder->number > values) {
        builder->number--;
        *find(builder, &builder->nodes[builder->number]) = WINNOW__NO_VALUE;
    }
}

/* -------------------------------------------------------------- of a value */

winnow__value_type winnow__value_type_of(const winnow__builder *builder,
                                         winnow__value value) {
    return (winnow__value_type)builder->nodes[value].type;
}

bool winnow__value_constant(const winnow__builder *builder, winnow__value value,
                            winnow__constant *constant) {
    const winnow__builder_node *const node = &builder->nodes[value];
    if (node->code != WINNOW__IS_CONSTANT)
        return false;
    if (constant == NULL)
        return true;
    *constant = (winnow__constant){.type = (winnow__value_type)node->type,
                                   .weak = node->weak,
                                   .is_null = node->is_null,
                                   .u = node->bits};
    if (node->type == WINNOW__FLOAT32) {
        const uint32_t bits = (uint32_t)node->bits;
        memcpy(&constant->f, &bits, sizeof bits);
    }
    return true;
}
