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
#include "cuda/run.h"
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
static bool begins_aligned(const winnow__constraints *constraints) {
    return !constraints->located || constraints->in % 16 == 0;
}

bool winnow__is_marked(const winnow__input *input,
                       const winnow__constraints *constraints,
                       winnow__shape shape) {
    return begins_aligned(constraints) && winnow__is_one_pass(input, shape);
}

winnow_status winnow__plan_marked(const winnow__input *input,
                                  const winnow__constraints *constraints,
                                  winnow__shape shape, winnow__plan *plan) {
    winnow_status status =
        winnow__plan_look_back(input, constraints, shape, plan);
    plan->mode = WINNOW__SEVERAL;
    plan->other = winnow__selection_needed(input->n);
    return status;
}

winnow_status winnow__plan_any_marked(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__shape shape, winnow__plan *plan) {
    winnow__input input;
    for (unsigned log2 = 0; log2 < WINNOW__SIZES; log2++) {
        winnow__plan own = {.cursor = true};
        winnow_status status =
            winnow__input_of_items(query, 1u << log2, &input);
        if (status == WINNOW_OK &&
            !winnow__is_marked(&input, constraints, shape))
            continue;
        if (status == WINNOW_OK)
            status = winnow__plan_marked(&input, constraints, shape, &own);
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
    args.marked.words = selection.keep;
    *selection_p = selection;
    return winnow__run_plan(call, plan, memory, &args, &refused);
}
#endif
