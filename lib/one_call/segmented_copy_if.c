/*
 * winnow_segmented_copy_if: the elements of segments that pass a predicate, and
 * the segments of the output. Of large inputs they are packed and marked in one
 * pass.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "marked.h"
#include "pack/segments.h"
#include "select/source.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#endif

typedef struct details {
    winnow__segments segments;
    uint64_t capacity;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow__packed packed_of(const winnow__call *call) {
    return (winnow__packed){.in = call->in,
                            .out = call->out,
                            .element_bytes = call->query.type->size,
                            .capacity = call->query.options.capacity,
                            .count = call->count};
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    winnow_status status = winnow__check_segments(&d->segments);
    query->options.capacity = d->capacity;
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    list[0] = winnow__input_range(call);
    list[1] = winnow__elements_range(
        "d_out", call->out, query->options.capacity, query->type->size, true);
    list[1].alignment = query->type->size;
    list[2] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[2].wanted = false;
    return 3 + winnow__segments_ranges(&details_of(query)->segments, list + 3);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__packed packed = packed_of(call);
    void *memory;
    winnow_status status = winnow__take_selection(task->n, &memory);
    if (status != WINNOW_OK)
        return status;
    const winnow__selection selection = winnow__selection_at(memory, task->n);
    const winnow__source source =
        winnow__source_of(call->query.predicate, call->in, NULL);
    winnow__make_on_host(task, &source, memory);
    winnow__segments_on_host(task, &details_of(&call->query)->segments,
                             &selection);
    winnow__pack_one_on_host(task, &packed, &selection);
    free(memory);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    winnow__input input;
    winnow_status status = winnow__input_of(query, &input);
    if (status != WINNOW_OK)
        return status;
    const bool is_packed =
        winnow__is_marked(&input, constraints, WINNOW__SHAPE_marks_scan);
    WINNOW__KEEP(plan_p, is_packed);
    if (is_packed)
        return winnow__plan_marked(&input, constraints,
                                   WINNOW__SHAPE_marks_scan, plan_p);
    return winnow__plan_one_shot(query, constraints, plan_p);
}

static void set_results(const winnow__call *call, const winnow__plan *planned,
                        winnow__args *args) {
    (void)planned;
    args->sink.out = call->out;
    args->sink.capacity = call->query.options.capacity;
    args->sink.count = (unsigned long long *)call->count;
}

static winnow_status make(const winnow__call *call,
                          const winnow__workspace *memory,
                          winnow__selection *selection_p) {
    const winnow__query *const query = &call->query;
    const winnow__source source =
        winnow__source_of(query->predicate, call->in, NULL);
    *selection_p = winnow__selection_at(memory->rest, query->n);
    return winnow__make_on_device(&source, query->n, memory->rest,
                                  call->stream);
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *planned,
                             const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__packed packed = packed_of(call);
    bool is_packed;
    winnow__selection selection;
    WINNOW__RECALL(planned, &is_packed);
    winnow_status status =
        is_packed ? winnow__enqueue_marked(call, planned, memory, &selection)
                  : make(call, memory, &selection);
    if (status == WINNOW_OK)
        status = winnow__segments_on_device(&details_of(query)->segments,
                                            &selection, call->stream);
    return status == WINNOW_OK && !is_packed
               ? winnow__pack_one_on_device(query->context, &packed, &selection,
                                            call->stream)
               : status;
}
#endif

static const winnow__operation operation = {
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status
winnow_segmented_copy_if_workspace(winnow_context *context,
                                   const winnow_predicate *predicate,
                                   uint64_t n, size_t *bytes_p) {
    const details d = {.segments = {.offset_type = WINNOW_UINT64},
                       .capacity = n};
    winnow__query query = {.operation = &operation,
                           .context = context,
                           .predicate = predicate,
                           .n = n,
                           .details = &d};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status winnow_segmented_copy_if(
    winnow_context *context, const winnow_predicate *predicate,
    const void *d_in, uint64_t n, winnow_type offset_type, uint64_t number,
    const void *d_offsets, void *d_out, uint64_t capacity, void *d_counts,
    void *d_out_offsets, uint64_t *d_count, void *d_workspace,
    size_t workspace_bytes, winnow_stream stream) {
    const details d = {.segments = {.offset_type = offset_type,
                                    .number = number,
                                    .offsets = d_offsets,
                                    .counts = d_counts,
                                    .ranks = d_out_offsets},
                       .capacity = capacity};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_out,
                         .count = d_count,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
