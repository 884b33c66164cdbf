/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sink.h"

#include "combine.h"
#include "cuda/memory.h"

winnow_status winnow__check_sink(winnow__query *query) {
    if (query->operation->sink->check != NULL)
        WINNOW__TRY(query->operation->sink->check(query));
    return winnow__check_selection(query);
}

int winnow__sink_ranges(const winnow__call *call, winnow__range *list) {
    list[0] =
        winnow__selection_range("d_selection", call->in, call->query.n, false);
    return 1 + call->query.operation->sink->ranges(call, list + 1);
}

unsigned winnow__sink_most_ranges(const winnow__query *query) {
    return query->operation->sink->most_ranges == NULL
               ? WINNOW__SOME_RANGES
               : 1 + query->operation->sink->most_ranges(query);
}

static size_t bytes_of(const winnow__query *query,
                       size_t (*own)(const winnow__query *query)) {
    return winnow__trim_bytes(query) + (own != NULL ? own(query) : 0);
}

size_t winnow__sink_host_bytes(const winnow__query *query) {
    return bytes_of(query, query->operation->sink->host_bytes);
}

/* The memory after the trimmed selection. */
static void *rest_of(void *memory, const winnow__query *query) {
    return (unsigned char *)memory + winnow__trim_bytes(query);
}

winnow_status winnow__sink_on_host(const winnow__call *call,
                                   const winnow__host_task *task) {
    const winnow__selection from = winnow__trim_on_host(task, call->in);
    call->query.operation->sink->host(call, task, &from,
                                      rest_of(task->memory, &call->query));
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
size_t winnow__sink_device_bytes(const winnow__query *query) {
    return bytes_of(query, query->operation->sink->device_bytes);
}

winnow_status winnow__enqueue_sink(const winnow__call *call,
                                   const winnow__plan *plan,
                                   const winnow__workspace *memory) {
    winnow__selection from;
    (void)plan;
    WINNOW__TRY(winnow__trim_on_device(call, call->in, memory->rest, &from));
    return call->query.operation->sink->device(
        call, &from, rest_of(memory->rest, &call->query));
}
#endif
