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

/* How many buckets on from its own it is. */
static uint64_t OF(insert)(const filling *f, ELEMENT x) {
    uint64_t steps = 0;
    uint32_t at = OF(own)(f, x);
    while ((f->used[at] & COUNT) == EACH) {
        f->used[at] |= OVERFLOWED;
        at = at + 1 == f->buckets ? 0 : at + 1;
        steps++;
    }
    ((ELEMENT *)f->data)[(size_t)at * EACH + (f->used[at]++ & COUNT)] = x;
    return steps;
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

/* False: with these hashes the values are more than `most` buckets away from
 * their own, all together. */
static bool OF(fill)(const filling *f, const ELEMENT *values, ELEMENT *sorted,
                     uint64_t *next, uint64_t most) {
    uint64_t steps = 0;
    memset(next, 0, (f->parts + 1) * sizeof *next);
    memset(f->used, 0, f->buckets);
    OF(sort)(f, values, sorted, next);
    for (uint64_t i = 0; i < f->number && steps <= most; i++)
        steps += OF(insert)(f, sorted[i]);
    if (steps > most)
        return false;
    OF(finish)(f, values[0]);
    return true;
}

#undef EACH
#undef ELEMENT
#undef BITS
