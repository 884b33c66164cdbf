/*
 * word_buckets() for elements of BITS bits, of a file that has in_bucket(): is v
 * one of a bucket's elements? No guard: it is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* v is not in the bucket, which values that belong there overflowed. */
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

INLINE const ELEMENT *OF(bucket)(const winnow__lookup *lookup, ELEMENT v) {
    return (const ELEMENT *)(const void *)((const char *)lookup->table +
                                           (size_t)OF(winnow__bucket_of)(lookup,
                                                                         v) *
                                               WINNOW__BUCKET_BYTES);
}

/* The items of a word that are in their buckets; and those whose search goes on
 * if they are not. No branch depends on an item. */
INLINE uint32_t OF(in_first_buckets)(const winnow__lookup *lookup,
                                     const ELEMENT *from, uint32_t *later_p) {
    const ELEMENT mask = (ELEMENT)lookup->mask;
    const ELEMENT *bucket[32];
    uint32_t word = 0, later = 0;
    for (unsigned i = 0; i < 32; i++) {
        bucket[i] = OF(bucket)(lookup, from[i] & mask);
        __builtin_prefetch(bucket[i]); /* all before the first is read */
    }
    for (unsigned i = 0; i < 32; i++) {
        word |= OF(in_bucket)(bucket[i], from[i] & mask) << i;
        later |= (uint32_t)(bucket[i][0] > bucket[i][1]) << i;
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
            const ELEMENT *const bucket = OF(bucket)(lookup, v);
            word |= OF(in_bucket)(bucket, v) << i;
            later |= (uint32_t)(bucket[0] > bucket[1]) << i;
        }
    else
        word = OF(in_first_buckets)(lookup, from, &later);
    for (later &= ~word; later != 0; later &= later - 1) {
        const unsigned i = (unsigned)__builtin_ctz(later);
        word |= OF(in_later_bucket)(lookup, from[i] & mask) << i;
    }
    return word;
}
