/*
 * Conditions that are made by calls: tests of columns, joined by and, or, not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "wide.h"
#include "core/status.h"
#include "string/test.h"
#include "core/context.h"
#include "set/set.h"

#include <stdlib.h>

static winnow_status check_both(winnow_condition **condition_p,
                                unsigned column) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    return winnow__check_column(column);
}

/* Takes over the references of the leaf. */
static winnow_status take_leaf(winnow_condition **condition_p, unsigned column,
                               winnow__node leaf) {
    leaf.column = (uint16_t)column;
    return winnow__condition_of(condition_p, 1, &leaf, 1);
}

static winnow_status create_leaf(winnow_condition **condition_p,
                                 unsigned column, winnow__node leaf) {
    WINNOW__TRY(check_both(condition_p, column));
    return take_leaf(condition_p, column, leaf);
}

winnow_status winnow_condition_test(winnow_condition **condition_p,
                                    unsigned column,
                                    const winnow_predicate *predicate) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(predicate, "predicate"));
    if (winnow__is_wide(predicate)) {
        WINNOW__TRY(winnow__check_column(column));
        return winnow__wide_test(condition_p, (uint16_t)column, predicate);
    }
    return create_leaf(condition_p, column,
                       (winnow__node){.kind = WINNOW__NODE_TEST,
                                      .type = predicate->type,
                                      .test = predicate->test});
}

winnow_status winnow_condition_is_null(winnow_condition **condition_p,
                                       unsigned column) {
    return create_leaf(
        condition_p, column,
        (winnow__node){.kind = WINNOW__NODE_VALID, .negated = true});
}

winnow_status winnow_condition_bit(winnow_condition **condition_p,
                                   unsigned column) {
    return create_leaf(condition_p, column,
                       (winnow__node){.kind = WINNOW__NODE_BIT});
}

/* Copy a condition's nodes to a place in a new one. */
static void copy_nodes(winnow__node *to, const winnow_condition *from) {
    for (unsigned i = 0; i < from->number; i++) {
        to[i] = from->nodes[i];
        winnow__node_share(&to[i]);
    }
}

static winnow_status join(winnow_condition **condition_p,
                          winnow__node_kind kind, const winnow_condition *a,
                          const winnow_condition *b) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(a, "a"));
    WINNOW__TRY(winnow__need(b, "b"));
    if (a->tests + b->tests > WINNOW_CONDITION_MOST_TESTS)
        return winnow__unsupported(
            "the condition would have %u tests: at most %u are "
            "possible",
            a->tests + b->tests, WINNOW_CONDITION_MOST_TESTS);
    winnow_condition *const made = winnow__condition_create(
        a->tests + b->tests, a->number + b->number + 1);
    if (made == NULL)
        return WINNOW_ERR_MEMORY;
    copy_nodes(made->nodes, a);
    copy_nodes(made->nodes + a->number, b);
    made->nodes[made->number - 1] = (winnow__node){.kind = (uint8_t)kind};
    return winnow__condition_finish(made, condition_p);
}

winnow_status winnow_condition_and(winnow_condition **condition_p,
                                   const winnow_condition *a,
                                   const winnow_condition *b) {
    return join(condition_p, WINNOW__NODE_AND, a, b);
}

winnow_status winnow_condition_or(winnow_condition **condition_p,
                                  const winnow_condition *a,
                                  const winnow_condition *b) {
    return join(condition_p, WINNOW__NODE_OR, a, b);
}

/* A copy of a condition, not finished, with room for `more` nodes after its own. */
static winnow_status copy(winnow_condition **condition_p,
                          const winnow_condition *a, unsigned more,
                          winnow_condition **copy_p) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    WINNOW__TRY(winnow__need(a, "a"));
    *copy_p = winnow__condition_create(a->tests, a->number + more);
    if (*copy_p == NULL)
        return WINNOW_ERR_MEMORY;
    copy_nodes((*copy_p)->nodes, a);
    return WINNOW_OK;
}

winnow_status winnow_condition_not(winnow_condition **condition_p,
                                   const winnow_condition *a) {
    winnow_condition *made = NULL;
    WINNOW__TRY(copy(condition_p, a, 0, &made));
    made->nodes[a->number - 1].negated ^= true;
    return winnow__condition_finish(made, condition_p);
}

winnow_status winnow_condition_is_true(winnow_condition **condition_p,
                                       const winnow_condition *a) {
    winnow_condition *made = NULL;
    WINNOW__TRY(copy(condition_p, a, 1, &made));
    made->nodes[a->number] = (winnow__node){.kind = WINNOW__NODE_IS_TRUE};
    return winnow__condition_finish(made, condition_p);
}

/* ------------------------------------------------------------------ strings */

