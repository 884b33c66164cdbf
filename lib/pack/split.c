/*
 * winnow_split: the elements that a selection keeps, and those it rejects.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "columns.h"
#include "selection/sink.h"
#include "split.h"
#include "tile_host.h"
#include "kernels.h"

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const winnow__host_task *task;
    const winnow__selection *from;
    const winnow__split *split;
    unsigned char *kept, *rejected;
} host_work;

static void split_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const winnow__split *const s = work->split;
    uint32_t words[WINNOW__SELECTION_WORDS];
    winnow__host_items items = winnow__host_items_of(
        work->task->loops, work->from, tile, s->in.d_base, s->element_bytes);
    const uint64_t kept = work->from->before[tile];
    const uint64_t rejected = tile * WINNOW__SELECTION_TILE - kept;
    if (kept < s->capacity)
        winnow__host_pack_items(&items, work->kept + kept * s->element_bytes,
                                s->capacity - kept);
    if (items.n == 0 || rejected >= s->rejected_capacity)
        return;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++)
        words[w] = ~items.words[w];
    items.words = words;
    items.kept = items.n - items.kept;
    items.own = items.kept;
    winnow__host_pack_items(&items,
                            work->rejected + rejected * s->element_bytes,
                            s->rejected_capacity - rejected);
}

static void split_bits(const winnow__host_task *task,
                       const winnow__split *split,
                       const winnow__selection *from) {
    winnow__bit_packing packing = {
        .in = winnow__bits_at(split->in.d_base, split->in.offset),
        .out = winnow__bits_at(split->kept.d_base, split->kept.offset),
        .room = split->capacity};
    winnow__host_pack_bits_of(task, from, &packing);
    packing.out =
        winnow__bits_at(split->rejected.d_base, split->rejected.offset);
    packing.room = split->rejected_capacity;
    packing.rejects = true;
    winnow__host_pack_bits_of(task, from, &packing);
}

void winnow__split_on_host(const winnow__host_task *task,
                           const winnow__split *split,
                           const winnow__selection *from) {
    const uint64_t total = from->before[from->tiles];
    unsigned char *const kept = split->kept.d_base;
    host_work work = {.task = task,
                      .from = from,
                      .split = split,
                      .kept = kept,
                      .rejected = split->in_one_array
                                      ? kept + total * split->element_bytes
                                      : split->rejected.d_base};
    if (split->in.type == WINNOW_BIT)
        split_bits(task, split, from);
    else
        winnow__host_each_tile(task, from->tiles, split_tile, &work);
    if (split->counts != NULL) {
        split->counts[0] = total;
        split->counts[1] = task->n - total;
    }
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
/* An output that is NULL has no alignment to consider: its address is 0. */
winnow_status winnow__split_on_device(const winnow__call *call,
                                      const winnow__split *split,
                                      const winnow__selection *from) {
    const winnow_context *const context = call->query.context;
    const winnow_launch *const launch = &call->query.launch;
    if (split->in.type == WINNOW_BIT)
        return winnow__split_bits_on_device(split, from, launch);
    const void *const outputs =
        (const void *)((uintptr_t)split->kept.d_base |
                       (uintptr_t)split->rejected.d_base);
    const winnow__mover mover =
        winnow__choose_mover(split->in.d_base, outputs, split->element_bytes);
    winnow__split_args args = {.from = *from,
                               .in = split->in.d_base,
                               .kept = split->kept.d_base,
                               .rejected = split->rejected.d_base,
                               .capacity = split->capacity,
                               .rejected_capacity = split->rejected_capacity,
                               .counts = (unsigned long long *)split->counts,
                               .items = (const unsigned long long *)launch->d_n,
                               .shape = mover.shape,
                               .log2_rows =
                                   winnow__log2_rows(split->element_bytes),
                               .element_bytes = (unsigned)split->element_bytes,
                               .in_one_array = split->in_one_array};
    if (!mover.is_column)
        return winnow__launch_rows(&winnow__split_rows[mover.log2_piece],
                                   args.log2_rows, &args, from, launch->stream);
    WINNOW__TRY(
        winnow__pack_limits_of(context, mover.log2_piece, &args.limits));
    WINNOW__TRY(
        winnow__tiles_per_block(context, from, mover.tiles, &args.tiles));
    return winnow__launch_sink(&winnow__split_columns[mover.log2_piece],
                               args.tiles, &args, from, launch->stream);
}

#endif

/* ---------------------------------------------------------------------- API */

typedef struct details {
    const winnow_in *in;
    const winnow_out *kept, *rejected;
    winnow__split split;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    WINNOW__TRY(winnow__check_dense_elements("in", d->in, query->n));
    WINNOW__TRY(
        winnow__check_dense_output("kept", d->kept, d->in, d->split.capacity));
    return winnow__check_dense_output("rejected", d->rejected, d->in,
                                      d->split.rejected_capacity);
}

static winnow__range output_range(const char *name, const char *measure,
                                  const winnow_out *out, uint64_t capacity,
                                  uint64_t n) {
    const winnow_in seen = winnow__as_in(out);
    winnow__range range = winnow__array_range(name, &seen, capacity, true);
    if (capacity != n)
        range.measure = measure;
    return range;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const winnow__split *const s = &details_of(&call->query)->split;
    const uint64_t n = call->query.n;
    list[0] = winnow__array_range("in->d_base", &s->in, n, false);
    list[1] =
        output_range("kept->d_base", "kept_capacity", &s->kept, s->capacity, n);
    list[2] = output_range("rejected->d_base", "rejected_capacity",
                           &s->rejected, s->rejected_capacity, n);
    list[3] = winnow__counts_range(s->counts);
    return 4;
}

winnow__range winnow__counts_range(const uint64_t *d_counts) {
    winnow__range range =
        winnow__result_range("d_counts", d_counts, 2 * sizeof *d_counts);
    range.alignment = sizeof *d_counts;
    range.wanted = false;
    return range;
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    (void)memory;
    winnow__split_on_host(task, &details_of(&call->query)->split, from);
}

#ifdef WINNOW_CUDA
static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    (void)memory;
    return winnow__split_on_device(call, &details_of(&call->query)->split,
                                   from);
}
#endif

static const winnow__operation operation =
    WINNOW__SINK_OPERATION("split", 0, .check = check, .ranges = ranges,
                           .host = host, .device = WINNOW__IF_CUDA(device));

winnow_status winnow_split(winnow_context *context, const void *d_selection,
                           const winnow_in *in, uint64_t n,
                           const winnow_out *kept, uint64_t kept_capacity,
                           const winnow_out *rejected,
                           uint64_t rejected_capacity, uint64_t *d_counts,
                           const winnow_launch *launch) {
    const winnow__split split = {
        .in = in != NULL ? *in : (winnow_in){0},
        .kept = kept != NULL ? *kept : (winnow_out){0},
        .rejected = rejected != NULL ? *rejected : (winnow_out){0},
        .element_bytes = winnow__bytes_of(in),
        .capacity = kept_capacity < n ? kept_capacity : n,
        .rejected_capacity = rejected_capacity < n ? rejected_capacity : n,
        .counts = d_counts};
    const details d = {
        .in = in, .kept = kept, .rejected = rejected, .split = split};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = d_selection,
                         .out = split.kept.d_base};
    return winnow__do(&call, launch);
}
