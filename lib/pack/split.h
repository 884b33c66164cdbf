/*
 * Splitting an array by a selection: winnow_split, and winnow_partition_if.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "bits.h"
#include "rows.h"

typedef struct winnow__split {
    winnow_in in; /* contiguous elements, or bits; so are both outputs */
    winnow_out kept, rejected;
    size_t element_bytes;
    uint64_t capacity, rejected_capacity; /* at most n */
    bool in_one_array; /* the others follow the survivors in one array; both
                          capacities are n */
    uint64_t *counts;  /* NULL, or the numbers of kept and of other items */
} winnow__split;

/* The range of the counts. */
winnow__range winnow__counts_range(const uint64_t *d_counts);

void winnow__split_on_host(const winnow__host_task *task,
                           const winnow__split *split,
                           const winnow__selection *from);
/* For bits (bits_cuda.c). */
winnow_status winnow__split_bits_on_device(const winnow__split *split,
                                           const winnow__selection *from,
                                           const winnow_launch *launch);
winnow_status winnow__split_on_device(const winnow__call *call,
                                      const winnow__split *split,
                                      const winnow__selection *from);
