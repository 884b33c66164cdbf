/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "select.h"

#include "core/status.h"
#include "cuda/memory.h"

/* The memory of the selection. */
static uint64_t items_of(const winnow__query *query) {
    const winnow__source *const source = query->source;
    return source->kind->items != NULL ? source->kind->items(source->of)
                                       : query->n;
}

winnow_status winnow__check_selecting(winnow__query *query) {
    const size_t bytes = ((const winnow__selecting *)query->details)->bytes;
    WINNOW__TRY(winnow__check_source(query));
    if (query->launch.plan != NULL)
        return WINNOW_OK;
    const uint64_t needed = winnow__selection_needed(items_of(query));
    return bytes >= needed
               ? WINNOW_OK
               : winnow__refuse("the selection has %zu bytes: %llu are needed",
                                bytes, (unsigned long long)needed);
}

int winnow__selecting_ranges(const winnow__call *call, winnow__range *list) {
    const winnow__selecting *const d = call->query.details;
    const int number = winnow__source_ranges(call, list);
    list[number] =
        winnow__selection_range(d->result != NULL ? d->result : "d_selection",
                                call->out, items_of(&call->query), true);
    return number + 1;
}

unsigned winnow__selecting_most_ranges(const winnow__query *query) {
    return winnow__source_most_ranges(query) + 1;
}

winnow_status winnow__select_on_host(const winnow__call *call,
                                     const winnow__host_task *task) {
    winnow__source_on_host(call, task, call->out, task->memory, NULL);
    return WINNOW_OK;
}

#ifdef WINNOW_CUDA
winnow_status winnow__enqueue_selecting(const winnow__call *call,
                                        const winnow__plan *plan,
                                        const winnow__workspace *memory) {
    (void)plan;
    return winnow__source_on_device(call, call->out, memory->other);
}
#endif
