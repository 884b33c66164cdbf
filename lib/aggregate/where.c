/*
 * winnow_reduce_where: aggregates of the items that pass a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"

#include "core/context.h"
#include "core/status.h"
#include "reduce/details.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ checks */

static winnow_status check_aggregate(unsigned i,
                                     const winnow_aggregate *aggregate) {
    char name[32];
    snprintf(name, sizeof name, "aggregates[%u].", i);
    WINNOW__TRY(winnow__check_wanted(name, aggregate->wanted));
    if (aggregate->expression == NULL &&
        !winnow__reduce_counts_only(aggregate->wanted))
        return winnow__refuse("%sexpression is NULL, and wanted is 0x%x: items "
                              "are counted, by WINNOW_REDUCE_COUNT alone",
                              name, aggregate->wanted);
    if (aggregate->expression != NULL && aggregate->expression->upper != NULL &&
        (aggregate->wanted & (WINNOW_REDUCE_MINIMUM | WINNOW_REDUCE_MAXIMUM)) !=
            0)
        return winnow__unsupported(
            "%sexpression is of decimals of %d digits: there is "
            "a minimum or a maximum of at most %d; write "
            "cast(... as float64)",
            name, aggregate->expression->precision, WINNOW__NARROW_DIGITS);
    for (unsigned r = 0;
         r < sizeof aggregate->reserved / sizeof aggregate->reserved[0]; r++)
        if (aggregate->reserved[r] != 0)
            return winnow__refuse("%sreserved[%u] is not 0", name, r);
    return WINNOW_OK;
}

static winnow_status check_list(const winnow_aggregate *list, unsigned number) {
    WINNOW__TRY(winnow__need(list, "aggregates"));
    if (number == 0 || number > WINNOW_MOST_AGGREGATES)
        return winnow__refuse("aggregate_count is %u: wanted 1 to %u", number,
                              WINNOW_MOST_AGGREGATES);
    for (unsigned i = 0; i < number; i++)
        WINNOW__TRY(check_aggregate(i, &list[i]));
    return WINNOW_OK;
}

static winnow_status check(winnow__query *query) {
    const winnow__aggregates *const a = winnow__aggregates_of(query);
    WINNOW__TRY(winnow__check_source(query));
    return winnow__check_reading(&a->read, query);
}

/* ------------------------------------------------------------------ ranges */

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__aggregates *const a = winnow__aggregates_of(&call->query);
    int number = winnow__source_ranges(call, list);
    number += winnow__reading_ranges(&a->read, call->query.n, list + number);
    list[number] =
        winnow__result_range("d_results", call->out,
                             (unsigned)(a->results * sizeof(winnow_reduction)));
    list[number].alignment = _Alignof(winnow_reduction);
    return number + 1;
}

static unsigned most_ranges(const winnow__query *query) {
    const winnow__aggregates *const a = winnow__aggregates_of(query);
    return winnow__source_most_ranges(query) +
           winnow__reading_most_ranges(&a->read) + 1;
}

/* ----------------------------------------------------------------- columns */

/* The lower half of a wide decimal is a WINNOW_UINT64, and the sum of the upper halves
 * completes it. */
winnow__reduce_type winnow__aggregate_type(const winnow__aggregates *a,
                                           unsigned i) {
    const winnow_expression *const of = a->list[i].expression;
    const bool is_lower = of != NULL && of->upper != NULL;
    const winnow_type type = i >= a->results ? WINNOW_INT128
                             : is_lower      ? WINNOW_UINT64
                                             : winnow_expression_type(of);
    return winnow__reduce_type_of(type == WINNOW_FLOAT32  ? WINNOW_FLOAT64
                                  : type == WINNOW_OPAQUE ? WINNOW_INT64
                                                          : type);
}

void winnow__find_read(const winnow__aggregates *a, winnow__read *read) {
    read->values = (winnow__where_values){.columns = a->read.columns,
                                          .tested = a->read.tested,
                                          .column = read->column};
    winnow__find_values(&read->values);
}

void winnow__aggregate_columns(const winnow__where_values *values,
                               const winnow_aggregate *aggregate,
                               winnow__value_column columns[]) {
    if (aggregate->expression != NULL)
        winnow__columns_of_values(values, aggregate->expression, columns);
}

/* --------------------------------------------------------------- operation */

