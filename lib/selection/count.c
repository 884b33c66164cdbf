/*
 * winnow_selection_count: how many items a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trim.h"

#ifdef WINNOW_CUDA
#include "cuda/launch.h"
#include "cuda/memory.h"
#endif

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] =
        winnow__selection_range("d_selection", call->in, call->query.n, false);
    list[1] = winnow__result_range("d_count", call->count, sizeof *call->count);
    return 2;
}

static winnow_status run_on_host(const winnow__call *call,
                                 const winnow__host_task *task) {
    const winnow__selection from = winnow__trim_on_host(call, task, call->in);
    *call->count = from.before[from.tiles];
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
static winnow_status enqueue(const winnow__call *call, const winnow__plan *plan,
                             const winnow__workspace *memory) {
    winnow__selection from;
    (void)plan;
    winnow_status status =
        winnow__trim_on_device(call, call->in, memory->rest, &from);
    const winnow__deliver_args args = {.total = from.before + from.tiles,
                                       .count =
                                           (unsigned long long *)call->count};
    return status == WINNOW_OK ? winnow__launch(&winnow__deliver, 1, &args,
                                                call->query.launch.stream)
                               : status;
}
#endif

static const winnow__operation operation = {
    .name = "selection_count",
    .takes = WINNOW__TAKES_N,
    .predicate = WINNOW__NO_PREDICATE,
    .check = winnow__check_selection,
    .ranges = ranges,
    .host_bytes = winnow__trim_bytes,
    .run_on_host = run_on_host,
    .plan = WINNOW__IF_CUDA(winnow__plan_sink),
    .enqueue = WINNOW__IF_CUDA(enqueue),
};

winnow_status winnow_selection_count(winnow_context *context,
                                     const void *d_selection, uint64_t n,
                                     uint64_t *d_count,
                                     const winnow_launch *launch) {
    winnow__call call = {
        .query = {.operation = &operation, .context = context, .n = n},
        .in = d_selection,
        .count = d_count};
    return winnow__do(&call, launch);
}
