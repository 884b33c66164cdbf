/*
 * Runs of equal keys: what the operations that keep one item of each share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SELECT_UNIQUE_H
#define WINNOW_LIB_SELECT_UNIQUE_H

#include "kernels/select/unique.h"
#include "selection/format.h"

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
/* Are the first items of runs kept, by keys that are compared as bits? */
bool winnow__is_heads_of_bits(const winnow__unique *unique);
/* The keys, under the name that the caller knows them by. */
winnow__range winnow__keys_range(const winnow__unique *unique, uint64_t n);

/* Make the selection of all items, or of the first *d_n, for a sink or NULL
 * (winnow__host_make()). */
void winnow__select_unique_on_host(const winnow__host_task *task,
                                   const winnow__unique *unique,
                                   void *selection,
                                   const winnow__host_sink *sink);
#ifdef WINNOW_CUDA
winnow_status winnow__select_unique_on_device(const winnow__unique *unique,
                                              uint64_t n, const uint64_t *d_n,
                                              void *selection,
                                              winnow_stream stream);
#endif

#endif