/* Even if the reduction is interpreted, the condition may be compiled. */
static winnow_status explain(const winnow__query *query,
                             struct winnow__text *text,
                             winnow_strategy *strategy_p) {
    bool is_compiled = false;
#ifdef WINNOW_CUDA
    if (!query->context->backend->is_host)
        WINNOW__TRY(winnow__explain_reduction(query, text, &is_compiled));
#endif
    return is_compiled ? WINNOW_OK
                       : winnow__explain_source(query, text, strategy_p);
}

/* call->out is an array of winnow_reductions. */
static const winnow__operation operation = {
    .name = "reduce_where",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .most_ranges = most_ranges,
    .explain = explain,
    .host_bytes = winnow__reduce_where_host_bytes,
    .run_on_host = winnow__reduce_where_on_host,
    .device_bytes = WINNOW__IF_CUDA(winnow__reduce_where_device_bytes),
    .run = WINNOW__IF_CUDA(winnow__run_source),
    .enqueue = WINNOW__IF_CUDA(winnow__reduce_where_enqueue),
};

/* Find what the expressions read. */
static winnow_status find_tested(const winnow_aggregate *list, unsigned number,
                                 winnow__tested *tested) {
    for (unsigned i = 0; i < number; i++) {
        const winnow__node value = {
            .kind = WINNOW__NODE_TEST,
            .expression = (winnow__expression *)(uintptr_t)list[i].expression};
        if (value.expression != NULL && !winnow__tested_add(tested, &value))
            return winnow__unsupported(
                "the expressions read more than %u different columns",
                WINNOW_CONDITION_MOST_COLUMNS);
    }
    return WINNOW_OK;
}

/* The sum of a decimal of more than 18 digits is split: one sum of its lower
 * halves, and, after all results, one of its upper halves. */
static winnow_status split(const winnow_aggregate *list, unsigned number,
                           winnow__aggregates *a) {
    memcpy(a->list, list, number * sizeof list[0]);
    a->results = a->number = number;
    for (unsigned i = 0; i < number; i++) {
        if (list[i].expression == NULL || list[i].expression->upper == NULL ||
            (list[i].wanted & WINNOW_REDUCE_SUM) == 0)
            continue;
        if (a->number == WINNOW_MOST_AGGREGATES)
            return winnow__unsupported(
                "aggregate_count is %u: sums of decimals of "
                "more than %d digits count twice, and at most "
                "%u are possible",
                number, WINNOW__NARROW_DIGITS, WINNOW_MOST_AGGREGATES);
        a->upper[i] = (uint8_t)a->number;
        a->lower[a->number] = (uint8_t)i;
        a->list[a->number++] = (winnow_aggregate){
            .expression = list[i].expression->upper,
            .wanted = WINNOW_REDUCE_SUM | WINNOW__REDUCE_UPPER |
                      (list[i].wanted & WINNOW_REDUCE_PARTIAL)};
        a->list[i].wanted |= WINNOW_REDUCE_PARTIAL;
    }
    return WINNOW_OK;
}

winnow_status
winnow__reduce_where(winnow_context *context, const winnow_condition *condition,
                     const winnow_in *columns, unsigned column_count,
                     uint64_t n, const winnow_aggregate *aggregates,
                     unsigned aggregate_count, uint32_t most_parts,
                     winnow_reduction *d_results, const winnow_launch *launch) {
    winnow__tested tested = {0};
    WINNOW__TRY(check_list(aggregates, aggregate_count));
    const winnow__where where = {.condition = condition,
                                 .columns = columns,
                                 .column_count = column_count};
    winnow__aggregates a = {.read = {.tested = &tested,
                                     .columns = columns,
                                     .column_count = column_count},
                            .most_parts = most_parts};
    WINNOW__TRY(split(aggregates, aggregate_count, &a));
    WINNOW__TRY(find_tested(a.list, a.number, &tested));
    const winnow__source source = winnow__source_of_condition(&where);
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .source = condition != NULL ? &source : NULL,
                                   .details = &a},
                         .out = d_results};
    return winnow__do(&call, launch);
}

winnow_status
winnow_reduce_where(winnow_context *context, const winnow_condition *condition,
                    const winnow_in *columns, unsigned column_count, uint64_t n,
                    const winnow_aggregate *aggregates,
                    unsigned aggregate_count, winnow_reduction *d_results,
                    const winnow_launch *launch) {
    return winnow__reduce_where(context, condition, columns, column_count, n,
                                aggregates, aggregate_count,
                                WINNOW__REDUCE_PARTS, d_results, launch);
}
