/*
 * SPDX-License-Identifier: Apache-2.0
 */

#include "combine.h"

size_t winnow__trim_bytes(const winnow__query *query) {
    return query->launch.d_n != NULL ? winnow__selection_needed(query->n) : 0;
}

/* What is kept by the selection, and again by it, of the items that there are.
 */
static winnow__combination trimmed(const winnow__call *call,
                                   const void *selection) {
    return (winnow__combination){.operation = WINNOW__AND,
                                 .a = selection,
                                 .b = selection,
                                 .d_n = call->query.launch.d_n};
}

winnow__selection winnow__trim_on_host(const winnow__call *call,
                                       const winnow__host_task *task,
                                       const void *selection) {
    const winnow__combination combination = trimmed(call, selection);
    if (task->n == task->bound)
        return winnow__task_selection(task, selection);
    winnow__combine_on_host(task, &combination, task->memory);
    return winnow__task_selection(task, task->memory);
}

#ifdef WINNOW_CUDA
winnow_status winnow__trim_on_device(const winnow__call *call,
                                     const void *selection, void *memory,
                                     winnow__selection *from_p) {
    const winnow__combination combination = trimmed(call, selection);
    const uint64_t n = call->query.n;
    const bool all = combination.d_n == NULL;
    *from_p = winnow__selection_at(all ? selection : memory, n);
    return all ? WINNOW_OK
               : winnow__combine_on_device(&combination, n, memory,
                                           call->query.launch.stream);
}
#endif
