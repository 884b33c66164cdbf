/*
 * Sums by key: the arguments of the operation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/accumulate/args.h"
#include "core/operation.h"

/* The query's details. winnow__accumulate_call() sets key_type and what
 * follows. */
typedef struct winnow__accumulation {
    uint64_t key_bound;
    unsigned components;
    const winnow_in *values; /* the caller's */
    const winnow_out *sums;
    uint64_t *beyond;
    /* Only set by tests: another way than AUTO's on a GPU; and NULL, or where
     * to store the way of the first items, in stream order. */
    winnow__way way;
    int32_t *d_way;
    winnow_type key_type;
    const winnow__type_info *value_type, *sum_type;
    uint64_t value_stride, sum_stride; /* in elements */
} winnow__accumulation;

/* winnow_accumulate_by_key() with the arguments in *a. */
winnow_status winnow__accumulate_call(winnow_context *context,
                                      const winnow_in *keys, uint64_t n,
                                      winnow__accumulation *a,
                                      const winnow_launch *launch);

/* For another operation, whose details begin with a winnow__accumulation: check
 * that the arrays can be summed, and set what depends on them; and the
 * operation's check() and ranges(). */
winnow_status winnow__take_accumulation(winnow__accumulation *a,
                                        const winnow_in *keys);
winnow_status winnow__check_accumulation(winnow__query *query);
int winnow__accumulation_ranges(const winnow__call *call, winnow__range *list);

/* The addresses of each component's values and sums. */
winnow__accumulate_arrays
winnow__accumulate_arrays_of(const winnow__call *call);

/* The index in WINNOW__SUMS. Integers are added modulo 2^32 or 2^64. */
int winnow__sum_of(const winnow__type_info *type);

/* ---- host.c, enqueue.c */

winnow__host_function winnow__accumulate_on_host;
winnow__plan_function winnow__accumulate_plan;
winnow__enqueue_function winnow__accumulate_enqueue;

/* ---- sums.c: how much shared memory a block uses for sums, and the numbers of
 * blocks and launches that follow from it. */
/* The sums of a block, and the number of them in a launch: see
 * winnow__accumulate_args. */
typedef struct winnow__sums {
    winnow__way way; /* AUTO: blocks look at samples */
    unsigned copies;
    uint32_t slots; /* 0: there are no sums in shared memory */
    bool direct, common;
    uint32_t front_keys; /* keys that have sums in front.cu; 0: none */
    unsigned blocks;     /* on a multiprocessor */
    unsigned components; /* in a launch; the next launch has others */
    uint64_t tiles;      /* for each block */
    unsigned grid;       /* blocks in a launch */
    bool worth;          /* there are enough items, whatever the keys are */
    unsigned bytes;      /* shared memory of a block */
} winnow__sums;

winnow__sums winnow__lay_out_sums(const winnow__query *query);

/* The most shared memory for a block if `blocks` are to be resident. */
size_t winnow__sums_budget(const winnow__query *query, unsigned blocks);

/* Do all keys below the bound fit in 32 bits? */
bool winnow__keys_are_narrow(const winnow__accumulation *a);
