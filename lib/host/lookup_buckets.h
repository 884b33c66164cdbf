/*
 * word_buckets() for elements of BITS bits. The including file defines
 * in_bucket(): is v in a bucket? No guard: it is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* v is not in the bucket, and values that belong there overflowed into the next. */
static __attribute__((noinline)) uint32_t
OF(in_later_bucket)(const winnow__lookup *lookup, ELEMENT v) {
    enum {
        PER = WINNOW__BUCKET_BYTES / sizeof(ELEMENT)
    };
    const ELEMENT *const table = lookup->table;
    const uint64_t last = ((uint64_t)1 << (BITS - lookup->shift)) - 1;
    uint64_t number = OF(winnow__bucket_of)(lookup, v);
    const ELEMENT *bucket;
    do {
        number = (number + 1) & last;
        bucket = table + number * PER;
        if (OF(in_bucket)(bucket, v))
            return 1;
    } while (bucket[0] > bucket[1]);
    return 0;
}

INLINE const ELEMENT *OF(bucket)(const winnow__lookup *lookup,
                                 uint32_t number) {
    return (const ELEMENT *)lookup->table +
           (size_t)number * (WINNOW__BUCKET_BYTES / sizeof(ELEMENT));
}

/* The items of a word that are in their buckets. *later_p: those whose buckets
 * overflowed into the next. No branch depends on an item. All buckets are prefetched
 * before the first is read, except in small tables, which are in a cache. */
INLINE uint32_t OF(in_first_buckets)(const winnow__lookup *lookup, bool goes_on,
                                     const ELEMENT *from, uint32_t *later_p) {
    const ELEMENT mask = (ELEMENT)lookup->mask;
    uint32_t number[32], word = 0, later = 0;
    for (unsigned i = 0; i < 32; i++)
        number[i] = OF(winnow__bucket_of)(lookup, from[i] & mask);
    for (unsigned i = 0; goes_on && i < 32; i++)
        __builtin_prefetch(OF(bucket)(lookup, number[i]));
    for (unsigned i = 0; i < 32; i++) {
        const ELEMENT *const bucket = OF(bucket)(lookup, number[i]);
        word |= OF(in_bucket)(bucket, from[i] & mask) << i;
        if (goes_on)
            later |= (uint32_t)(bucket[0] > bucket[1]) << i;
    }
    *later_p = later;
    return word;
}

INLINE uint32_t OF(word_buckets)(const winnow__lookup *lookup,
                                 const ELEMENT *from, uint32_t wanted) {
    const ELEMENT mask = (ELEMENT)lookup->mask;
    uint32_t word = 0, later;
    if (__builtin_popcount(wanted) < FEW_WANTED)
        for (later = 0; wanted != 0; wanted &= wanted - 1) {
            const unsigned i = (unsigned)__builtin_ctz(wanted);
            const ELEMENT v = from[i] & mask;
            const ELEMENT *const bucket =
                OF(bucket)(lookup, OF(winnow__bucket_of)(lookup, v));
            word |= OF(in_bucket)(bucket, v) << i;
            later |= (uint32_t)(bucket[0] > bucket[1]) << i;
        }
    else if (lookup->goes_on)
        word = OF(in_first_buckets)(lookup, true, from, &later);
    else
        word = OF(in_first_buckets)(lookup, false, from, &later);
    for (later &= ~word; later != 0; later &= later - 1) {
        const unsigned i = (unsigned)__builtin_ctz(later);
        word |= OF(in_later_bucket)(lookup, from[i] & mask) << i;
    }
    return word;
}
