/*
 * Runs of equal keys, as a source: one item of each is kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/unique.h"
#include "selection/source.h"

/* Which items are kept, and by which keys: as the caller says it. */
typedef struct winnow__unique {
    winnow_in keys;
    winnow_unique_options options;
} winnow__unique;

/* Take the caller's keys and options; NULL stands for the default options. Sets
 * the stride and the bytes of a key. n: of items. */
winnow_status winnow__take_unique(const winnow_in *keys,
                                  const winnow_unique_options *options,
                                  uint64_t n, winnow__unique *unique_p);
winnow__source winnow__source_of_runs(const winnow__unique *unique);
