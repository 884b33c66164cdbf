/*
 * A source and a sink in one call: the selection between them, and packing one
 * column.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "marked.h"
#include "core/status.h"

#include <stdlib.h>

#ifdef WINNOW_CUDA
#include "auto/candidates.h"
#endif

winnow_status winnow__take_selection(uint64_t n, void **memory_p) {
    *memory_p = malloc(winnow__selection_needed(n));
    return *memory_p != NULL
               ? WINNOW_OK
               : winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for a selection of %llu items",
                              (unsigned long long)n);
}

static winnow_compact_column column_of(const winnow__packed *packed) {
    return (winnow_compact_column){.d_in = packed->in,
                                   .d_out = packed->out,
                                   .element_bytes = packed->element_bytes};
}

static winnow__columns columns_of(const winnow__packed *packed,
                                  const winnow_compact_column *column) {
    return (winnow__columns){.list = column,
                             .number = 1,
                             .is_single = true,
                             .capacity = packed->capacity};
}

void winnow__pack_one_on_host(const winnow__host_task *task,
                              const winnow__packed *packed,
                              const winnow__selection *from) {
    const winnow_compact_column column = column_of(packed);
    const winnow__columns columns = columns_of(packed, &column);
    winnow__pack_on_host(task, &columns, from, packed->count);
}

#ifdef WINNOW_CUDA
winnow_status winnow__pack_one_on_device(const winnow_context *context,
                                         const winnow__packed *packed,
                                         const winnow__selection *from,
                                         winnow_stream stream) {
    const winnow_compact_column column = column_of(packed);
    const winnow__columns columns = columns_of(packed, &column);
    return winnow__pack_on_device(context, &columns, from, packed->count, NULL,
                                  stream);
}

winnow_status winnow__plan_one_shot(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__plan *plan) {
    (void)constraints;
    winnow__plan_several(winnow__selection_needed(query->n), plan);
    return WINNOW_OK;
}

/* ---------------------------------------------------------- in one pass */

/* Of any input: a query of the workspace has the most. */
static bool is_aligned(const winnow__constraints *constraints) {
    return !constraints->located || constraints->in % 16 == 0;
}

bool winnow__is_marked(const winnow__query *query,
                       const winnow__constraints *constraints,
                       winnow__shape shape) {
    return is_aligned(constraints) && winnow__is_one_pass(query, shape);
}

winnow_status winnow__plan_marked(const winnow__query *query,
                                  const winnow__constraints *constraints,
                                  winnow__shape shape, winnow__plan *plan) {
    winnow_status status =
        winnow__plan_look_back(query, constraints, shape, plan);
    plan->mode = WINNOW__SEVERAL;
    plan->other = winnow__selection_needed(query->n);
    return status;
}

winnow_status winnow__plan_any_marked(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__shape shape, winnow__plan *plan) {
    static const winnow_type types[WINNOW__SIZES] = {
        WINNOW_UINT8, WINNOW_UINT16, WINNOW_UINT32, WINNOW_UINT64};
    for (unsigned i = 0; i < WINNOW__SIZES; i++) {
        const winnow_predicate any = {.type = winnow__type(types[i])};
        winnow__query sized = *query;
        winnow__plan own = {.cursor = true};
        sized.predicate = &any;
        sized.type = any.type;
        if (!winnow__is_marked(&sized, constraints, shape))
            continue;
        winnow_status status =
            winnow__plan_marked(&sized, constraints, shape, &own);
        if (status != WINNOW_OK)
            return status;
        if (winnow__needed_bytes(&own) > winnow__needed_bytes(plan))
            *plan = own;
    }
    return WINNOW_OK;
}

winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const winnow__plan *plan,
                                     const winnow__workspace *memory,
                                     winnow__selection *selection_p) {
    const winnow__selection selection =
        winnow__selection_at(memory->other, call->query.n);
    winnow__args args = winnow__arguments(call, plan);
    bool refused;
    args.cursor = memory->cursor;
    args.after_clear = memory->cleared;
    args.sink.marks = selection.keep;
    *selection_p = selection;
    return winnow__run_plan(call, plan, memory, &args, &refused);
}
#endif
