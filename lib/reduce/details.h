/*
 * What a call of reduce_if is given beside what all calls are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host/task.h"
#include "kernels/reduce/args.h"

/* The query's details. */
typedef struct winnow__reduce_details {
    unsigned wanted;
    uint32_t most_parts; /* on a GPU: WINNOW__REDUCE_PARTS, but in tests */
} winnow__reduce_details;

/* call->out is the winnow_reduction. */
extern const winnow__operation winnow__reduce_operation;

/* Of the predicate, or what every element passes. */
winnow__test winnow__reduce_test(const winnow__query *query);
winnow__reduce_type winnow__reduce_type_of(winnow_type type);

/* Has it bits, that are known, and go together? `of` stands before its name. */
winnow_status winnow__check_wanted(const char *of, unsigned wanted);

/* Are items counted, and nothing else? */
static inline bool winnow__reduce_counts_only(unsigned wanted) {
    return (wanted & ~(unsigned)WINNOW_REDUCE_PARTIAL) == WINNOW_REDUCE_COUNT;
}

/* ---- host.c, and host_loops.h for each set of instructions */

/* What a loop is given, and what it finds in a stripe of the input. */
typedef struct winnow__reduce_given {
    winnow__test test;
    winnow__reduce_order order;
    bool ends[2]; /* is the minimum wanted, and the maximum? */
} winnow__reduce_given;

typedef struct winnow__reduce_stripe {
    uint64_t rank[2];
    uint64_t sum_low, sum_high; /* 2^32 sum_high + sum_low, of integers */
    double *sums;               /* of floats, for each place of a stripe */
} winnow__reduce_stripe;

typedef void winnow__reduce_loop(const winnow__reduce_given *given,
                                 const void *in, uint64_t n,
                                 winnow__reduce_stripe *stripe);

/* By winnow__reduce_class(). */
typedef struct winnow__reduce_loops {
    winnow__reduce_loop *sum[WINNOW__REDUCE_CLASSES];
    winnow__reduce_loop *ends[WINNOW__REDUCE_CLASSES];
} winnow__reduce_loops;

extern const winnow__reduce_loops winnow__reduce_portable;
extern const winnow__reduce_loops winnow__reduce_avx2;
extern const winnow__reduce_loops winnow__reduce_avx512;

/* The tree of kernels/reduce/args.h. */
double winnow__reduce_fold(double *sums, uint64_t number);
/* Of all parts, each `apart` totals behind the one before it. */
winnow__reduce_totals
winnow__reduce_merge_parts(const winnow__reduce_totals *part, uint32_t parts,
                           uint32_t apart, bool floats);
/* The totals of each part. */
size_t winnow__reduce_host_bytes(const winnow__query *query);
winnow__host_function winnow__reduce_on_host;

/* ---- enqueue.c */

winnow__plan_function winnow__reduce_plan;
winnow__enqueue_function winnow__reduce_enqueue;
