/*
 * The sources that test an array: a key, and a mask. unique.h has runs of keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/where.h"
#include "selection/source.h"

/* What the query's predicate tests. */
typedef struct winnow__key {
    const winnow_in *in; /* as the caller passed it, in `key`; */
    bool is_array; /* or what stands for d_in: there is nothing to check */
} winnow__key;

winnow__source winnow__source_of_key(const winnow__key *key);
winnow__source winnow__source_of_mask(const winnow_mask *mask);

/* Make the selection of task->bound items, for a sink or NULL. The test is of
 * elements: bits are copied. */
void winnow__select_column_on_host(const winnow__host_task *task,
                                   const winnow__where_column *column,
                                   const winnow__test *test, void *selection,
                                   const winnow__host_sink *sink);
