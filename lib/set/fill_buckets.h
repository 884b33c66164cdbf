/*
 * Put the values of a set into the buckets of a table, for values of BITS bits.
 * buckets.c and device_buckets.c include this file. They define HASHING, own_BITS()
 * (the bucket of a value) and BUCKET_BYTES (the bytes of a bucket). No guard: this
 * file includes itself for the second size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BITS
#define BITS 32
#define INLINE static inline __attribute__((always_inline))
#define PASTE(A, B, C) A##B##C
#define JOIN(A, B, C) PASTE(A, B, C)
#define OF(NAME) JOIN(NAME, _, BITS)
#endif
#define ELEMENT JOIN(uint, BITS, _t)
#define PER (BUCKET_BYTES / sizeof(ELEMENT))

/* Prefetch the bucket of value i + AHEAD: buckets are visited in no order. */
INLINE void OF(fetch)(const winnow__set *set, const HASHING *by, uint64_t i,
                      const uint8_t *taken, const ELEMENT *table) {
    const ELEMENT *const values = set->values;
    if (i + AHEAD >= set->number)
        return;
    const uint64_t b = OF(own)(by, values[i + AHEAD]);
    __builtin_prefetch(taken + b);
    if (table != NULL)
        __builtin_prefetch(table + b * PER);
}

/* False: the distances of the values from their own buckets add up to more than
 * `most`. */
static bool OF(fill)(const winnow__set *set, const HASHING *by,
                     uint64_t buckets, ELEMENT *table, uint8_t *taken,
                     uint64_t most) {
    const uint8_t overflowed = 0x80; /* beside the places taken */
    const ELEMENT *const values = set->values;
    uint64_t steps = 0;
    memset(taken, 0, (size_t)buckets);
    for (uint64_t i = 0; i < set->number && steps <= most; i++) {
        OF(fetch)(set, by, i, taken, table);
        uint64_t b = OF(own)(by, values[i]);
        while ((taken[b] & ~overflowed) == PER) {
            taken[b] |= overflowed;
            b = b + 1 == buckets ? 0 : b + 1;
            steps++;
        }
        table[b * PER + taken[b]++] = values[i];
    }
    for (uint64_t b = 0; b < buckets && steps <= most; b++) {
        ELEMENT *const bucket = table + b * PER;
        const bool goes_on = taken[b] > PER;
        for (uint64_t i = taken[b]; i < PER; i++)
            bucket[i] = values[0];
        /* The order of the first two values says whether the search goes on. */
        if ((bucket[0] > bucket[1]) != goes_on) {
            const ELEMENT swapped = bucket[0];
            bucket[0] = bucket[1];
            bucket[1] = swapped;
        }
    }
    return steps <= most;
}

#undef PER
#undef ELEMENT
#if BITS == 32
#undef BITS
#define BITS 64
#include "fill_buckets.h"
#endif
