/*
 * The loops of device_buckets.c for elements of BITS bits, which it defines. No guard:
 * it is included once for each size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define ELEMENT JOIN(uint, BITS, _t)
#define EACH (8 * WINNOW__SET_BUCKET_BYTES / BITS)

static uint32_t OF(own)(const filling *f, ELEMENT x) {
    return own_bucket(f, (uint32_t)x, (uint32_t)((uint64_t)x >> 32));
}

/* The values, those of one part of the table behind each other. */
static void OF(sort)(const filling *f, const ELEMENT *values, ELEMENT *sorted,
                     uint64_t *next) {
    for (uint64_t i = 0; i < f->number; i++)
        next[(OF(own)(f, values[i]) >> f->part_shift) + 1]++;
    for (unsigned part = 0; part < f->parts; part++)
        next[part + 1] += next[part];
    for (uint64_t i = 0; i < f->number; i++)
        sorted[next[OF(own)(f, values[i]) >> f->part_shift]++] = values[i];
}

static void OF(insert)(const filling *f, ELEMENT x) {
    uint32_t at = OF(own)(f, x);
    while ((f->used[at] & COUNT) == EACH) {
        f->used[at] |= OVERFLOWED;
        at = at + 1 == f->buckets ? 0 : at + 1;
    }
    ((ELEMENT *)f->data)[(size_t)at * EACH + (f->used[at]++ & COUNT)] = x;
}

/* What is not used has a copy; the first two values say whether the bucket has
 * overflowed. */
static void OF(finish)(const filling *f, ELEMENT any) {
    ELEMENT *bucket = f->data;
    for (uint32_t at = 0; at < f->buckets; at++, bucket += EACH) {
        const unsigned used = f->used[at] & COUNT;
        for (unsigned i = used; i < EACH; i++)
            bucket[i] = used == 0 ? any : bucket[0];
        const bool falls = bucket[0] > bucket[1];
        if (falls != ((f->used[at] & OVERFLOWED) != 0)) {
            const ELEMENT first = bucket[0];
            bucket[0] = bucket[1];
            bucket[1] = first;
        }
    }
}

static void OF(fill)(const filling *f, const ELEMENT *values, ELEMENT *sorted,
                     uint64_t *next) {
    OF(sort)(f, values, sorted, next);
    for (uint64_t i = 0; i < f->number; i++)
        OF(insert)(f, sorted[i]);
    OF(finish)(f, values[0]);
}

#undef EACH
#undef ELEMENT
#undef BITS
