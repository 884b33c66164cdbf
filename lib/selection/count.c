/*
 * winnow_selection_count: how many items a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "format.h"

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "kernels.h"
#endif

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] =
        winnow__selection_range("d_selection", call->in, call->query.n, false);
    list[1] = winnow__result_range("d_count", call->count, sizeof *call->count);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__selection_at(call->in, task->n);
    *call->count = from.before[from.tiles];
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const struct winnow__workspace *memory) {
    const winnow__selection from =
        winnow__selection_at(call->in, call->query.n);
    const winnow__selection_count_args args = {
        .total = from.before + from.tiles,
        .count = (unsigned long long *)call->count};
    (void)plan;
    (void)memory;
    return winnow__launch(&winnow__selection_total, 1, &args, call->stream);
}
#endif

static const winnow__operation operation = {
    .predicate = WINNOW__NO_PREDICATE,
    .check = winnow__check_selection,
    .ranges = ranges,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_selection),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_selection_count(winnow_context *context,
                                     const void *d_selection, uint64_t n,
                                     uint64_t *d_count, winnow_stream stream) {
    winnow__call call = {
        .query = {.operation = &operation, .context = context, .n = n},
        .in = d_selection,
        .count = d_count,
        .stream = stream};
    return winnow__do(&call, NULL);
}
