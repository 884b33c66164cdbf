/*
 * The plan of partition_by_key on a GPU: passes, digits, chunks, and the layout
 * of the workspace. It does not depend on addresses or fields.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cuda/plan.h"
#include "details.h"

#include "kernels/partition/args.h"

/* The most passes: of 5 bits each. */
#define WINNOW__PARTITION_PASSES 4

/* Where a scatter puts the items (kernels/partition/scatter.cuh). */
typedef enum winnow__partition_places {
    WINNOW__PARTITION_OWN,
    WINNOW__PARTITION_EXACT,
    WINNOW__PARTITION_ESTIMATED,
} winnow__partition_places;

/* A row of the table of kernels that scatter: for digits of up to `bits` bits,
 * indexed by the size of keys and by whether there are columns. */
typedef struct winnow__partition_scatter {
    unsigned bits;
    bool any_order, drops;
    winnow__partition_places places;
    const winnow__kernel (*kernels)[2];
} winnow__partition_scatter;

/* A first pass by an estimate (kernels/partition/estimate/). */
typedef struct winnow__partition_estimate_plan {
    unsigned sector, sampled_one_in, blocks;
    unsigned part_table_bytes; /* shared memory to count parts, or 0 */
    uint32_t spare_left_over;  /* items */
    uint64_t spare_items;
    /* Offsets in the workspace. */
    size_t exchange, spare_keys, spare[WINNOW__PARTITION_COLUMNS];
} winnow__partition_estimate_plan;

typedef struct winnow__partition_plan {
    unsigned passes;
    unsigned bits[WINNOW__PARTITION_PASSES]; /* of the digits, the lowest one
                                                first; where `exact` the upper
                                                one */
    bool wide_keys, has_columns;
    bool any_order; /* for digits of 4 bits and more */
    /* The columns of a launch: a block has room for elements of this many
     * bytes. */
    unsigned batch_bytes;
    uint32_t tile_items;
    uint64_t chunk_items;                          /* of the first pass */
    uint32_t chunks[WINNOW__PARTITION_PASSES];     /* of later passes: the most
                                                      chunks, */
    uint32_t few_chunks[WINNOW__PARTITION_PASSES]; /* and the number if their
                                                      segments have the same length */
    /* Offsets in the workspace. */
    size_t table, totals, offsets[WINNOW__PARTITION_PASSES], first_chunk, keys,
        columns[WINNOW__PARTITION_COLUMNS];
    size_t second_rows; /* keys and columns of every other pass: this far behind
                           the first's */
    size_t bytes;
    /* Two passes for any order: blocks reserve places in parts
     * (kernels/partition/exact.cuh). */
    bool exact;
    unsigned exact_blocks; /* of the first pass */
    /* The kernel that counts the items of all parts: a block has a chunk, and a
     * slice of the parts. The memory that is cleared first has these counts,
     * followed by the exchange of an estimate. */
    uint32_t slice, count_chunks;
    uint64_t count_chunk_items;
    size_t part_items, zero_bytes;
    bool estimated; /* the first pass, unless a key may be dropped */
    winnow__partition_estimate_plan estimate;
} winnow__partition_plan;

winnow__partition_plan winnow__partition_make_plan(const winnow__query *query);

static inline const winnow__partition *
winnow__partition_of(const winnow__query *query) {
    return query->details;
}

static inline uint32_t winnow__partition_digits(const winnow__partition_plan *p,
                                                unsigned pass) {
    return UINT32_C(1) << p->bits[pass];
}

/* The blocks of a kernel for which a multiprocessor has shared memory, and
 * those that the device runs together, at most `most` on a multiprocessor. */
unsigned winnow__partition_room(const winnow__query *query,
                                const winnow__kernel *kernel);
unsigned winnow__partition_resident(const winnow__query *query,
                                    const winnow__kernel *kernel,
                                    unsigned most);

/* ---- kernels.c */

/* The kernel with the fewest bits that takes a digit of `bits`, with shared
 * memory for `row_bytes` of columns. */
winnow__kernel winnow__partition_scatter_kernel(const winnow__partition_plan *p,
                                                unsigned bits, bool any_order,
                                                bool drops,
                                                winnow__partition_places places,
                                                unsigned row_bytes);

/* ---- small.c */

struct winnow__workspace;

/* Can one launch handle these items and parts? */
bool winnow__partition_is_small(const winnow__query *query);
void winnow__partition_plan_small(const winnow__query *query,
                                  winnow__plan *plan_p);
winnow_status
winnow__partition_enqueue_small(const winnow__call *call,
                                const struct winnow__workspace *memory);
/* Set the outputs for a call of either operation. */
void winnow__partition_set_outputs(const winnow__call *call,
                                   winnow__partition_outputs *to);

/* ---- estimate.c */

/* Sets `estimated`, and all members except offsets in the workspace. */
void winnow__partition_plan_estimate(const winnow__query *query,
                                     winnow__partition_plan *p);
/* The kernel that scatters, with the shared memory of the call's plan. */
winnow__kernel
winnow__partition_estimate_kernel(const winnow__partition_plan *p);
/* Enqueues the sample, the scatter, and the repair. The kernels that count and
 * scatter follow: they end at once, unless the estimate was bad. */
winnow_status
winnow__partition_enqueue_estimate(const winnow__call *call,
                                   const winnow__partition_plan *p,
                                   const winnow__partition_scatter_args *args);
