/*
 * The sources that test an array: a key, a mask, and runs of equal keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/where.h"
#include "selection/source.h"
#include "kernels/select/args.h"

/* The array that the query's predicate tests. */
typedef struct winnow__key {
    const winnow_in *in; /* the caller's argument `key`; */
    bool is_array;       /* else it is d_in, checked already */
} winnow__key;

winnow__source winnow__source_of_key(const winnow__key *key);
winnow__source winnow__source_of_mask(const winnow_mask *mask);

/* Make the selection of task->bound items, for a sink or NULL. The test is of
 * elements; a column of bits is copied. */
void winnow__select_column_on_host(const winnow__host_task *task,
                                   const winnow__where_column *column,
                                   const winnow__test *test, void *selection,
                                   const winnow__host_sink *sink);

/* ---- unique.c: one item of each run of equal keys is kept. */
/* The caller's keys, and which item of a run is kept. */
typedef struct winnow__unique {
    winnow_in keys;
    winnow_unique_options options;
} winnow__unique;

/* Take the caller's keys and options; NULL: the default options. Sets the stride and
 * the bytes of a key. n: the number of items. */
winnow_status winnow__take_unique(const winnow_in *keys,
                                  const winnow_unique_options *options,
                                  uint64_t n, winnow__unique *unique_p);
winnow__source winnow__source_of_runs(const winnow__unique *unique);
