/*
 * winnow_compact: the elements that a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "rows.h"

#include <string.h>

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

typedef struct details {
    size_t element_bytes;
    uint64_t capacity;
    const void *selection;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    winnow_status status = winnow__check_elements(query->n, d->element_bytes);
    query->options.capacity = d->capacity;
    return status == WINNOW_OK ? winnow__check_selection(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__query *const query = &call->query;
    const details *const d = details_of(query);
    list[0] = winnow__elements_range("d_in", call->in, query->n,
                                     d->element_bytes, false);
    list[1] =
        winnow__selection_range("d_selection", d->selection, query->n, false);
    list[2] = winnow__elements_range(
        "d_out", call->out, query->options.capacity, d->element_bytes, true);
    list[3] = winnow__result_range("d_count", call->count, sizeof *call->count);
    list[3].wanted = false;
    return 4;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    winnow__selection from;
    const unsigned char *in;
    unsigned char *out;
    uint64_t capacity;
    size_t bytes;
} host_work;

static void compact_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const uint64_t before = work->from.before[tile];
    const uint64_t end = work->from.before[tile + 1];
    const uint64_t first = tile * WINNOW__SELECTION_TILE;
    if (end - before == winnow__tile_items(&work->from, tile) &&
        end <= work->capacity) {
        memcpy(work->out + before * work->bytes, work->in + first * work->bytes,
               (end - before) * work->bytes);
        return;
    }
    for (winnow__survivor s = winnow__first(&work->from, tile);
         winnow__next(&s) && s.rank < work->capacity;)
        winnow__copy_element(work->out, s.rank, work->in, s.item, work->bytes);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    host_work work = {.from = winnow__selection_at(d->selection, task->n),
                      .in = call->in,
                      .out = call->out,
                      .capacity = task->capacity,
                      .bytes = d->element_bytes};
    winnow__host_each_tile(task, work.from.tiles, compact_tile, &work);
    if (call->count != NULL)
        *call->count = work.from.before[work.from.tiles];
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    const winnow__mover mover =
        winnow__choose_mover(call->in, call->out, d->element_bytes);
    const winnow__compact_args args = {
        .from = winnow__selection_at(d->selection, call->query.n),
        .in = call->in,
        .out = call->out,
        .capacity = call->query.options.capacity,
        .count = (unsigned long long *)call->count,
        .shape = mover.shape};
    (void)plan;
    (void)memory;
    return winnow__launch_sink(
        mover.is_column ? &winnow__compact[mover.log2_piece]
                        : &winnow__compact_rows[mover.log2_piece],
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

winnow_status winnow_compact(winnow_context *context, const void *d_selection,
                             const void *d_in, uint64_t n, size_t element_bytes,
                             void *d_out, uint64_t capacity, uint64_t *d_count,
                             winnow_stream stream) {
    const details d = {.element_bytes = element_bytes,
                       .capacity = capacity,
                       .selection = d_selection};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_out,
                         .count = d_count,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
