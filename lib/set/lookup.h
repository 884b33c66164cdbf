/*
 * How the host finds elements in a set.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/sample.h"
#include "set.h"

/* Choose the way by the values of the set, and make the table, which is for
 * free(). WINNOW_ERR_MEMORY, with the detail set: there is no memory. */
winnow_status winnow__lookup_make(const winnow__set *set,
                                  winnow__lookup *lookup);

/* The table of a set of 4-byte or of 8-byte values in buckets. Of lookup it sets
 * factor, shift and table. */
winnow_status winnow__buckets_make(const winnow__set *set,
                                   winnow__lookup *lookup);
/* Its bytes. */
uint64_t winnow__buckets_bytes(const winnow__set *set);

/* Memory for a table, aligned to 64 bytes; NULL, with the detail set: there is
 * none. */
void *winnow__table_memory(uint64_t bytes);

/* Factor number i of a multiplicative hash: odd, its bits as if drawn. */
static inline uint64_t winnow__hash_factor(uint64_t i) {
    return winnow__mix(i) | 1;
}
