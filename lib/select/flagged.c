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
    const winnow_mask *mask;
} details;

static const winnow_mask *mask_of(const winnow__query *query) {
    return ((const details *)query->details)->mask;
}

static winnow__source source_of(const winnow__query *query) {
    return winnow__source_of_mask(mask_of(query), query->launch.d_n);
}

static winnow_status check(winnow__query *query) {
    winnow_status status = winnow__check_mask(mask_of(query), query->n);
    return status == WINNOW_OK ? winnow__check_source(query) : status;
}

static int ranges(const winnow__call *call, winnow__range *list) {
    const uint64_t n = call->query.n;
    list[0] = winnow__mask_range("mask->d_flags", mask_of(&call->query), n);
    list[1] = winnow__selection_range("d_selection", call->out, n, true);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__source source = source_of(&call->query);
    winnow__make_on_host(task, &source, call->out, NULL);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__source source = source_of(&call->query);
    (void)plan;
    (void)memory;
    return winnow__make_on_device(&source, call->query.n, call->out,
                                  call->query.launch.stream);
}
#endif

static const winnow__operation operation = {
    .name = "select_flagged",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = check,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_source),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_select_flagged(winnow_context *context,
                                    const winnow_mask *mask, uint64_t n,
                                    void *d_selection, size_t selection_bytes,
                                    const winnow_launch *launch) {
    const details d = {.selection_bytes = selection_bytes, .mask = mask};
    winnow__call call = {.query = {.operation = &operation,
                                   .context = context,
                                   .n = n,
                                   .details = &d},
                         .out = d_selection};
    return winnow__do(&call, launch);
}
