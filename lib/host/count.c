/*
 * Counting a part of an input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "task.h"

static uint64_t count(const winnow__host_task *task, uint64_t start,
                      uint64_t n) {
    const winnow_predicate *const p = task->predicate;
    return task->loops->count[p->type->log2_size][p->kind](
        &p->test, winnow__host_element(task, start), n,
        winnow__host_ahead((task->n - start - n) << p->type->log2_size));
}

uint64_t winnow__host_count_part(const winnow__host_task *task, uint64_t start,
                                 uint64_t n) {
    const uint64_t step =
        WINNOW__HOST_CHUNK >> task->predicate->type->log2_size;
    uint64_t kept = 0;
    for (; n > step; n -= step, start += step)
        kept += count(task, start, step);
    return kept + count(task, start, n);
}
