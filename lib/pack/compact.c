/*
 * winnow_compact and winnow_compact_columns: pack the elements that a selection
 * keeps, of one column or several.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "selection/sink.h"

static const winnow__columns *columns_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    return winnow__check_columns(columns_of(query), query);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    return winnow__columns_ranges(columns_of(&call->query), call, list);
}

static unsigned most_ranges(const winnow__query *query) {
    return 2 * columns_of(query)->number + 1;
}

static size_t host_bytes(const winnow__query *query) {
    return winnow__bits_in_place_bytes(columns_of(query), query->n);
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    winnow__pack_on_host(task, call, columns_of(&call->query), from, memory);
}

#ifdef WINNOW_CUDA
static size_t device_bytes(const winnow__query *query) {
    return winnow__columns_bytes(columns_of(query), query->n);
}

static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    return winnow__pack_on_device(call, columns_of(&call->query), from, memory);
}
#endif

#define OPERATION(NAME)                                                        \
    WINNOW__SINK_OPERATION(                                                    \
        NAME, WINNOW__TAKES_POSITION | WINNOW__TAKES_CAPACITY, .check = check, \
        .ranges = ranges, .most_ranges = most_ranges,                          \
        .host_bytes = host_bytes, .host = host,                                \
        .device_bytes = WINNOW__IF_CUDA(device_bytes),                         \
        .device = WINNOW__IF_CUDA(device))

static const winnow__operation one = OPERATION("compact");
static const winnow__operation many = OPERATION("compact_columns");

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
    const winnow_move move = {
        .d_in = d_in, .d_out = d_out, .element_bytes = element_bytes};
    const winnow__columns columns = {
        .list = &move,
        .number = 1,
        .is_single = true,
        .allowed = "d_out lies apart from d_in; in place is "
                   "winnow_compact_columns()"};
    return run(context, &one, d_selection, n, &columns, capacity, d_count,
               launch);
}

winnow_status winnow_compact_columns(winnow_context *context,
                                     const void *d_selection, uint64_t n,
                                     const winnow_move *moves,
                                     unsigned move_count, uint64_t capacity,
                                     uint64_t *d_count,
                                     const winnow_launch *launch) {
    const winnow__columns columns = {
        .list = moves, .number = move_count, .may_be_in_place = true};
    return run(context, &many, d_selection, n, &columns, capacity, d_count,
               launch);
}
