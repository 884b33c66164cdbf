/*
 * A condition over columns as a source: its checks, ranges and addresses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where.h"

#include "core/context.h"
#include "core/explain.h"
#include "core/status.h"
#include "where_strings.h"
#include "where_values.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#include "where_compiled.h"
#endif

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ checks */

static winnow__array_name name_of(unsigned i) {
    return (winnow__array_name){.name = "columns", .number = i + 1};
}

static winnow_mask bits_of(const winnow_in *column) {
    return (winnow_mask){.kind = WINNOW_MASK_BITS,
                         .d_flags = column->d_base,
                         .offset = column->offset};
}

static winnow_mask validity_of(const winnow_in *column) {
    return (winnow_mask){.kind = WINNOW_MASK_BITS,
                         .d_flags = column->d_valid,
                         .offset = column->valid_offset};
}

/* Does the node only ask whether an element is null? */
static bool is_of_validity(const winnow__node *node) {
    return node->kind == WINNOW__NODE_VALID;
}

/* A column of int128 is checked as one of 16-byte elements. */
static winnow_status check_wide(winnow__array_name name,
                                const winnow_in *column) {
    winnow_in opaque = *column;
    if (column->element_bytes != 0 &&
        column->element_bytes != sizeof(winnow__wide))
        return winnow__refuse(
            "%selement_bytes is %u: wanted 0, or 16, the size "
            "of its type, int128",
            winnow__before_member(name).text, (unsigned)column->element_bytes);
    opaque.type = WINNOW_OPAQUE;
    opaque.element_bytes = sizeof(winnow__wide);
    return winnow__check_in_with_nulls(name, &opaque);
}

/* `member` is only formatted after a failure. */
static winnow_status check_bits(unsigned i, const char *member,
                                const winnow_mask *bits, uint64_t n) {
    char prefix[sizeof(winnow__array_text) + 8];
    if (winnow__has_flags(bits, n))
        return WINNOW_OK;
    snprintf(prefix, sizeof prefix, "%s%s",
             winnow__before_member(name_of(i)).text, member);
    return winnow__check_flags(prefix, bits, n);
}

static winnow_status check_values(unsigned i, const winnow_in *column,
                                  uint64_t n) {
    const winnow_mask bits = bits_of(column);
    WINNOW__TRY(column->type == WINNOW_INT128
                    ? check_wide(name_of(i), column)
                    : winnow__check_in_with_nulls(name_of(i), column));
    return column->type == WINNOW_BIT
               ? check_bits(i, "", &bits, n)
               : winnow__check_extent(name_of(i), column, n);
}

static winnow_status check_validity(unsigned i, const winnow_in *column,
                                    uint64_t n) {
    const winnow_mask bits = validity_of(column);
    return column->d_valid == NULL ? WINNOW_OK
                                   : check_bits(i, "valid_", &bits, n);
}

/* The type of the columns that a leaf tests; NULL for bits and strings. */
static const winnow__type_info *column_type(const winnow__node *node) {
    return node->half == WINNOW__HALF_NONE ? node->type
                                           : winnow__tested_type(WINNOW_INT128);
}

static bool is_of_type(const winnow_in *column, const winnow__node *node) {
    switch (node->kind) {
    case WINNOW__NODE_BIT:
        return column->type == WINNOW_BIT;
    case WINNOW__NODE_VALID:
        return true;
    case WINNOW__NODE_STRING:
        return winnow__is_string_type(column->type);
    default:
        return winnow__tested_type(column->type) == column_type(node);
    }
}

static const char *type_of(const winnow__node *node) {
    return column_type(node) != NULL           ? column_type(node)->name
           : node->kind == WINNOW__NODE_STRING ? "strings"
                                               : "bit";
}

static winnow_status check_number(unsigned column_count, unsigned i) {
    return i < column_count
               ? WINNOW_OK
               : winnow__refuse(
                     "the condition tests column %u, and column_count "
                     "is %u",
                     i, column_count);
}

