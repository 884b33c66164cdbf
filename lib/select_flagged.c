/*
 * winnow_select_flagged: a selection from a mask of bytes or of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "selection.h"
#include "status.h"

#ifdef WINNOW_CUDA
#include "selection_kernels.h"
#endif

/* A byte that is not 0. */
static const winnow__test is_set = {.mask = UINT64_MAX, .low = 1, .span = 254};

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    winnow_mask mask;
    const void *d_mask;
    uint64_t offset;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

/* The bit of the mask's first byte that is item 0's. */
static unsigned bits_before(const details *d) {
    return d->mask == WINNOW_MASK_BITS ? (unsigned)(d->offset % 8) : 0;
}

static winnow_status check(winnow__query *query) {
    const details *const d = details_of(query);
    winnow_status status = winnow__check_mask(d->mask, d->d_mask, d->offset);
    return status == WINNOW_OK ? winnow__check_source(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = details_of(&call->query);
    list[0] = winnow__mask_range(d->mask, d->d_mask, d->offset, call->query.n);
    list[1] =
        winnow__selection_range("d_selection", call->out, call->query.n, true);
    return 2;
}

/* ----------------------------------------------------------------- the host */

typedef struct host_work {
    const unsigned char *mask;
    uint64_t bytes; /* of the mask */
    unsigned skip;
    winnow__selection to;
} host_work;

/* 32 bits of the mask and those after them that a shift needs. */
static uint64_t bits_at(const host_work *work, uint64_t byte) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 5 && byte + i < work->bytes; i++)
        bits |= (uint64_t)work->mask[byte + i] << 8 * i;
    return bits;
}

static void select_tile(void *argument, uint64_t tile) {
    const host_work *const work = argument;
    const unsigned items = winnow__tile_items(&work->to, tile);
    const uint64_t first = tile * WINNOW__SELECTION_WORDS;
    for (unsigned w = 0; w < WINNOW__SELECTION_WORDS; w++) {
        const unsigned left = items > 32 * w ? items - 32 * w : 0;
        const uint32_t inside =
            left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
        work->to.keep[first + w] =
            (uint32_t)(bits_at(work, (first + w) * 4) >> work->skip) & inside;
    }
    winnow__host_count_tile(&work->to, tile);
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const details *const d = details_of(&call->query);
    if (d->mask == WINNOW_MASK_BYTES) {
        winnow__select_on_host(task, &is_set, 0, call->in, call->out);
        return WINNOW_OK;
    }
    host_work work = {.mask = call->in,
                      .bytes = (bits_before(d) + task->n + 7) / 8,
                      .skip = bits_before(d),
                      .to = winnow__selection_at(call->out, task->n)};
    winnow__host_each_tile(task, work.to.tiles, select_tile, &work);
    winnow__host_scan(&work.to);
    return WINNOW_OK;
}

/* ----------------------------------------------------------------- a device */

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const details *const d = details_of(&call->query);
    (void)plan;
    (void)memory;
    if (d->mask == WINNOW_MASK_BYTES)
        return winnow__select_on_device(&is_set, 0, call->in, call->query.n,
                                        call->out, call->stream);
    const winnow__select_bits_args args = {
        .mask = call->in,
        .skip = bits_before(d),
        .to = winnow__selection_at(call->out, call->query.n)};
    return winnow__launch_source(&winnow__select_bits, &args, &args.to,
                                 call->stream);
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

winnow_status winnow_select_flagged(winnow_context *context, winnow_mask mask,
                                    const void *d_mask, uint64_t offset,
                                    uint64_t n, void *d_selection,
                                    size_t selection_bytes,
                                    winnow_stream stream) {
    const details d = {.selection_bytes = selection_bytes,
                       .mask = mask,
                       .d_mask = d_mask,
                       .offset = offset};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = winnow__mask_start(mask, d_mask, offset),
                         .out = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
