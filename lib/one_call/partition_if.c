/*
 * winnow_partition_if: the elements that pass, and those that do not.
 *
 * Into two arrays a large input goes in one pass, by TILE_SCAN's kernel with
 * the sink Parts. All else is split by a selection in the workspace: a small
 * input, and one of which the device has the number of items; and rejects that
 * follow the survivors, whose place is known only when all are counted.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "select/source.h"
#include "pack/split.h"
#include "core/status.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "cuda/memory.h"
#include "tile/plan.h"
#endif

typedef struct details {
    bool is_query; /* of the workspace: without a predicate or pointers */
    winnow__split split;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    if (query->predicate == NULL && !details_of(query)->is_query)
        return winnow__fail(WINNOW_ERR_ARGUMENT, "predicate is NULL");
    return winnow__check_selection(query);
}

/* Of the type of the predicate, which is known now. */
static winnow__split split_of(const winnow__call *call) {
    winnow__split split = details_of(&call->query)->split;
    split.element_bytes = call->query.type->size;
    return split;
}

static winnow__range output_range(const winnow__call *call, const char *name,
                                  const void *start) {
    winnow__range range = winnow__input_range(call);
    range.name = name;
    range.start = start;
    range.written = true;
    return range;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__split *const s = &details_of(&call->query)->split;
    list[0] = winnow__input_range(call);
    list[1] = output_range(call, "d_out", s->kept);
    list[2] = output_range(call, "d_rejected", s->rejected);
    list[2].wanted = false;
    list[3] = winnow__result_range("d_count", s->count, sizeof *s->count);
    list[3].wanted = false;
    list[4] = winnow__items_range(s->d_n);
    return 5;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__split split = split_of(call);
    const winnow__source source =
        winnow__source_of(task->predicate, call->in, split.d_n);
    void *const selection = malloc(winnow__selection_needed(task->n));
    if (selection == NULL)
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for a selection");
    const winnow__selection from = winnow__selection_at(selection, task->n);
    winnow__make_on_host(task, &source, selection);
    winnow__split_on_host(task, &split, &from);
    free(selection);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
/* A query of the workspace does not know which way its calls take. They need
 * the most for a selection: more than 512 bytes for 4096 items of any size,
 * where a look-back has a word for a tile of 48 KiB. */
static winnow_status plan(const winnow__query *query,
                          const winnow__constraints *constraints,
                          winnow__plan *plan_p) {
    const details *const d = details_of(query);
    winnow__input input;
    if (!d->is_query && !d->split.in_one_array && d->split.d_n == NULL) {
        winnow_status status = winnow__input_of(query, &input);
        if (status != WINNOW_OK)
            return status;
        if (winnow__is_one_pass(&input, WINNOW__SHAPE_parts_scan))
            return winnow__plan_look_back(&input, constraints,
                                          WINNOW__SHAPE_parts_scan, plan_p);
    }
    winnow__plan_several(winnow__selection_needed(query->n), plan_p);
    return WINNOW_OK;
}

static void set_results(const winnow__call *call, const winnow__plan *planned,
                        winnow__args *args) {
    const winnow__split *const s = &details_of(&call->query)->split;
    (void)planned;
    args->sink.out = s->kept;
    args->parts.rejected = s->rejected;
    args->sink.count = (unsigned long long *)s->count;
}

static winnow_status enqueue(const winnow__call *call,
                             const winnow__plan *planned,
                             const winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__split split = split_of(call);
    const winnow__source source =
        winnow__source_of(query->predicate, call->in, split.d_n);
    const winnow__selection from = winnow__selection_at(memory->rest, query->n);
    (void)planned;
    winnow_status status =
        winnow__make_on_device(&source, query->n, memory->rest, call->stream);
    return status == WINNOW_OK ? winnow__split_on_device(query->context, &split,
                                                         &from, call->stream)
                               : status;
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__OPTIONAL_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(plan),
    .set_results = WINNOW__IF_CUDA(set_results),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_partition_if_workspace(winnow_context *context, uint64_t n,
                                            size_t *bytes_p) {
    const details d = {.is_query = true};
    winnow__query query = {
        .operation = &operation, .context = context, .n = n, .details = &d};
    return winnow__query_workspace(&query, NULL, bytes_p);
}

winnow_status
winnow_partition_if(winnow_context *context, const winnow_predicate *predicate,
                    const void *d_in, uint64_t n, void *d_out, void *d_rejected,
                    uint64_t *d_count, const uint64_t *d_n, void *d_workspace,
                    size_t workspace_bytes, winnow_stream stream) {
    const details d = {.split = {.in = d_in,
                                 .kept = d_out,
                                 .rejected = d_rejected,
                                 .capacity = n,
                                 .rejected_capacity = n,
                                 .d_n = d_n,
                                 .in_one_array = d_rejected == NULL,
                                 .count = d_count}};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_out,
                         .workspace = d_workspace,
                         .workspace_bytes = workspace_bytes,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
