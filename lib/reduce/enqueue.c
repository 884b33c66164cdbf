/*
 * reduce_if on a GPU: one kernel, with a block for each part of the input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "cuda/launch.h"
#include "cuda/memory.h"

extern const winnow__kernel winnow__reduce[WINNOW__REDUCE_CLASSES][2]
                                          [WINNOW__REDUCE_ENDS];

static winnow__reduce_cut cut_of(const winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    return winnow__reduce_cut_of(query->n, query->type->log2_size,
                                 details->most_parts);
}

/* A single block waits for no other. */
winnow_status winnow__reduce_plan(const winnow__query *query,
                                  const winnow__constraints *constraints,
                                  winnow__plan *plan_p) {
    const winnow__reduce_cut cut = cut_of(query);
    (void)constraints;
    const size_t words = (size_t)WINNOW__REDUCE_WORDS * cut.parts;
    winnow__plan_several(cut.parts == 1 ? 0 : words * sizeof(uint64_t), plan_p);
    plan_p->cursor = cut.parts != 1;
    return WINNOW_OK;
}

/* A kernel that only counts serves all types of a size. */
static const winnow__kernel *find_kernel(const winnow__reduce_args *args) {
    const bool sum = (args->wanted & WINNOW_REDUCE_SUM) != 0;
    const unsigned ends = ((args->wanted & WINNOW_REDUCE_MINIMUM) != 0) +
                          ((args->wanted & WINNOW_REDUCE_MAXIMUM) != 0);
    const unsigned elements = !sum && ends == 0
                                  ? args->type.log2_size
                                  : winnow__reduce_class(&args->type);
    return &winnow__reduce[elements][sum][ends];
}

winnow_status winnow__reduce_enqueue(const winnow__call *call,
                                     const winnow__plan *plan,
                                     const winnow__workspace *memory) {
    const winnow__reduce_details *const details = call->query.details;
    winnow__reduce_args args = {.test = winnow__reduce_test(&call->query),
                                .in = call->in,
                                .n = call->query.n,
                                .items = call->query.launch.d_n,
                                .type =
                                    winnow__reduce_type_of(call->query.given),
                                .words = memory->rest,
                                .cursor = memory->cursor,
                                .result = call->out,
                                .wanted = details->wanted,
                                .cut = cut_of(&call->query)};
    (void)plan;
    return winnow__launch_overlapping(call, find_kernel(&args), args.cut.parts,
                                      &args);
}
