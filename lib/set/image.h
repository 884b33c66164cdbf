/*
 * The bytes of the table in which a device looks up a set (kernels/set/table.h),
 * made in host memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "set.h"

#include "kernels/set/table.h"

/* The most bytes (data and head) of a table that is copied to shared memory. With a
 * larger one, fewer than three blocks fit in a multiprocessor of 227 KiB. */
#define WINNOW__SET_MOST_SHARED ((64u << 10) + sizeof(winnow__set_table) + 128)

typedef struct winnow__set_image {
    winnow__set_table *table; /* with its data; to be passed to free() */
    size_t bytes;
    bool fits; /* it fits in that much shared memory, and is faster there */
} winnow__set_image;

/*
 * `shared`: bytes of shared memory that tables may use, at most
 * WINNOW__SET_MOST_SHARED. WINNOW_ERR_MEMORY, with the detail set: no host memory.
 */
winnow_status winnow__set_image_make(const winnow__set *set, size_t shared,
                                     winnow__set_image *image_p);
void winnow__set_image_free(winnow__set_image *image);

/* ---- perfect.c: the form PERFECT */

/* log2 of the number of slots for which seeds are likely to be found, for `number`
 * values. */
unsigned winnow__perfect_least(uint64_t number);
/* Find seeds for 2^log2 slots, and fill the table, whose data are zero. *made_p:
 * were seeds found? WINNOW_ERR_MEMORY, with the detail set. */
winnow_status winnow__perfect_fill(const winnow__set *set, unsigned log2,
                                   winnow__set_table *table, bool *made_p);

/* ---- device_buckets.c: the form BUCKETS */

/* The number of buckets for `number` values of `size` bytes, 4 or 8. */
uint32_t winnow__device_buckets_wanted(uint64_t number, unsigned size);
/* Fill a table of `buckets` buckets, which have room for the set's values. The
 * table's data are zero. WINNOW_ERR_MEMORY, with the detail set. */
winnow_status winnow__device_buckets_fill(const winnow__set *set,
                                          uint32_t buckets,
                                          winnow__set_table *table);
