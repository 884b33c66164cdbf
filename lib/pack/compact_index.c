/*
 * winnow_compact_index: the indices of a selection's survivors.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "columns.h"
#include "selection/format.h"
#include "core/status.h"

#ifdef WINNOW_CUDA
#include "selection/kernels.h"
#endif

typedef struct details {
    const winnow__type_info *index_type;
    uint64_t capacity;
    uint64_t *position; /* NULL: output begins at 0 */
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    if (d->position != NULL && d->capacity > UINTPTR_MAX / d->index_type->size)
        return winnow__fail(WINNOW_ERR_ARGUMENT,
                            "capacity is %llu: with d_position it has to be "
                            "the number of indices that there is room for",
                            (unsigned long long)d->capacity);
    return winnow__check_selection(query);
}

/* Without a position nothing is written behind n indices. */
static uint64_t capacity_of(const winnow__query *query) {
    const details *const d = details_of(query);
    return d->position == NULL && d->capacity > query->n ? query->n
                                                         : d->capacity;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    uint64_t *const position = details_of(query)->position;
    const unsigned size = details_of(query)->index_type->size;
    const uint64_t capacity = capacity_of(query);
    list[0] = winnow__selection_range("d_selection", call->in, query->n, false);
    list[1] = (winnow__range){.name = "d_indices",
                              .start = call->out,
                              .bytes = capacity * size,
                              .alignment = size,
                              .wanted = capacity != 0,
                              .measure = "n",
                              .written = true};
    list[2] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[2].wanted = false;
    list[3] = winnow__result_range("d_position", position, sizeof *position);
    list[3].wanted = false;
    return 4;
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
    uint64_t *const position = details_of(&call->query)->position;
    const unsigned size = details_of(&call->query)->index_type->size;
    host_work work = {.from = winnow__selection_at(call->in, task->n),
                      .wide = size == 8};
    const uint64_t total = work.from.before[work.from.tiles];
    const uint64_t start =
        winnow__host_place(position, capacity_of(&call->query), &work.capacity);
    work.out = (unsigned char *)call->out + start * size;
    winnow__host_each_tile(task, work.from.tiles, write_tile, &work);
    winnow__host_advance(position, work.capacity, total);
    if (call->count != NULL)
        *call->count = total;
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__query *const query = &call->query;
    const winnow__selection from = winnow__selection_at(call->in, query->n);
    winnow__compact_index_args args = {
        .from = from,
        .out = call->out,
        .capacity = capacity_of(query),
        .count = (unsigned long long *)call->count,
        .position = (unsigned long long *)details_of(query)->position};
    (void)plan;
    (void)memory;
    winnow_status status =
        winnow__tiles_per_block(query->context, &from, 1, &args.tiles);
    if (status == WINNOW_OK)
        status = winnow__launch_sink(
            &winnow__compact_index[details_of(query)->index_type->size == 8],
            args.tiles, &args, &from, call->stream);
    return status == WINNOW_OK
               ? winnow__launch_advance(&args.from, details_of(query)->position,
                                        args.capacity, call->stream)
               : status;
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_compact_index(winnow_context *context,
                                   const void *d_selection, uint64_t n,
                                   winnow_type index_type, void *d_indices,
                                   uint64_t capacity, uint64_t *d_position,
                                   uint64_t *d_count, winnow_stream stream) {
    const details d = {.index_type = winnow__type(index_type),
                       .capacity = capacity,
                       .position = d_position};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_selection,
                         .out = d_indices,
                         .count = d_count,
                         .stream = stream};
    winnow_status status = winnow__check_index_type(index_type, n);
    return status == WINNOW_OK ? winnow__do(&call, NULL) : status;
}
