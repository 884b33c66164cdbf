/*
 * Tables of buckets: the form BUCKETS of kernels/set/table.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image.h"

#include "core/seed.h"
#include "core/status.h"
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* How full buckets are, in eighths. At a quarter, which a table uses that fits
     * in L2 anyway, 1 bucket in 270 overflows if it has room for 4 values, 1 in 70
     * if for 2. At a half, 1 in 19 and 1 in 12. */
    ROOMY = 2,
    DENSE = 4,
    /* The most bytes of a roomy table. From 1 to 16 MiB, random words of L2 were
     * read at the same rate; from 128 MiB on, at a third of it. */
    MOST_ROOMY = 16 << 20,

    TRIES = 64, /* hashes to try */
    AHEAD = 16  /* buckets are prefetched for the value this far ahead */
};

uint32_t winnow__device_buckets_wanted(uint64_t number, unsigned size) {
    const uint64_t each = WINNOW__SET_BUCKET_BYTES / size;
    uint64_t buckets = number * 8 / (each * ROOMY) + 1;
    if (buckets * WINNOW__SET_BUCKET_BYTES > MOST_ROOMY)
        buckets = MOST_ROOMY / WINNOW__SET_BUCKET_BYTES;
    if (buckets < number * 8 / (each * DENSE) + 1)
        buckets = number * 8 / (each * DENSE) + 1;
    return (uint32_t)buckets;
}

static uint32_t own_32(const winnow__set_table *table, uint32_t x) {
    return winnow__set_bucket_of(winnow__set_fold(x, 0, table->spread),
                                 table->mix, table->buckets);
}

static uint32_t own_64(const winnow__set_table *table, uint64_t x) {
    return winnow__set_bucket_of(
        winnow__set_fold((uint32_t)x, (uint32_t)(x >> 32), table->spread),
        table->mix, table->buckets);
}

#define HASHING winnow__set_table
#define BUCKET_BYTES WINNOW__SET_BUCKET_BYTES
#include "fill_buckets.h"

/* Uses the first hash that leaves the values close to their own buckets. */
winnow_status winnow__device_buckets_fill(const winnow__set *set,
                                          uint32_t buckets,
                                          winnow__set_table *table) {
    uint8_t *const taken = malloc(buckets);
    void *const data = table + 1;
    bool filled = false;
    if (taken == NULL)
        return winnow__no_memory("the table of a set");
    table->buckets = buckets;
    for (unsigned i = 0; !filled; i++) {
        const uint64_t most = i < TRIES ? set->number : UINT64_MAX;
        const uint64_t seed = winnow__seed(i);
        table->spread = winnow__hash_factor(seed);
        table->mix = (uint32_t)winnow__hash_factor(~seed);
        filled = set->type->size == 4
                     ? fill_32(set, table, buckets, data, taken, most)
                     : fill_64(set, table, buckets, data, taken, most);
    }
    free(taken);
    return WINNOW_OK;
}
