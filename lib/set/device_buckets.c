/*
 * Values are put into their buckets part by part of the table, so that a part is
 * in a cache of the CPU's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "device_buckets.h"

#include "core/seed.h"
#include "core/status.h"
#include "lookup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Values per bucket, in eighths of its room. Of a quarter, which is what a
     * table takes that is in a part of L2 anyway, one bucket of 270 overflows (of
     * 4 values; of 70, of 2); of a half one of 19 (of 12). */
    ROOMY = 2,
    DENSE = 4,
    /* The most bytes of a roomy table: random words of L2 were read at the same
     * rate from 1 to 16 MiB, and at a third of it from 128 MiB. */
    MOST_ROOMY = 16 << 20,

    LOG2_PART = 12, /* buckets of a part: 64 KiB */

    TRIES = 64, /* hashes */

    /* What is noted of a bucket. */
    COUNT = 7, /* the values in it */
    OVERFLOWED = 8
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

typedef struct filling {
    const winnow__set_table *table;
    uint64_t number; /* of values */
    uint32_t buckets;
    unsigned part_shift;
    unsigned parts;
    unsigned char *used; /* of each bucket */
    void *data;
} filling;

static uint32_t own_bucket(const filling *f, uint32_t low, uint32_t high) {
    return winnow__set_bucket_of(winnow__set_fold(low, high, f->table->spread),
                                 f->table->mix, f->buckets);
}

#define PASTE(A, B, C) A##B##C
#define JOIN(A, B, C) PASTE(A, B, C)
#define OF(NAME) JOIN(NAME, _, BITS)

#define BITS 32
#include "device_buckets_loops.h"
#define BITS 64
#include "device_buckets_loops.h"

/* With the first hashes that leave the values near to their own buckets. */
static void fill(const filling *f, const winnow__set *set,
                 winnow__set_table *table, void *sorted, uint64_t *next) {
    bool filled = false;
    for (unsigned i = 0; !filled; i++) {
        const uint64_t most = i < TRIES ? set->number : UINT64_MAX;
        const uint64_t seed = winnow__seed(i);
        table->spread = winnow__hash_factor(seed);
        table->mix = (uint32_t)winnow__hash_factor(~seed);
        filled = set->type->size == 4
                     ? fill_32(f, set->values, sorted, next, most)
                     : fill_64(f, set->values, sorted, next, most);
    }
}

winnow_status winnow__device_buckets_fill(const winnow__set *set,
                                          uint32_t buckets,
                                          winnow__set_table *table) {
    const filling f = {.table = table,
                       .number = set->number,
                       .buckets = buckets,
                       .part_shift = LOG2_PART,
                       .parts = (buckets >> LOG2_PART) + 1,
                       .used = malloc(buckets),
                       .data = table + 1};
    uint64_t *const next = malloc((f.parts + 1) * sizeof *next);
    void *const sorted = malloc((size_t)set->number << set->type->log2_size);
    winnow_status status = WINNOW_OK;
    table->buckets = buckets;
    if (f.used == NULL || next == NULL || sorted == NULL)
        status = winnow__fail(WINNOW_ERR_MEMORY,
                              "no host memory for the table of a set");
    else
        fill(&f, set, table, sorted, next);
    free(sorted);
    free(next);
    free(f.used);
    return status;
}
