/*
 * winnow_selection_count: how many items a selection keeps.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"
#include "cuda/launch.h"

static int ranges(const winnow__call *call, winnow__range *list) {
    list[0] = winnow__result_range("d_count", call->count, sizeof *call->count);
    return 1;
}

static void host(const winnow__call *call, const winnow__host_task *task,
                 const winnow__selection *from, void *memory) {
    (void)task;
    (void)memory;
    *call->count = from->before[from->tiles];
}

#ifdef WINNOW_CUDA
static winnow_status device(const winnow__call *call,
                            const winnow__selection *from, void *memory) {
    const winnow__deliver_args args = {.total = from->before + from->tiles,
                                       .count =
                                           (unsigned long long *)call->count};
    (void)memory;
    return winnow__launch(&winnow__deliver, 1, &args,
                          call->query.launch.stream);
}
#endif

static const winnow__operation operation =
    WINNOW__SINK_OPERATION("selection_count", 0, .ranges = ranges, .host = host,
                           .device = WINNOW__IF_CUDA(device));

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
