/*
 * Plans: the common part of operations.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "memory.h"
#include "plan.h"
#include "core/operation.h"

void winnow__plan_blocks(winnow__launch_mode mode, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan) {
    plan->mode = mode;
    plan->kernel = kernel;
    plan->blocks = (unsigned)blocks;
    plan->overlaps = true;
    plan->cursor = cursor;
}

/* A single block waits for no other, and needs no cursor. */
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
    const winnow__operation *const operation = query->operation;
    *plan_p = (winnow__plan){.cursor = true};
    if (operation->plan != NULL)
        return operation->plan(query, constraints, plan_p);
    winnow__plan_several(
        operation->device_bytes == NULL ? 0 : operation->device_bytes(query),
        plan_p);
    return WINNOW_OK;
}

size_t winnow__needed_bytes(const winnow__plan *plan) {
    const size_t own = plan->groups + plan->cleared + plan->other;
    return WINNOW__CURSOR_BYTES + (own > plan->fallback ? own : plan->fallback);
}
