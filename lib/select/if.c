/*
 * winnow_select_if: a selection of the elements that pass a predicate.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "source.h"

static winnow__source source_of(const winnow__call *call) {
    return winnow__source_of(call->query.predicate, call->in,
                             call->query.launch.d_n);
}

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__input_range(call);
    list[1] =
        winnow__selection_range("d_selection", call->out, call->query.n, true);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__source source = source_of(call);
    winnow__make_on_host(task, &source, call->out, NULL);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__source source = source_of(call);
    (void)plan;
    (void)memory;
    return winnow__make_on_device(&source, call->query.n, call->out,
                                  call->query.launch.stream);
}
#endif

static const winnow__operation operation = {
    .name = "select_if",
    .takes = WINNOW__TAKES_TYPE | WINNOW__TAKES_N,
    .check = winnow__check_source,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_source),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

/* The details are the bytes of the selection alone: winnow__check_source(). */
winnow_status winnow_select_if(winnow_context *context,
                               const winnow_predicate *predicate,
                               winnow_type type, const void *d_in, uint64_t n,
                               void *d_selection, size_t selection_bytes,
                               const winnow_launch *launch) {
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .predicate = predicate,
                                   .given = type,
                                   .n = n,
                                   .details = &selection_bytes},
                         .in = d_in,
                         .out = d_selection};
    return winnow__do(&call, launch);
}
