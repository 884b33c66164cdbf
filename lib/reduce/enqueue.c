/*
 * reduce_if on a GPU: which kernel, with what memory, by each strategy.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "details.h"

extern const winnow__kernel winnow__reduce[WINNOW__REDUCE_CLASSES][2]
                                          [WINNOW__REDUCE_ENDS];
extern const winnow__kernel winnow__reduce_elements[WINNOW__REDUCE_CLASSES];

static winnow_reduce_strategy choose(const winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    return details->strategy == WINNOW_REDUCE_BY_AUTO
               ? WINNOW_REDUCE_BY_LAST_BLOCK
               : details->strategy;
}

static winnow__reduce_cut cut_of(const winnow__query *query) {
    const winnow__cuda_context *context = winnow__cuda(query->context);
    return winnow__reduce_cut_of(query->n, query->type->log2_size,
                                 context->reduce_parts != 0
                                     ? context->reduce_parts
                                     : WINNOW__REDUCE_PARTS);
}

/* ------------------------------------------------------------------- plan */

/* One block has no other to meet; its threads' atomics need memory still. */
winnow_status winnow__cuda_reduce_plan(const winnow__query *query,
                                       const winnow__constraints *constraints,
                                       winnow__plan *plan) {
    const winnow_reduce_strategy strategy = choose(query);
    const uint32_t parts = cut_of(query).parts;
    const bool one = parts == 1 && strategy != WINNOW_REDUCE_BY_ELEMENT_ATOMIC;
    const bool adds = strategy == WINNOW_REDUCE_BY_ELEMENT_ATOMIC ||
                      strategy == WINNOW_REDUCE_BY_BLOCK_ATOMIC;
    const size_t words = sizeof(uint64_t) * WINNOW__REDUCE_WORDS * parts;
    (void)constraints;
    winnow__plan_several(one || adds ? 0 : words, plan);
    plan->cursor = !one && strategy != WINNOW_REDUCE_BY_TWO_PASSES;
    plan->cleared = !one && adds ? sizeof(winnow__reduce_shared) : 0;
    return WINNOW_OK;
}

/* ---------------------------------------------------------------- enqueue */

static unsigned class_of(const winnow__query *query) {
    const winnow__reduce_type type = winnow__reduce_type_of(query);
    return winnow__reduce_class(&type);
}

/* Counting alone is the same for all elements of a size. */
static const winnow__kernel *find_kernel(const winnow__query *query) {
    const winnow__reduce_details *const details = query->details;
    const unsigned wanted = details->wanted;
    const bool sum = (wanted & WINNOW_REDUCE_SUM) != 0;
    const unsigned ends = ((wanted & WINNOW_REDUCE_MINIMUM) != 0) +
                          ((wanted & WINNOW_REDUCE_MAXIMUM) != 0);
    const unsigned class =
        !sum && ends == 0 ? query->type->log2_size : class_of(query);
    if (choose(query) == WINNOW_REDUCE_BY_ELEMENT_ATOMIC)
        return &winnow__reduce_elements[class_of(query)];
    return &winnow__reduce[class][sum][ends];
}

static winnow__reduce_ending ending_of(winnow_reduce_strategy strategy) {
    switch (strategy) {
    case WINNOW_REDUCE_BY_ELEMENT_ATOMIC:
    case WINNOW_REDUCE_BY_BLOCK_ATOMIC:
        return WINNOW__REDUCE_ADDS;
    case WINNOW_REDUCE_BY_TWO_PASSES:
        return WINNOW__REDUCE_STORES;
    default:
        return WINNOW__REDUCE_LASTS;
    }
}

/* Every kernel waits for those before it in the stream itself. */
static winnow_status launch(const winnow__call *call, unsigned blocks,
                            const winnow__reduce_args *args) {
    winnow__plan plan = {0};
    bool refused;
    winnow__plan_blocks(WINNOW__TILE_PER_BLOCK, find_kernel(&call->query),
                        blocks, false, &plan);
    return winnow__launch_plan(call, &plan, args, &refused);
}

winnow_status winnow__cuda_reduce_enqueue(const winnow__call *call,
                                          const winnow__plan *plan,
                                          const winnow__workspace *memory) {
    const winnow__reduce_memory *const results = call->memory;
    const winnow__reduce_details *const details = call->query.details;
    winnow__reduce_args args = {.test = winnow__reduce_test(&call->query),
                                .in = call->in,
                                .n = call->query.n,
                                .cut = cut_of(&call->query),
                                .type = winnow__reduce_type_of(&call->query),
                                .words = memory->rest,
                                .shared = memory->rest,
                                .cursor = memory->cursor,
                                .result = results->result,
                                .wanted = details->wanted,
                                .ending = ending_of(choose(&call->query))};
    (void)plan;
    winnow_status status = launch(call, args.cut.parts, &args);
    if (status != WINNOW_OK || args.cut.parts == 1 ||
        args.ending != WINNOW__REDUCE_STORES)
        return status;
    args.ending = WINNOW__REDUCE_FINISHES;
    return launch(call, 1, &args);
}
