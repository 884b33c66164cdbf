/*
 * What a call of reduce_if is given beside what all calls are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_REDUCE_DETAILS_H
#define WINNOW_LIB_REDUCE_DETAILS_H

#include "core/host_task.h"
#include "core/call.h"
#include "kernels/reduce/args.h"

typedef struct winnow__reduce_details {
    winnow_type type;
    unsigned wanted;
    winnow_reduce_strategy strategy;
} winnow__reduce_details;

/* call->memory */
typedef struct winnow__reduce_memory {
    winnow_reduction *result;
} winnow__reduce_memory;

/* Of the predicate, or what every element passes. */
winnow__test winnow__reduce_test(const winnow__query *query);
winnow__reduce_type winnow__reduce_type_of(const winnow__query *query);

/* ---- host.c */

winnow_reduction winnow__host_reduce_if(const winnow__query *query,
                                        const winnow__host_task *task);

/* ---- enqueue.c: of the operation */

struct winnow__plan;
struct winnow__constraints;
struct winnow__workspace;

winnow_status
winnow__cuda_reduce_plan(const winnow__query *query,
                         const struct winnow__constraints *constraints,
                         struct winnow__plan *plan);
winnow_status
winnow__cuda_reduce_enqueue(const winnow__call *call,
                            const struct winnow__plan *plan,
                            const struct winnow__workspace *memory);

#endif