static winnow_status create_test(winnow__string_test **test_p,
                                 winnow_text_test test, winnow__bytes text,
                                 bool *negated_p) {
    winnow__pattern_kind kind = test == WINNOW_TEXT_STARTS_WITH
                                    ? WINNOW__PATTERN_STARTS
                                    : WINNOW__PATTERN_ENDS;
    *negated_p = false;
    if ((unsigned)test > WINNOW_TEXT_LIKE)
        return winnow__refuse("test %d is no winnow_text_test", (int)test);
    if (test == WINNOW_TEXT_LIKE)
        return winnow__string_test_like(test_p, text, (winnow__bytes){"", 0});
    if (test <= WINNOW_TEXT_GT) /* those of winnow_compare */
        kind = winnow__string_compare_kind((winnow_compare)test, negated_p);
    else if (test == WINNOW_TEXT_CONTAINS)
        kind = winnow__string_part_kind(WINNOW__PATTERN_CONTAINS,
                                        text.number == 0);
    return winnow__string_test_create(test_p, kind, text);
}

winnow_status winnow_condition_text(winnow_condition **condition_p,
                                    unsigned column, winnow_text_test test,
                                    const char *text, size_t bytes) {
    winnow__node leaf = {.kind = WINNOW__NODE_STRING};
    WINNOW__TRY(check_both(condition_p, column));
    if (text == NULL && bytes != 0)
        return winnow__refuse("text is NULL");
    WINNOW__TRY(create_test(&leaf.string, test, (winnow__bytes){text, bytes},
                            &leaf.negated));
    return take_leaf(condition_p, column, leaf);
}

static winnow__bytes next_text(const void *argument, uint64_t i) {
    const winnow_buffer *const texts = argument;
    return (winnow__bytes){texts[i].d_bytes, (size_t)texts[i].bytes};
}

winnow_status winnow_condition_text_in(winnow_condition **condition_p,
                                       unsigned column,
                                       const winnow_buffer *texts,
                                       uint64_t count) {
    winnow__node leaf = {.kind = WINNOW__NODE_STRING};
    WINNOW__TRY(check_both(condition_p, column));
    if (texts == NULL && count != 0)
        return winnow__refuse("texts is NULL");
    for (uint64_t i = 0; i < count; i++)
        if (texts[i].d_bytes == NULL && texts[i].bytes != 0)
            return winnow__refuse("texts[%llu].d_bytes is NULL",
                                  (unsigned long long)i);
    WINNOW__TRY(
        winnow__string_test_list(&leaf.string, next_text, texts, count));
    return take_leaf(condition_p, column, leaf);
}

/* --------------------------------------------------------------------- sets */

static winnow_status check_in(winnow_condition **condition_p, unsigned column,
                              winnow_type type, const void *values,
                              uint64_t count) {
    WINNOW__TRY(winnow__need(condition_p, "condition_p"));
    if (winnow__tested_type(type) == NULL)
        return winnow__fail_type("type", type);
    if (values == NULL && count != 0)
        return winnow__refuse("values is NULL");
    WINNOW__TRY(winnow__check_column(column));
    if (count > WINNOW_CONDITION_MOST_VALUES)
        return winnow__unsupported("count is %llu: a set has at most %u values",
                                   (unsigned long long)count,
                                   WINNOW_CONDITION_MOST_VALUES);
    return WINNOW_OK;
}

/* A copy of `values` in host memory, if they may be in the device memory of a
 * context; *copy_p is to be freed. */
static winnow_status fetch(const winnow_context *context, const void *values,
                           size_t bytes, void **copy_p) {
    void *const copy = malloc(bytes);
    bool entered;
    if (copy == NULL)
        return winnow__no_memory("a set of values");
    winnow_status status = context->backend->enter(context, &entered);
    if (status == WINNOW_OK) {
        status = context->backend->fetch(context, values, bytes, copy);
        context->backend->leave(context, entered);
    }
    if (status == WINNOW_OK)
        *copy_p = copy;
    else
        free(copy);
    return status;
}

static winnow_status create_wide(winnow_condition **condition_p,
                                 unsigned column, const void *values,
                                 uint64_t count) {
    winnow__node *nodes;
    unsigned number;
    WINNOW__TRY(
        winnow__wide_in((uint16_t)column, values, count, &nodes, &number));
    winnow_status status =
        winnow__condition_of(condition_p, (number + 1) / 2, nodes, number);
    free(nodes);
    return status;
}

/* Make the condition that an element is one of the values in host memory. */
static winnow_status create_in(winnow_condition **condition_p, unsigned column,
                               const winnow__type_info *type,
                               const void *values, uint64_t count) {
    if (type->size == sizeof(winnow__wide))
        return create_wide(condition_p, column, values, count);
    winnow__node leaf = {.type = type};
    WINNOW__TRY(winnow__set_create(&leaf.set, &leaf.test, type,
                                   winnow__all_bits(type), values, count));
    leaf.kind = leaf.set != NULL ? WINNOW__NODE_SET : WINNOW__NODE_TEST;
    return take_leaf(condition_p, column, leaf);
}

winnow_status winnow_condition_in(winnow_condition **condition_p,
                                  winnow_context *context, unsigned column,
                                  winnow_type type, const void *values,
                                  uint64_t count) {
    WINNOW__TRY(check_in(condition_p, column, type, values, count));
    const winnow__type_info *const info = winnow__tested_type(type);
    void *copy = NULL;
    if (context != NULL && context->backend->fetch != NULL && count != 0)
        WINNOW__TRY(fetch(context, values, (size_t)count * info->size, &copy));
    winnow_status status = create_in(condition_p, column, info,
                                     copy != NULL ? copy : values, count);
    free(copy);
    return status;
}
