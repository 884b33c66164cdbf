/*
 * winnow_split: the elements that a selection keeps, and those it rejects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "columns.h"
#include "split.h"

#ifdef WINNOW_CUDA
#include "selection/kernels.h"
#endif

typedef struct details {
    const void *selection;
    winnow__split split;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    winnow_status status = winnow__check_elements(
        query->n, details_of(query)->split.element_bytes);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const winnow__split *const s = &d->split;
    const uint64_t n = call->query.n;
    list[0] = winnow__elements_range("d_in", s->in, n, s->element_bytes, false);
    list[1] = winnow__selection_range("d_selection", d->selection, n, false);
    list[2] = winnow__elements_range("d_kept", s->kept, s->capacity,
                                     s->element_bytes, true);
    list[3] =
        winnow__elements_range("d_rejected", s->rejected, s->rejected_capacity,
                               s->element_bytes, true);
    list[4] = winnow__result_range("d_count", s->count, sizeof *s->count);
    list[4].wanted = false;
    list[5] = winnow__items_range(s->d_n);
    return 6;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    winnow__selection from; /* its n: the items that there are */
    const winnow__split *split;
    void *rejected;
} host_work;

static void split_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__split *const s = work->split;
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const uint64_t end = first + winnow__tile_items(&work->from, tile);
    uint64_t kept = work->from.before[tile];
    for (uint64_t i = first; i < end; i++) {
        const uint64_t rejected = i - kept;
        if (work->from.keep[i / 32] >> i % 32 & 1) {
            if (kept < s->capacity)
                winnow__copy_element(s->kept, kept, s->in, i, s->element_bytes);
            kept++;
        } else if (rejected < s->rejected_capacity) {
            winnow__copy_element(work->rejected, rejected, s->in, i,
                                 s->element_bytes);
        }
    }
}

void winnow__split_on_host(const winnow__host_task *task,
                           const winnow__split *split,
                           const winnow__selection *from) {
    const uint64_t total = from->before[from->tiles];
    host_work work = {.from = *from,
                      .split = split,
                      .rejected = split->in_one_array
                                      ? (unsigned char *)split->kept +
                                            total * split->element_bytes
                                      : split->rejected};
    if (split->d_n != NULL && *split->d_n < from->n)
        work.from.n = *split->d_n;
    winnow__host_each_tile(task, from->tiles, split_tile, &work);
    if (split->count != NULL)
        *split->count = total;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    const winnow__selection from = winnow__selection_at(d->selection, task->n);
    winnow__split_on_host(task, &d->split, &from);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
/* An output that is not there does not count: its address is 0. */
winnow_status winnow__split_on_device(const winnow_context *context,
                                      const winnow__split *split,
                                      const winnow__selection *from,
                                      winnow_stream stream) {
    const void *const outputs =
        (const void *)((uintptr_t)split->kept | (uintptr_t)split->rejected);
    const winnow__mover mover =
        winnow__choose_mover(split->in, outputs, split->element_bytes);
    winnow__split_args args = {.from = *from,
                               .in = split->in,
                               .kept = split->kept,
                               .rejected = split->rejected,
                               .capacity = split->capacity,
                               .rejected_capacity = split->rejected_capacity,
                               .count = (unsigned long long *)split->count,
                               .items = (const unsigned long long *)split->d_n,
                               .shape = mover.shape,
                               .log2_rows =
                                   winnow__log2_rows(split->element_bytes),
                               .element_bytes = (unsigned)split->element_bytes,
                               .in_one_array = split->in_one_array};
    if (!mover.is_column)
        return winnow__launch_rows(&winnow__split_rows[mover.log2_piece],
                                   args.log2_rows, &args, from, stream);
    winnow_status status =
        winnow__pack_limits_of(context, mover.log2_piece, &args.limits);
    if (status == WINNOW_OK)
        status =
            winnow__tiles_per_block(context, from, mover.tiles, &args.tiles);
    if (status != WINNOW_OK)
        return status;
    return winnow__launch_sink(&winnow__split_columns[mover.log2_piece],
                               args.tiles, &args, from, stream);
}

static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    const winnow__selection from =
        winnow__selection_at(d->selection, call->query.n);
    (void)plan;
    (void)memory;
    return winnow__split_on_device(call->query.context, &d->split, &from,
                                   call->stream);
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

winnow_status winnow_split(winnow_context *context, const void *d_selection,
                           const void *d_in, uint64_t n, size_t element_bytes,
                           void *d_kept, uint64_t kept_capacity,
                           void *d_rejected, uint64_t rejected_capacity,
                           uint64_t *d_count, const uint64_t *d_n,
                           winnow_stream stream) {
    const details d = {
        .selection = d_selection,
        .split = {.element_bytes = element_bytes,
                  .in = d_in,
                  .kept = d_kept,
                  .rejected = d_rejected,
                  .capacity = kept_capacity < n ? kept_capacity : n,
                  .rejected_capacity =
                      rejected_capacity < n ? rejected_capacity : n,
                  .count = d_count,
                  .d_n = d_n}};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_kept,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
