/*
 * The loops of buckets.c for values of BITS bits. No guard: it is included once
 * for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define ELEMENT JOIN(uint, BITS, _t)
#define PER (WINNOW__BUCKET_BYTES / sizeof(ELEMENT))

/* Fetch what value i + AHEAD goes to: the buckets are in no order. */
INLINE void OF(fetch)(const winnow__set *set, const winnow__lookup *lookup,
                      uint64_t i, const uint8_t *taken, const ELEMENT *table) {
    const ELEMENT *const values = set->values;
    if (i + AHEAD >= set->number)
        return;
    const uint64_t b = OF(winnow__bucket_of)(lookup, values[i + AHEAD]);
    __builtin_prefetch(taken + b);
    if (table != NULL)
        __builtin_prefetch(table + b * PER);
}

/* How many values leave their buckets, counted in `taken`; it stops behind
 * `most`. */
static uint64_t OF(leaving)(const winnow__set *set,
                            const winnow__lookup *lookup, uint8_t *taken,
                            unsigned log2, uint64_t most) {
    const ELEMENT *const values = set->values;
    uint64_t number = 0;
    memset(taken, 0, (size_t)1 << log2);
    for (uint64_t i = 0; i < set->number && number <= most; i++) {
        OF(fetch)(set, lookup, i, taken, NULL);
        uint8_t *const here = &taken[OF(winnow__bucket_of)(lookup, values[i])];
        if (*here == PER)
            number++;
        else
            ++*here;
    }
    return number;
}

/* The first factor drawn from the seed by which as few values leave their buckets
 * as by chance, or none does where that is tried; else the best one. */
static void OF(choose_factor)(const winnow__set *set, winnow__lookup *lookup,
                              uint8_t *taken, unsigned log2, uint64_t seed) {
    const bool few = set->number <= FEW;
    const uint64_t enough = few ? 0 : set->number / EXPECTED;
    uint64_t fewest = UINT64_MAX, best = 0;
    for (unsigned i = 0; i < (few ? FACTORS_OF_FEW : FACTORS); i++) {
        lookup->factor = winnow__hash_factor(seed + i);
        const uint64_t number = OF(leaving)(set, lookup, taken, log2, fewest);
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

/* False: the values are more than `most` buckets away from their own, all
 * together. */
static bool OF(fill)(const winnow__set *set, const winnow__lookup *lookup,
                     ELEMENT *table, uint8_t *taken, unsigned log2,
                     uint64_t most) {
    const uint8_t overflowed = 0x80; /* with the places that are taken */
    const ELEMENT *const values = set->values;
    const uint64_t buckets = UINT64_C(1) << log2;
    uint64_t steps = 0;
    memset(taken, 0, (size_t)buckets);
    for (uint64_t i = 0; i < set->number && steps <= most; i++) {
        OF(fetch)(set, lookup, i, taken, table);
        uint64_t b = OF(winnow__bucket_of)(lookup, values[i]);
        while ((taken[b] & ~overflowed) == PER) {
            taken[b] |= overflowed;
            b = (b + 1) & (buckets - 1);
            steps++;
        }
        table[b * PER + taken[b]++] = values[i];
    }
    for (uint64_t b = 0; b < buckets && steps <= most; b++) {
        ELEMENT *const bucket = table + b * PER;
        const bool goes_on = taken[b] > PER;
        for (uint64_t i = taken[b]; i < PER; i++)
            bucket[i] = values[0];
        /* An order that says whether the search goes on. */
        if ((bucket[0] > bucket[1]) != goes_on) {
            const ELEMENT swapped = bucket[0];
            bucket[0] = bucket[1];
            bucket[1] = swapped;
        }
    }
    return steps <= most;
}

static bool OF(make)(const winnow__set *set, winnow__lookup *lookup,
                     void *table, uint8_t *taken, unsigned log2, uint64_t seed,
                     uint64_t most) {
    OF(choose_factor)(set, lookup, taken, log2, seed);
    return OF(fill)(set, lookup, table, taken, log2, most);
}

#undef PER
#undef ELEMENT
#undef BITS
