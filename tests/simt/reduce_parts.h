/*
 * Reductions into as many parts as a test wants.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SIMT_REDUCE_PARTS_H
#define WINNOW_TESTS_SIMT_REDUCE_PARTS_H

#include "element.h"
#include "reduce/details.h"
#include "tests/reduce/reductions.h"

/* As winnow_reduce_if(), into r->parts parts at most. */
static inline winnow_status reduce_parts(const struct reduction *r, uint64_t n,
                                         unsigned wanted,
                                         winnow_reduction *d_result,
                                         const winnow_launch *launch) {
    const winnow__reduce_details details = {wanted, (uint32_t)r->parts};
    winnow__call call = {.query = {.operation = &winnow__reduce_operation,
                                   .context = r->backend->context,
                                   .predicate = r->predicate,
                                   .given = r->rule.type,
                                   .n = n,
                                   .details = &details},
                         .in = r->in.base +
                               r->offset * element_size(r->rule.type),
                         .out = d_result};

    return winnow__do(&call, launch);
}

#endif
