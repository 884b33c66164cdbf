/*
 * Tables of buckets: the form BUCKETS of kernels/set/table.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SET_DEVICE_BUCKETS_H
#define WINNOW_LIB_SET_DEVICE_BUCKETS_H

#include "set.h"

#include "kernels/set/table.h"

/* Buckets for `number` values of `size` bytes, 4 or 8. */
uint32_t winnow__device_buckets_wanted(uint64_t number, unsigned size);

/* Fill a table of `buckets` buckets, which have room for the set's values. Its
 * data are zero. WINNOW_ERR_MEMORY, with the detail set. */
winnow_status winnow__device_buckets_fill(const winnow__set *set,
                                          uint32_t buckets,
                                          winnow__set_table *table);

#endif
