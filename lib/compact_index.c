/*
 * winnow_compact_index: the indices of a selection's survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "selection.h"

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

/* query.details: the capacity. */
static winnow_status check(winnow__query *query) {
    query->options.capacity = *(const uint64_t *)query->details;
    return winnow__check_selection(query);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    list[0] = winnow__selection_range("d_selection", call->in, query->n, false);
    list[1] = (winnow__range){.name = "d_indices",
                              .start = call->out,
                              .bytes = query->options.capacity *
                                       query->index_type->size,
                              .alignment = query->index_type->size,
                              .wanted = query->options.capacity != 0,
                              .measure = "n",
                              .written = true};
    list[2] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[2].wanted = false;
    return 3;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    winnow__selection from;
    uint64_t capacity;
    void *out;
    bool wide;
} host_work;

static void write_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    for (winnow__survivor s = winnow__first(&work->from, tile);
         winnow__next(&s) && s.rank < work->capacity;)
        if (work->wide)
            ((uint64_t *)work->out)[s.rank] = s.item;
        else
            ((uint32_t *)work->out)[s.rank] = (uint32_t)s.item;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    host_work work = {.from = winnow__selection_at(call->in, task->n),
                      .capacity = task->capacity,
                      .out = call->out,
                      .wide = task->index_type->size == 8};
    winnow__host_each_tile(task, work.from.tiles, write_tile, &work);
    if (call->count != NULL)
        *call->count = work.from.before[work.from.tiles];
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__compact_index_args args = {
        .from = winnow__selection_at(call->in, query->n),
        .out = call->out,
        .capacity = query->options.capacity,
        .count = (unsigned long long *)call->count};
    (void)plan;
    (void)memory;
    return winnow__launch_sink(
        &winnow__compact_index[query->index_type->size == 8], 1, &args,
        &args.from, call->stream);
}
#endif

static const winnow__operation operation = {
    .without_predicate = true,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_compact_index(winnow_context *context,
                                   const void *d_selection, uint64_t n,
                                   winnow_type index_type, void *d_indices,
                                   uint64_t capacity, uint64_t *d_count,
                                   winnow_stream stream) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .index_type = winnow__type(index_type),
                                   .details = &capacity},
                         .in = d_selection,
                         .out = d_indices,
                         .count = d_count,
                         .stream = stream};
    winnow_status status = winnow__check_index_type(index_type, n);
    return status == WINNOW_OK ? winnow__do(&call, NULL) : status;
}
