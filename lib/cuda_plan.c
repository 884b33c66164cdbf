/*
 * Planning: what operations have in common.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_plan.h"
#include "operation.h"

/* ------------------------------------------------------------------ tiles */

uint64_t winnow__input_bytes(const winnow__call *call) {
    return call->n * call->predicate->type->size;
}

/*
 * Tiles are cut at aligned addresses (kernels/load.cuh), so there may be one
 * more than the input would fill. What depends on their number must not change
 * with the address: the workspace is asked for before there is one.
 */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__call *call) {
    const unsigned most_ahead =
        kernel->vector_bytes - call->predicate->type->size;
    const unsigned ahead =
        call->in == NULL
            ? most_ahead
            : (unsigned)((uintptr_t)call->in % kernel->vector_bytes);
    return (ahead + winnow__input_bytes(call) + kernel->tile_bytes - 1) /
           kernel->tile_bytes;
}

/* ------------------------------------------------------------------ plans */

const winnow__limits *winnow__limits_of(const winnow__call *call) {
    const winnow__cuda_context *context =
        (const winnow__cuda_context *)call->context;
    return &context->limits[call->predicate->type->log2_size];
}

/* Blocks of a kernel that waits by itself for those before it in the stream. */
void winnow__plan_blocks(winnow__form form, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan) {
    plan->form = form;
    plan->kernel = kernel;
    plan->blocks = (unsigned)blocks;
    plan->overlaps = true;
    plan->cursor = cursor;
}

/* One block meets no other, and needs no cursor. */
void winnow__plan_sum(winnow__form form, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan) {
    winnow__plan_blocks(form, kernel, blocks, blocks > 1, plan);
}

winnow_status winnow__plan_call(const winnow__call *call, winnow__means means,
                                winnow__plan *plan_p) {
    *plan_p = (winnow__plan){.cursor = true};
    if (call->n == 0)
        return WINNOW_OK;
    return call->operation->plan(call, means, plan_p);
}
