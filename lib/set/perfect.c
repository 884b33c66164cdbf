/*
 * Seeds by trial: values are put into buckets. The fullest bucket looks for a seed
 * first, while most slots are free.
 *
 * With m values in s slots, the m / 32 values of the last bucket find all of their
 * slots free with a probability of (1 - m / s)^(m / 32), about exp(-m^2 / 32 s).
 * With s = m^2 / 256 that is one of 3000 seeds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "image.h"

#include "core/seed.h"
#include "core/status.h"
#include "kernels/core/sample.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = WINNOW__SET_SEEDS,
    /* Seeds to try for a bucket, and ways to make buckets. If all fail, the set
     * gets a table of another form. */
    MOST_SEEDS = 1 << 16,
    MOST_MIXES = 4
};

unsigned winnow__perfect_least(uint64_t number) {
    unsigned log2 = 5;
    while (((uint64_t)1 << log2) < 2 * number ||
           ((uint64_t)1 << log2) * 256 < number * number)
        log2++;
    return log2;
}

/* The values of a set, bucket by bucket. */
typedef struct work {
    const winnow__set *set;
    winnow__set_table *table;
    uint32_t *seeds;      /* in the table */
    uint32_t *folds, *of; /* of each place: its value's fold and number */
    uint32_t *slots;      /* of the values of one bucket */
    uint32_t start[BUCKETS + 1]; /* the first place of each bucket */
    uint64_t *taken;             /* a bit for each slot */
    uint64_t seed;
} work;

/* A pseudorandom number for each position. */
static uint64_t draw(const work *w, uint64_t position) {
    return winnow__mix(w->seed + position);
}

static uint32_t fold_value(const work *w, uint64_t i) {
    const uint64_t x = winnow__set_value(w->set, i);
    return winnow__set_fold((uint32_t)x, (uint32_t)(x >> 32), w->table->spread);
}

static void make_buckets(work *w) {
    uint32_t next[BUCKETS];
    memset(w->start, 0, sizeof w->start);
    for (uint64_t i = 0; i < w->set->number; i++)
        w->start[winnow__set_seed_of(fold_value(w, i), w->table->mix) + 1]++;
    for (unsigned b = 0; b < BUCKETS; b++)
        w->start[b + 1] += w->start[b];
    memcpy(next, w->start, sizeof next);
    for (uint64_t i = 0; i < w->set->number; i++) {
        const uint32_t fold = fold_value(w, i);
        const uint32_t at = next[winnow__set_seed_of(fold, w->table->mix)]++;
        w->folds[at] = fold;
        w->of[at] = (uint32_t)i;
    }
}

static uint32_t size_of(const work *w, unsigned bucket) {
    return w->start[bucket + 1] - w->start[bucket];
}

/* The numbers of the buckets, the fullest first. */
static void order_buckets(const work *w, unsigned char order[BUCKETS]) {
    for (unsigned i = 0; i < BUCKETS; i++) {
        unsigned at = i;
        while (at != 0 && size_of(w, order[at - 1]) < size_of(w, i)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (unsigned char)i;
    }
}

static bool take(uint64_t *taken, uint32_t slot) {
    const uint64_t bit = UINT64_C(1) << slot % 64;
    const bool was_free = (taken[slot / 64] & bit) == 0;
    taken[slot / 64] |= bit;
    return was_free;
}

/* Does each value of the bucket get a slot of its own? If so, take the slots. */
static bool place(work *w, unsigned bucket, uint32_t seed) {
    const uint32_t *const folds = w->folds + w->start[bucket];
    const uint32_t number = size_of(w, bucket);
    uint32_t placed = 0;
    while (placed < number) {
        const uint32_t slot =
            winnow__set_slot_of(folds[placed], seed, w->table->shift);
        if (!take(w->taken, slot))
            break;
        w->slots[placed++] = slot;
    }
    if (placed == number)
        return true;
    while (placed-- > 0)
        w->taken[w->slots[placed] / 64] &=
            ~(UINT64_C(1) << w->slots[placed] % 64);
    return false;
}

static bool find_seed(work *w, unsigned bucket) {
    for (uint64_t i = 0; i < MOST_SEEDS; i++) {
        const uint32_t seed =
            (uint32_t)(draw(w, i * BUCKETS + bucket + 1) >> 32) | 1;
        if (place(w, bucket, seed)) {
            w->seeds[bucket] = seed;
            return true;
        }
    }
    return false;
}

static bool find_seeds(work *w, size_t slots) {
    unsigned char order[BUCKETS];
    for (uint64_t mix = 0; mix < MOST_MIXES; mix++) {
        w->table->spread = draw(w, ~mix);
        w->table->mix = (uint32_t)draw(w, ~mix << 32) | 1;
        memset(w->taken, 0, (slots + 63) / 64 * sizeof *w->taken);
        make_buckets(w);
        order_buckets(w, order);
        unsigned found = 0;
        while (found < BUCKETS && find_seed(w, order[found]))
            found++;
        if (found == BUCKETS)
            return true;
    }
    return false;
}

static void put(const work *w, void *slots, uint32_t slot, uint64_t i) {
    const unsigned log2_size = w->set->type->log2_size;
    const uint64_t value = winnow__set_value(w->set, i);
    memcpy((unsigned char *)slots + ((size_t)slot << log2_size), &value,
           w->set->type->size);
}

/* Every slot gets a value: the empty ones get the first value. */
static void fill(const work *w, size_t slots) {
    void *const data = w->seeds + BUCKETS;
    for (uint32_t slot = 0; slot < slots; slot++)
        put(w, data, slot, 0);
    for (unsigned b = 0; b < BUCKETS; b++)
        for (uint32_t at = w->start[b]; at < w->start[b + 1]; at++)
            put(w, data,
                winnow__set_slot_of(w->folds[at], w->seeds[b], w->table->shift),
                w->of[at]);
}

winnow_status winnow__perfect_fill(const winnow__set *set, unsigned log2,
                                   winnow__set_table *table, bool *made_p) {
    const size_t slots = (size_t)1 << log2;
    work w = {.set = set,
              .table = table,
              .seeds = (uint32_t *)(table + 1),
              .seed = winnow__seed(0)};
    uint32_t *const memory = calloc(3, set->number * sizeof *memory);
    w.taken = calloc((slots + 63) / 64, sizeof *w.taken);
    winnow_status status = WINNOW_OK;
    if (memory == NULL || w.taken == NULL) {
        status = winnow__no_memory("the table of a set");
        goto end;
    }
    w.folds = memory;
    w.of = memory + set->number;
    w.slots = w.of + set->number;
    table->shift = 32 - log2;
    *made_p = find_seeds(&w, slots);
    if (*made_p)
        fill(&w, slots);
end:
    free(w.taken);
    free(memory);
    return status;
}
