/*
 * winnow_split: the elements that a selection keeps, and those it rejects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "rows.h"

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

typedef struct details {
    size_t element_bytes;
    const void *selection;
    void *rejected;
    uint64_t capacity, rejected_capacity; /* n at most */
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    winnow_status status = winnow__check_elements(query->n, d->element_bytes);
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    const size_t bytes = d->element_bytes;
    const uint64_t n = call->query.n;
    list[0] = winnow__elements_range("d_in", call->in, n, bytes, false);
    list[1] = winnow__selection_range("d_selection", d->selection, n, false);
    list[2] =
        winnow__elements_range("d_kept", call->out, d->capacity, bytes, true);
    list[3] = winnow__elements_range("d_rejected", d->rejected,
                                     d->rejected_capacity, bytes, true);
    list[4] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[4].wanted = false;
    return 5;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    winnow__selection from;
    const details *d;
    const void *in;
    void *kept;
} host_work;

static void split_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const details *const d = work->d;
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    const uint64_t end = first + winnow__tile_items(&work->from, tile);
    uint64_t kept = work->from.before[tile];
    for (uint64_t i = first; i < end; i++) {
        const uint64_t rejected = i - kept;
        if (work->from.keep[i / 32] >> i % 32 & 1) {
            if (kept < d->capacity)
                winnow__copy_element(work->kept, kept, work->in, i,
                                     d->element_bytes);
            kept++;
        } else if (rejected < d->rejected_capacity) {
            winnow__copy_element(d->rejected, rejected, work->in, i,
                                 d->element_bytes);
        }
    }
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    host_work work = {.from = winnow__selection_at(d->selection, task->n),
                      .d = d,
                      .in = call->in,
                      .kept = call->out};
    winnow__host_each_tile(task, work.from.tiles, split_tile, &work);
    if (call->count != NULL)
        *call->count = work.from.before[work.from.tiles];
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
/* An output that is not there does not count: its address is 0. */
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    const void *const outputs =
        (const void *)((uintptr_t)call->out | (uintptr_t)d->rejected);
    const winnow__mover mover =
        winnow__choose_mover(call->in, outputs, d->element_bytes);
    const winnow__split_args args = {
        .from = winnow__selection_at(d->selection, call->query.n),
        .in = call->in,
        .kept = call->out,
        .rejected = d->rejected,
        .capacity = d->capacity,
        .rejected_capacity = d->rejected_capacity,
        .count = (unsigned long long *)call->count,
        .shape = mover.shape};
    (void)plan;
    (void)memory;
    return winnow__launch_sink(
        mover.is_column ? &winnow__split[mover.log2_piece]
                        : &winnow__split_rows[mover.log2_piece],
        mover.tiles_per_block, &args, &args.from, call->stream);
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

winnow_status winnow_split(winnow_context *context, const void *d_selection,
                           const void *d_in, uint64_t n, size_t element_bytes,
                           void *d_kept, uint64_t kept_capacity,
                           void *d_rejected, uint64_t rejected_capacity,
                           uint64_t *d_count, winnow_stream stream) {
    const details d = {.element_bytes = element_bytes,
                       .selection = d_selection,
                       .rejected = d_rejected,
                       .capacity = kept_capacity < n ? kept_capacity : n,
                       .rejected_capacity =
                           rejected_capacity < n ? rejected_capacity : n};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_kept,
                         .count = d_count,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
