/*
 * Large inputs on a device: TILE_SCAN's kernel, with another selector or sink,
 * reads the key or d_in once and packs it. It replaces a selection and a sink.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "one_call.h"
#include "cuda/plan.h"
#include "tile/plan.h"

/* ---- records.c: pack records in one pass over them, by a test of a field. */
typedef struct winnow__records {
    const void *in;
    void *out;
    size_t bytes; /* of a record */
    size_t field; /* offset of the field, which has the predicate's type */
} winnow__records;

/* The input as vectors, if one pass is possible and there are enough of them.
 * The query's n is the number of records. */
winnow_status winnow__find_records_scan(const winnow__query *query,
                                        const winnow__records *records,
                                        winnow__input *input_p,
                                        bool *possible_p);
/* Set the members of the kernel's arguments that describe the records. */
void winnow__set_records(const winnow__query *query,
                         const winnow__records *records, winnow__args *args);

/* *planned_p: can the call run in one pass? Then the plan is for that. */
winnow_status
winnow__plan_one_pass(const winnow__query *query,
                      const struct winnow__constraints *constraints,
                      struct winnow__plan *plan, bool *planned_p);
void winnow__set_one_pass(const winnow__call *call,
                          const winnow__one_pass *pass, winnow__args *args);
/* Pack the key, and make the selection. */
winnow_status winnow__enqueue_marked(const winnow__call *call,
                                     const struct winnow__plan *plan,
                                     const struct winnow__workspace *memory,
                                     const winnow__selection *selection);

#endif
