/*
 * winnow_compact and winnow_compact_columns: the elements that a selection
 * keeps, of one column or of many.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "columns.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#endif

static const winnow__columns *columns_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    winnow_status status = winnow__check_columns(columns_of(query), query->n);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const uint64_t n = call->query.n;
    list[0] = winnow__selection_range("d_selection", call->in, n, false);
    return 1 + winnow__columns_ranges(columns_of(&call->query), n, call->count,
                                      list + 1);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__selection_at(call->in, task->n);
    winnow__pack_on_host(task, columns_of(&call->query), &from, call->count);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    (void)constraints;
    winnow__plan_several(winnow__columns_bytes(columns_of(query), query->n),
                         plan_p);
    return WINNOW_OK;
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *plan_,
                             const winnow__workspace *memory) {
    const winnow__selection from =
        winnow__selection_at(call->in, call->query.n);
    (void)plan_;
    return winnow__pack_on_device(call->query.context, columns_of(&call->query),
                                  &from, call->count, memory->rest,
                                  call->stream);
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

static winnow__query query_of(winnow_context *context, uint64_t n,
                              const winnow__columns *columns) {
    return (winnow__query){.operation = &operation,
                           .context = context,
                           .n = n,
                           .details = columns};
}

winnow_status winnow_compact(winnow_context *context, const void *d_selection,
                             const void *d_in, uint64_t n, size_t element_bytes,
                             void *d_out, uint64_t capacity,
                             uint64_t *d_position, uint64_t *d_count,
                             winnow_stream stream) {
    const winnow_compact_column column = {
        .d_in = d_in, .d_out = d_out, .element_bytes = element_bytes};
    const winnow__columns columns = {.list = &column,
                                     .number = 1,
                                     .is_single = true,
                                     .capacity = capacity,
                                     .position = d_position};
    winnow__call call = {.query = query_of(context, n, &columns),
                         .in = d_selection,
                         .count = d_count,
                         .stream = stream};
    return winnow__do(&call, NULL);
}

/* ------------------------------------------------------------ many columns */

static winnow__columns many(const winnow_compact_column *list, unsigned number,
                            uint64_t capacity, uint64_t *position) {
    return (winnow__columns){.list = list,
                             .number = number,
                             .may_be_in_place = true,
                             .capacity = capacity,
                             .position = position};
}

winnow_status
winnow_compact_columns_workspace(winnow_context *context, uint64_t n,
                                 const winnow_compact_column *columns,
                                 unsigned number, size_t *bytes_p) {
    const winnow__columns all = many(columns, number, n, NULL);
    winnow__query query = query_of(context, n, &all);
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status winnow_compact_columns(winnow_context *context,
                                     const void *d_selection, uint64_t n,
                                     const winnow_compact_column *columns,
                                     unsigned number, uint64_t capacity,
                                     uint64_t *d_position, uint64_t *d_count,
                                     void *d_workspace, size_t workspace_bytes,
                                     winnow_stream stream) {
    const winnow__columns all = many(columns, number, capacity, d_position);
    winnow__call call = {.query = query_of(context, n, &all),
                         .in = d_selection,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
