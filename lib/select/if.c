/*
 * winnow_select_if: a selection of the elements that pass a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

typedef struct details {
    size_t selection_bytes; /* first: winnow__check_source() */
    const uint64_t *d_n;
} details;

static winnow__source source_of(const winnow__call *call) {
    const details *const d = call->query.details;
    return winnow__source_of(call->query.predicate, call->in, d->d_n);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const details *const d = call->query.details;
    list[0] = winnow__input_range(call);
    list[1] =
        winnow__selection_range("d_selection", call->out, call->query.n, true);
    list[2] = winnow__items_range(d->d_n);
    return 3;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__source source = source_of(call);
    winnow__make_on_host(task, &source, call->out);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__source source = source_of(call);
    (void)plan;
    (void)memory;
    return winnow__make_on_device(&source, call->query.n, call->out,
                                  call->stream);
}
#endif

static const winnow__operation operation = {
    .check = winnow__check_source,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_select_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               const void *d_in, uint64_t n, void *d_selection,
                               size_t selection_bytes, const uint64_t *d_n,
                               winnow_stream stream) {
    const details d = {.selection_bytes = selection_bytes, .d_n = d_n};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .n = n,
                                   .details = &d},
                         .in = d_in,
                         .out = d_selection,
                         .stream = stream};
    return winnow__do(&call, NULL);
}
