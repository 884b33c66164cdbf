/*
 * winnow_select_flagged: a selection from a mask of bytes or of bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    winnow_mask mask;
    const void *d_mask;
    uint64_t offset;
    const uint64_t *d_n;
} details;

static const details *details_of(const winnow__query *query) {
    return query->details;
}

static winnow__source source_of(const details *d) {
    return winnow__source_of_mask(d->mask, d->d_mask, d->offset, d->d_n);
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
    list[2] = winnow__items_range(d->d_n);
    return 3;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__source source = source_of(details_of(&call->query));
    winnow__make_on_host(task, &source, call->out);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__source source = source_of(details_of(&call->query));
    (void)plan;
    (void)memory;
    return winnow__make_on_device(&source, call->query.n, call->out,
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

winnow_status winnow_select_flagged(winnow_context *context, winnow_mask mask,
                                    const void *d_mask, uint64_t offset,
                                    uint64_t n, void *d_selection,
                                    size_t selection_bytes, const uint64_t *d_n,
                                    winnow_stream stream) {
    const details d = {.selection_bytes = selection_bytes,
                       .mask = mask,
                       .d_mask = d_mask,
                       .offset = offset,
                       .d_n = d_n};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .in = winnow__mask_start(mask, d_mask, offset),
                         .out = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
