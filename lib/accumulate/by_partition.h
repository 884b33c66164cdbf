/*
 * WINNOW_ACCUMULATE_PARTITION: what comes before the sums. Keys, and the values
 * or the numbers of their items, are brought together in the workspace by
 * ranges of keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ACCUMULATE_BY_PARTITION_H
#define WINNOW_LIB_ACCUMULATE_BY_PARTITION_H

#include "details.h"

/* The bytes of workspace that it takes; what is wrong with a query whose keys
 * cannot be partitioned. */
winnow_status winnow__accumulate_partition_plan(const winnow__query *query,
                                                size_t *bytes_p);
/* Enqueue it, in the plan's memory, 16-aligned. The arguments, which were those
 * of the call's own arrays, are then of the partitioned ones. */
winnow_status
winnow__accumulate_partition_enqueue(const winnow__call *call, void *memory,
                                     winnow__accumulate_args *args);

#endif