static winnow_status check_strings(const winnow__query *query, unsigned i,
                                   const winnow_in *column) {
    WINNOW__TRY(winnow__check_strings(name_of(i), column, query->n));
    WINNOW__TRY(check_validity(i, column, query->n));
    return winnow__check_string_bytes(query, name_of(i), column);
}

/* Check a column that an expression reads. */
static winnow_status check_read(const winnow__query *query,
                                const winnow__reading *reading,
                                const winnow__expression_column *read) {
    const uint64_t n = query->n;
    const unsigned i = read->column;
    WINNOW__TRY(check_number(reading->column_count, i));
    const winnow_in *const column = &reading->columns[i];
    if (winnow__is_string_type(read->type))
        return check_strings(query, i, column);
    WINNOW__TRY(check_values(i, column, n));
    WINNOW__TRY(check_validity(i, column, n));
    return column->type == read->type
               ? WINNOW_OK
               : winnow__refuse(
                     "columns[%u] is of %s, and an expression reads it as %s",
                     i, winnow_type_name(column->type),
                     winnow_type_name(read->type));
}

winnow_status winnow__check_reading(const winnow__reading *reading,
                                    const winnow__query *query) {
    const winnow__tested *const tested = reading->tested;
    if (tested->number != 0 && reading->columns == NULL)
        return winnow__refuse("columns is NULL");
    for (unsigned i = 0; i < tested->number; i++) {
        const winnow__expression *const expression = tested->expression[i];
        for (unsigned c = 0; expression != NULL && c < expression->columns; c++)
            WINNOW__TRY(check_read(query, reading, &expression->column[c]));
    }
    return WINNOW_OK;
}

static winnow_status check_test(const winnow__query *query,
                                const winnow__where *where,
                                const winnow__node *node) {
    const uint64_t n = query->n;
    const unsigned i = node->column;
    WINNOW__TRY(check_number(where->column_count, i));
    const winnow_in *const column = &where->columns[i];
    if (node->kind == WINNOW__NODE_STRING)
        return check_strings(query, i, column);
    if (!is_of_validity(node))
        WINNOW__TRY(check_values(i, column, n));
    else if (winnow__has_null_values(column))
        WINNOW__TRY(winnow__check_indices(name_of(i), column, n));
    WINNOW__TRY(check_validity(i, column, n));
    return is_of_type(column, node)
               ? WINNOW_OK
               : winnow__refuse(
                     "columns[%u] is of %s, and the condition tests it as %s",
                     i, winnow_type_name(column->type), type_of(node));
}

/* A condition in CUDA C only runs on a device, where NVRTC compiles it. */
static winnow_status check_source(const winnow_context *context,
                                  const winnow_condition *condition) {
    if (condition->has_source && context->backend->is_host)
        return winnow__unsupported(
            "the condition is in CUDA C, and the context is of "
            "WINNOW_DEVICE_HOST");
    return WINNOW_OK;
}

static winnow__reading reading_of(const winnow__where *where) {
    return (winnow__reading){.tested = &where->condition->tested,
                             .columns = where->columns,
                             .column_count = where->column_count};
}

static winnow_status check(const void *of, const winnow__query *query) {
    const winnow__where *const where = of;
    WINNOW__TRY(winnow__need(where->condition, "condition"));
    WINNOW__TRY(winnow__need(where->columns, "columns"));
    const winnow__reading reading = reading_of(where);
    for (unsigned i = 0; i < where->condition->number; i++) {
        const winnow__node *const node = &where->condition->nodes[i];
        if (winnow__is_leaf(node) && node->expression == NULL)
            WINNOW__TRY(check_test(query, where, node));
    }
    WINNOW__TRY(winnow__check_reading(&reading, query));
    return check_source(query->context, where->condition);
}

static winnow__range range_of_bits(unsigned i, const char *member,
                                   const winnow_mask *bits, uint64_t n) {
    winnow__range range = winnow__mask_range("columns", bits, n);
    range.number = i + 1;
    range.member = member;
    return range;
}

static winnow__range range_of(unsigned i, const winnow_in *column, uint64_t n) {
    const winnow_mask bits = bits_of(column);
    return column->type == WINNOW_BIT ? range_of_bits(i, "d_base", &bits, n)
                                      : winnow__in_range(name_of(i), column, n);
}

