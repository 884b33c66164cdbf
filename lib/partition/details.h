/*
 * The arguments of partition_by_key beyond those of every call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/operation.h"

/* The details of a query. */
typedef struct winnow__partition {
    winnow_type key_type;
    uint32_t shift, bits; /* of the digit; bits 0: all bits from shift on */
    uint32_t parts;
    const winnow_blocks *blocks; /* NULL: parts are contiguous */
    const winnow_move *moves;    /* the caller's */
    unsigned move_count;
    /* The moves that are columns: all except the one that moves the keys. */
    const winnow_move *columns[WINNOW_PARTITION_MOST_COLUMNS];
    uint32_t column_count;
} winnow__partition;

/* Memory of a call, in addition to what it moves. */
typedef struct winnow__partition_memory {
    void *keys_out; /* NULL: not wanted */
    uint64_t *offsets;
} winnow__partition_memory;

/* The bits that a shifted key can have. */
uint64_t winnow__partition_mask(const winnow__partition *partition);

/* ---- by_key.c: what both calls check */

/* Take the caller's arguments. `partition` has the type of keys, the moves and the
 * blocks. */
winnow_status winnow__partition_take(const void *d_keys,
                                     const winnow_digit *digit,
                                     winnow__partition *partition,
                                     winnow__partition_memory *memory);
winnow_status winnow__partition_check(winnow__query *query);
int winnow__partition_ranges(const winnow__call *call, winnow__range *list);
/* May the move have the items' numbers instead of an input? */
bool winnow__partition_numbers(const winnow__query *query,
                               const winnow_move *move);

/* ---- blocks.c */

/* The number of elements that an output has room for. */
uint64_t winnow__blocks_places(const winnow__query *query);

/* ---- host.c */

size_t winnow__host_partition_bytes(const winnow__query *query);
winnow__host_function winnow__host_partition;

/* ---- enqueue.c */

winnow__plan_function winnow__cuda_partition_plan;
winnow__enqueue_function winnow__cuda_partition_enqueue;
/* Load every kernel of the call, before its first launch. */
winnow_status
winnow__cuda_partition_load(const winnow__call *call,
                            const struct winnow__workspace *memory);

/* ---- enqueue_blocks.c */

winnow__plan_function winnow__cuda_blocks_plan;
winnow__enqueue_function winnow__cuda_blocks_enqueue;
