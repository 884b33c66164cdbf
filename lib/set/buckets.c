/*
 * A table of buckets. A value goes to the bucket of its hash, or to the next bucket
 * that is not full. At most half of the places are taken, so that few values leave
 * their bucket: by chance 1% for 4 bytes, 4% for 8 bytes. For a few values a
 * quarter is taken, and hashes are tried until no value leaves its bucket.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include "core/seed.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 4096, /* values */
    /* Factors to try; one in EXPECTED values may leave its bucket. */
    FACTORS_OF_FEW = 64,
    FACTORS = 8,
    EXPECTED = 16,
    SEEDS = 64, /* to try until values are close to their buckets */
    AHEAD = 16  /* buckets are prefetched for the value this far ahead */
};

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

/* ---------------------------------------------------------------- filling */

#define HASHING winnow__lookup
#define BUCKET_BYTES WINNOW__BUCKET_BYTES
#define own_32 winnow__bucket_of_32
#define own_64 winnow__bucket_of_64
#include "fill_buckets.h"

static uint64_t own(const winnow__set *set, const winnow__lookup *lookup,
                    uint64_t i) {
    return set->type->size == 4
               ? own_32(lookup, ((const uint32_t *)set->values)[i])
               : own_64(lookup, ((const uint64_t *)set->values)[i]);
}

/* How many values leave their buckets. `taken`: scratch memory. Counting stops
 * above `most`. */
static uint64_t leaving(const winnow__set *set, const winnow__lookup *lookup,
                        uint8_t *taken, unsigned log2, uint64_t most) {
    const unsigned per = per_bucket(set);
    uint64_t number = 0;
    memset(taken, 0, (size_t)1 << log2);
    for (uint64_t i = 0; i < set->number && number <= most; i++) {
        if (i + AHEAD < set->number)
            __builtin_prefetch(taken + own(set, lookup, i + AHEAD));
        uint8_t *const here = &taken[own(set, lookup, i)];
        if (*here == per)
            number++;
        else
            ++*here;
    }
    return number;
}

/* Draws factors from the seed. Takes the first with which no more values leave
 * their buckets than by chance (for few values: none), or else the best. */
static void choose_factor(const winnow__set *set, winnow__lookup *lookup,
                          uint8_t *taken, unsigned log2, uint64_t seed) {
    const bool few = set->number <= FEW;
    const uint64_t enough = few ? 0 : set->number / EXPECTED;
    uint64_t fewest = UINT64_MAX, best = 0;
    for (unsigned i = 0; i < (few ? FACTORS_OF_FEW : FACTORS); i++) {
        lookup->factor = winnow__hash_factor(seed + i);
        const uint64_t number = leaving(set, lookup, taken, log2, fewest);
        if (number < fewest) {
            fewest = number;
            best = lookup->factor;
        }
        if (number <= enough)
            break;
    }
    lookup->factor = best;
    lookup->goes_on = fewest != 0;
}

winnow_status winnow__buckets_make(const winnow__set *set,
                                   winnow__lookup *lookup) {
    const unsigned log2 = log2_buckets(set);
    const uint64_t buckets = UINT64_C(1) << log2;
    void *const table = winnow__table_memory(winnow__buckets_bytes(set));
    uint8_t *const taken = malloc((size_t)buckets); /* of each bucket */
    if (table == NULL || taken == NULL) {
        free(taken);
        free(table);
        return winnow__no_memory("the table of a set of values");
    }
    lookup->shift = 8 * set->type->size - log2;
    lookup->table = table;
    bool made = false;
    for (unsigned i = 0; !made; i++) {
        const uint64_t most = i < SEEDS ? set->number : UINT64_MAX;
        choose_factor(set, lookup, taken, log2, winnow__seed(i));
        made = set->type->size == 4
                   ? fill_32(set, lookup, buckets, table, taken, most)
                   : fill_64(set, lookup, buckets, table, taken, most);
    }
    free(taken);
    return WINNOW_OK;
}
