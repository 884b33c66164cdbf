/*
 * The arguments of reduce_if beyond those of every call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "host/task.h"
#include "kernels/reduce/args.h"

/* The query's details. */
typedef struct winnow__reduce_details {
    unsigned wanted;
    uint32_t most_parts; /* on a GPU: WINNOW__REDUCE_PARTS, or fewer in tests */
} winnow__reduce_details;

/* call->out is the winnow_reduction. */
extern const winnow__operation winnow__reduce_operation;

/* The predicate's test; without a predicate, a test that every element passes. */
winnow__test winnow__reduce_test(const winnow__query *query);
winnow__reduce_type winnow__reduce_type_of(winnow_type type);

/* Fail unless `wanted` has bits that are known and can be combined. `of` comes before
 * its name in messages. */
winnow_status winnow__check_wanted(const char *of, unsigned wanted);

/* Is only the count wanted? */
static inline bool winnow__reduce_counts_only(unsigned wanted) {
    return (wanted & ~(unsigned)WINNOW_REDUCE_PARTIAL) == WINNOW_REDUCE_COUNT;
}

/* ---- host.c, and host_loops.h for each set of instructions */

/* The input of a loop, and its results for a stripe of the input. */
typedef struct winnow__reduce_given {
    winnow__test test;
    winnow__reduce_order order;
    bool ends[2]; /* which of minimum and maximum are wanted? */
} winnow__reduce_given;

typedef struct winnow__reduce_stripe {
    uint64_t rank[2];
    uint64_t sum_low, sum_high; /* for integers: 2^32 sum_high + sum_low */
    double *sums;               /* for floats: one for each place of a stripe */
} winnow__reduce_stripe;

typedef void winnow__reduce_loop(const winnow__reduce_given *given,
                                 const void *in, uint64_t n,
                                 winnow__reduce_stripe *stripe);

/* Indexed by winnow__reduce_class(). */
typedef struct winnow__reduce_loops {
    winnow__reduce_loop *sum[WINNOW__REDUCE_CLASSES];
    winnow__reduce_loop *ends[WINNOW__REDUCE_CLASSES];
} winnow__reduce_loops;

extern const winnow__reduce_loops winnow__reduce_portable;
extern const winnow__reduce_loops winnow__reduce_avx2;
extern const winnow__reduce_loops winnow__reduce_avx512;

/* Add up in the tree of kernels/reduce/args.h. */
double winnow__reduce_fold(double *sums, uint64_t number);
/* Merge all parts. Each has its totals `apart` after those of the one before. */
winnow__reduce_totals
winnow__reduce_merge_parts(const winnow__reduce_totals *part, uint32_t parts,
                           uint32_t apart, bool floats);
/* Bytes for the totals of each part. */
size_t winnow__reduce_host_bytes(const winnow__query *query);
winnow__host_function winnow__reduce_on_host;

/* ---- enqueue.c */

winnow__plan_function winnow__reduce_plan;
winnow__enqueue_function winnow__reduce_enqueue;
