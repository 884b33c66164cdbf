/*
 * A table of buckets: a value goes to the bucket that its hash says, or to the
 * next ones that are not full. Half of the places at most are taken, so that few
 * values leave their buckets: 1% of 4 bytes, 4% of 8 bytes, by chance. Of a few
 * values a quarter, and hashes are tried until none leaves.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include "core/seed.h"
#include "core/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 4096, /* values */
    /* Factors that are tried; one in EXPECTED values may leave its bucket. */
    FACTORS_OF_FEW = 64,
    FACTORS = 8,
    EXPECTED = 16,
    SEEDS = 64, /* of which a later one is tried where values are far away */
    AHEAD = 16  /* values whose buckets are fetched */
};

#define INLINE static inline __attribute__((always_inline))

static unsigned per_bucket(const winnow__set *set) {
    return WINNOW__BUCKET_BYTES / set->type->size;
}

static unsigned log2_buckets(const winnow__set *set) {
    const uint64_t places = (set->number <= FEW ? 4 : 2) * set->number;
    unsigned log2 = 1;
    while ((uint64_t)per_bucket(set) << log2 < places)
        log2++;
    return log2;
}

uint64_t winnow__buckets_bytes(const winnow__set *set) {
    return (uint64_t)WINNOW__BUCKET_BYTES << log2_buckets(set);
}

/* What the two sizes share, once for each. */
#define PASTE(A, B, C) A##B##C
#define JOIN(A, B, C) PASTE(A, B, C)
#define OF(NAME) JOIN(NAME, _, BITS)
#define BITS 32
#include "buckets_loops.h"
#define BITS 64
#include "buckets_loops.h"

winnow_status winnow__buckets_make(const winnow__set *set,
                                   winnow__lookup *lookup) {
    const unsigned log2 = log2_buckets(set);
    void *const table = winnow__table_memory(winnow__buckets_bytes(set));
    uint8_t *const taken = malloc((size_t)1 << log2); /* places of a bucket */
    if (table == NULL || taken == NULL) {
        free(taken);
        free(table);
        return winnow__fail(WINNOW_ERR_MEMORY,
                            "no host memory for the table of a set of values");
    }
    lookup->shift = 8 * set->type->size - log2;
    lookup->table = table;
    bool made = false;
    for (unsigned i = 0; !made; i++) {
        const uint64_t most = i < SEEDS ? set->number : UINT64_MAX;
        made = set->type->size == 4 ? make_32(set, lookup, table, taken, log2,
                                              winnow__seed(i), most)
                                    : make_64(set, lookup, table, taken, log2,
                                              winnow__seed(i), most);
    }
    free(taken);
    return WINNOW_OK;
}