unsigned winnow__reading_most_ranges(const winnow__reading *reading) {
    const winnow__tested *const tested = reading->tested;
    unsigned number = 0;
    for (unsigned i = 0; i < tested->read_number; i++)
        number += winnow__is_of_strings(&reading->columns[tested->read[i]])
                      ? WINNOW__WHERE_RANGES_EACH
                      : 2;
    return number;
}

int winnow__reading_ranges(const winnow__reading *reading, uint64_t n,
                           winnow__range *list) {
    const winnow__tested *const tested = reading->tested;
    int number = 0;
    for (unsigned t = 0; t < tested->read_number; t++) {
        const unsigned i = tested->read[t];
        const winnow_in *const column = &reading->columns[i];
        const winnow_mask validity = validity_of(column);
        const bool asks = tested->asks_value[t];
        if (winnow__is_of_strings(column) &&
            (asks || winnow__has_null_values(column)))
            number += winnow__strings_ranges(name_of(i), column, n, asks,
                                             list + number);
        else if (asks)
            list[number++] = range_of(i, column, n);
        if (column->d_valid != NULL)
            list[number++] = range_of_bits(i, "d_valid", &validity, n);
    }
    return number;
}

/* Add to the text which code decides the condition. */
static winnow_status explain_code(const winnow_context *context,
                                  const winnow_condition *condition,
                                  struct winnow__text *text) {
#ifdef WINNOW_CUDA
    const winnow__to_compile what = winnow__to_compile_of(condition);
    winnow__choice choice;
    if (!context->backend->is_host)
        return winnow__explain_choice(context, &what, text, &choice);
#endif
    (void)context;
    winnow__add_text(text, "condition: %s\n",
                     condition->has_expressions
                         ? "interpreted, since the context is of "
                           "WINNOW_DEVICE_HOST"
                         : "built in");
    return WINNOW_OK;
}

static winnow_status explain(const void *of, const winnow__query *query,
                             struct winnow__text *text) {
    const winnow__where *const where = of;
    winnow__bound bound;
    void *const memory = malloc(winnow__bind_bytes(where));
    if (memory == NULL)
        return winnow__no_memory("a condition's columns");
    winnow__bind(where, memory, &bound);
    winnow__add_text(
        text, "tests: %u, in the order of %s\n", bound.program.leaves,
        winnow__is_ordered(&bound, query->n, query->context->backend->is_host)
            ? "a sample of the items"
            : "the condition");
    free(memory);
    return explain_code(query->context, where->condition, text);
}

/* ------------------------------------------------------------------ source */

static int ranges(const void *of, const winnow__call *call,
                  winnow__range *list) {
    const winnow__reading reading = reading_of(of);
    return winnow__reading_ranges(&reading, call->query.n, list);
}

static unsigned most_ranges(const void *of) {
    const winnow__reading reading = reading_of(of);
    return winnow__reading_most_ranges(&reading);
}

static void make_on_host(const void *of, const winnow__call *call,
                         const winnow__host_task *task, void *selection,
                         void *memory, const winnow__host_sink *sink) {
    (void)call;
    winnow__select_where_on_host(task, of, selection, memory, sink);
}

static const winnow__source_kind of_condition = {
    .check = check,
    .ranges = ranges,
    .most_ranges = most_ranges,
    .may_be_packed = true,
    .explain = explain,
    .host_bytes = winnow__where_host_bytes,
    .host = make_on_host,
    .device_bytes = WINNOW__IF_CUDA(winnow__where_device_bytes),
    .prepare = WINNOW__IF_CUDA(winnow__make_where_tables),
    .device = WINNOW__IF_CUDA(winnow__select_where_on_device),
};

winnow__source winnow__source_of_condition(const winnow__where *where) {
    return (winnow__source){.kind = &of_condition, .of = where};
}

const winnow__where *winnow__where_of(const winnow__source *source) {
    return source != NULL && source->kind == &of_condition ? source->of : NULL;
}
