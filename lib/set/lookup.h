/*
 * How the host finds elements in a set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/sample.h"
#include "set.h"

/* Choose the way by the values of the set, and make the table, which the caller
 * frees with free(). WINNOW_ERR_MEMORY, with the detail set: no memory. */
winnow_status winnow__lookup_make(const winnow__set *set,
                                  winnow__lookup *lookup);

/* Make the table of buckets for a set of values of 4 or 8 bytes. Sets factor, shift
 * and table of *lookup. */
winnow_status winnow__buckets_make(const winnow__set *set,
                                   winnow__lookup *lookup);
/* The bytes of that table. */
uint64_t winnow__buckets_bytes(const winnow__set *set);

/* Memory for a table, aligned to 64 bytes. NULL, with the detail set: no memory. */
void *winnow__table_memory(uint64_t bytes);

/* Factor number i of a multiplicative hash: odd, with pseudorandom bits. */
static inline uint64_t winnow__hash_factor(uint64_t i) {
    return winnow__mix(i) | 1;
}
