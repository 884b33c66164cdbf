/*
 * Sums by key: what the operation is given.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ACCUMULATE_DETAILS_H
#define WINNOW_LIB_ACCUMULATE_DETAILS_H

#include "kernels/accumulate/args.h"
#include "core/operation.h"

extern const winnow__operation winnow__accumulate_operation;

/* The query's details. */
typedef struct winnow__accumulation {
    winnow_type key_type;
    uint64_t key_bound;
    const winnow__type_info *value_type;
    unsigned components;
    winnow_accumulate_options options;
    /* Tests alone set these. Other ways than AUTO's, on a GPU; and NULL, or
     * where the way of the first items goes, in stream order. */
    winnow__way way;
    int32_t *d_way;
} winnow__accumulation;

/* The call's memory, the keys apart. */
typedef struct winnow__accumulated {
    const void *const *values; /* pointers, as many as columns */
    void *const *out;
    uint64_t *beyond;
} winnow__accumulated;

/* Where each component's values and sums are. */
winnow__accumulate_arrays
winnow__accumulate_arrays_of(const winnow__call *call);

/* Which of WINNOW__SUMS: integers are added modulo 2^32 or 2^64. */
int winnow__sum_of(const winnow__type_info *type);

/* ---- host.c, enqueue.c */

winnow_status winnow__accumulate_on_host(const winnow__call *call,
                                         const winnow__host_task *task);
winnow_status
winnow__accumulate_plan(const winnow__query *query,
                        const struct winnow__constraints *constraints,
                        struct winnow__plan *plan_p);
winnow_status
winnow__accumulate_enqueue(const winnow__call *call,
                           const struct winnow__plan *plan,
                           const struct winnow__workspace *memory);

#endif
