/*
 * winnow_compact and winnow_compact_columns: the elements that a selection
 * keeps, of one column or of many.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "selection/trim.h"

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#endif

static const winnow__columns *columns_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    WINNOW__TRY(winnow__check_columns(columns_of(query), query));
    return winnow__check_selection(query);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] =
        winnow__selection_range("d_selection", call->in, call->query.n, false);
    return 1 + winnow__columns_ranges(columns_of(&call->query), call, list + 1);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__trim_on_host(call, task, call->in);
    winnow__pack_on_host(task, call, columns_of(&call->query), &from,
                         (unsigned char *)task->memory +
                             winnow__trim_bytes(&call->query));
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    (void)constraints;
    winnow__plan_several(winnow__trim_bytes(query) +
                             winnow__columns_bytes(columns_of(query), query->n),
                         plan_p);
    return WINNOW_OK;
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *plan_,
                             const winnow__workspace *memory) {
    winnow__selection from;
    (void)plan_;
    WINNOW__TRY(winnow__trim_on_device(call, call->in, memory->rest, &from));
    return winnow__pack_on_device(call, columns_of(&call->query), &from,
                                  (unsigned char *)memory->rest +
                                      winnow__trim_bytes(&call->query));
}
#endif

static unsigned most_ranges(const winnow__query *query) {
    return 2 * columns_of(query)->number + 2;
}

static size_t host_bytes(const winnow__query *query) {
    return winnow__trim_bytes(query) +
           winnow__bits_in_place_bytes(columns_of(query), query->n);
}

#define OPERATION(NAME)                                                        \
    {                                                                          \
        .name = NAME,                                                          \
        .takes =                                                               \
            WINNOW__TAKES_N | WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY, \
        .predicate = WINNOW__NO_PREDICATE, .check = check, .ranges = ranges,   \
        .most_ranges = most_ranges, .host_bytes = host_bytes,                  \
        .run_on_host = run_on_host, .plan = WINNOW__IF_CUDA(plan),             \
        .enqueue = WINNOW__IF_CUDA(enqueue),                                   \
    }

static winnow_status run(winnow_context *context,
                         const winnow__operation *operation,
                         const void *d_selection, uint64_t n,
                         const winnow__columns *columns, uint64_t capacity,
                         uint64_t *d_count, const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = operation,
                                   .context = context,
                                   .n = n,
                                   .capacity = capacity,
                                   .details = columns},
                         .in = d_selection,
                         .count = d_count};
    return winnow__do(&call, launch);
}

winnow_status winnow_compact(winnow_context *context, const void *d_selection,
                             const void *d_in, uint64_t n, size_t element_bytes,
                             void *d_out, uint64_t capacity, uint64_t *d_count,
                             const winnow_launch *launch) {
    static const winnow__operation operation = OPERATION("compact");
    const winnow_move move = {
        .d_in = d_in, .d_out = d_out, .element_bytes = element_bytes};
    const winnow__columns columns = {
        .list = &move,
        .number = 1,
        .is_single = true,
        .allowed = "d_out lies apart from d_in; in place is "
                   "winnow_compact_columns()"};
    return run(context, &operation, d_selection, n, &columns, capacity, d_count,
               launch);
}

winnow_status winnow_compact_columns(winnow_context *context,
                                     const void *d_selection, uint64_t n,
                                     const winnow_move *moves,
                                     unsigned move_count, uint64_t capacity,
                                     uint64_t *d_count,
                                     const winnow_launch *launch) {
    static const winnow__operation operation = OPERATION("compact_columns");
    const winnow__columns columns = {
        .list = moves, .number = move_count, .may_be_in_place = true};
    return run(context, &operation, d_selection, n, &columns, capacity, d_count,
               launch);
}
