/*
 * Planning: what operations have in common.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "memory.h"
#include "plan.h"
#include "core/operation.h"

/* ------------------------------------------------------------------ tiles */

uint64_t winnow__input_bytes(const winnow__query *query) {
    return query->n * query->type->size;
}

/*
 * Tiles are cut at aligned addresses (kernels/tile/blocked.cuh), so there may
 * be one more than the input would fill.
 */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__query *query,
                             const winnow__constraints *constraints) {
    const unsigned most_ahead = kernel->vector_bytes - query->type->size;
    const unsigned ahead =
        constraints->located
            ? (unsigned)(constraints->in % kernel->vector_bytes)
            : most_ahead;
    return (ahead + winnow__input_bytes(query) + kernel->tile_bytes - 1) /
           kernel->tile_bytes;
}

/* What memory depends on must not change with the address: the workspace is
 * asked for before there is one. */
uint64_t winnow__most_tiles(const winnow__kernel *kernel,
                            const winnow__query *query) {
    const winnow__constraints anywhere = {.located = false};
    return winnow__count_tiles(kernel, query, &anywhere);
}

/* ------------------------------------------------------------------ plans */

void winnow__plan_blocks(winnow__launch_mode mode, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan) {
    plan->mode = mode;
    plan->kernel = kernel;
    plan->blocks = (unsigned)blocks;
    plan->overlaps = true;
    plan->cursor = cursor;
}

/* One block meets no other, and needs no cursor. */
void winnow__plan_sum(winnow__launch_mode mode, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan) {
    winnow__plan_blocks(mode, kernel, blocks, blocks > 1, plan);
}

void winnow__plan_several(size_t bytes, winnow__plan *plan) {
    plan->mode = WINNOW__SEVERAL;
    plan->cursor = false;
    plan->other = bytes;
}

winnow_status winnow__plan_query(const winnow__query *query,
                                 const winnow__constraints *constraints,
                                 winnow__plan *plan_p) {
    *plan_p = (winnow__plan){.cursor = true};
    if (query->n == 0 && query->operation->enqueue == NULL)
        return WINNOW_OK;
    return query->operation->plan(query, constraints, plan_p);
}

size_t winnow__needed_bytes(const winnow__plan *plan) {
    const size_t own = plan->groups + plan->cleared + plan->other;
    return WINNOW__CURSOR_BYTES + (own > plan->fallback ? own : plan->fallback);
}
