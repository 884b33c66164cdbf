/*
 * Three ways to find an element (host/lookup.h):
 *
 *   slots    few values. A hash is drawn until each value has a slot of its own;
 *   bits     values in a narrow interval, and all those of 1 and 2 bytes;
 *   buckets  the others (buckets.c).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lookup.h"

#include "core/round.h"
#include "core/seed.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_SLOTTED = 64, /* values */
    /* Factors to try. With 8 values in 8 slots, 1 factor in 416 works; with more
     * values, about 1 in 20 for the number of slots used then. */
    TRIALS_OF_FEW = 8192,
    TRIALS = 512,
    MOST_LOG2_SLOTS = 11,
    /* A table of bits up to this size is used even if buckets need fewer bytes: it
     * stays in the L1 cache. */
    SMALL_BITS = 16 << 10
};

void *winnow__table_memory(uint64_t bytes) {
    void *const memory = aligned_alloc(64, (size_t)winnow__round_up(bytes, 64));
    if (memory == NULL)
        winnow__no_memory("the table of a set of values");
    return memory;
}

/* ------------------------------------------------------------------- slots */

static uint32_t slot_of(const winnow__set *set, const winnow__lookup *lookup,
                        uint64_t i) {
    const uint64_t v = winnow__set_value(set, i);
    return set->type->size == 4 ? winnow__slot_of_32(lookup, (uint32_t)v)
                                : winnow__slot_of_64(lookup, v);
}

/* Does each value have a slot of its own? */
static bool is_perfect(const winnow__set *set, const winnow__lookup *lookup) {
    uint64_t taken[(1 << MOST_LOG2_SLOTS) / 64] = {0};
    for (uint64_t i = 0; i < set->number; i++) {
        const uint32_t slot = slot_of(set, lookup, i);
        const uint64_t bit = UINT64_C(1) << slot % 64;
        if ((taken[slot / 64] & bit) != 0)
            return false;
        taken[slot / 64] |= bit;
    }
    return true;
}

/* Find a factor and a number of slots. False: no factor that was tried works. */
static bool find_slots(const winnow__set *set, winnow__lookup *lookup) {
    unsigned log2 = WINNOW__LOG2_FEW_SLOTS;
    unsigned trials = TRIALS_OF_FEW;
    if (set->number > MOST_SLOTTED)
        return false;
    /* By chance, n * n / 2 / slots pairs of values collide. */
    while (set->number > 1u << log2 ||
           (log2 != WINNOW__LOG2_FEW_SLOTS &&
            set->number * set->number >> (log2 + 1) > 3))
        log2++;
    for (; log2 <= MOST_LOG2_SLOTS; log2++, trials = TRIALS) {
        lookup->shift = 32 - log2;
        for (unsigned i = 0; i < trials; i++) {
            lookup->factor = winnow__hash_factor(winnow__seed(0) + i);
            if (is_perfect(set, lookup))
                return true;
        }
    }
    return false;
}

static void put(const winnow__set *set, unsigned char *table, uint64_t slot,
                uint64_t i) {
    memcpy(table + slot * set->type->size,
           (const unsigned char *)set->values + i * set->type->size,
           set->type->size);
}

static winnow_status make_slots(const winnow__set *set,
                                winnow__lookup *lookup) {
    const uint64_t slots = UINT64_C(1) << (32 - lookup->shift);
    unsigned char *const table = winnow__table_memory(slots * set->type->size);
    if (table == NULL)
        return WINNOW_ERR_MEMORY;
    /* Value 0 is put in the empty slots. */
    for (uint64_t slot = 0; slot < slots; slot++)
        put(set, table, slot, 0);
    for (uint64_t i = 0; i < set->number; i++)
        put(set, table, slot_of(set, lookup, i), i);
    lookup->table = table;
    return WINNOW_OK;
}

/* -------------------------------------------------------------------- bits */

static void set_bit(uint64_t *table, uint64_t i) {
    table[i / 64] |= UINT64_C(1) << i % 64;
}

/* A table of bits for `patterns` patterns from lookup->low on. */
static winnow_status make_bits(const winnow__set *set, uint64_t patterns,
                               winnow__lookup *lookup) {
    const uint64_t full = winnow__all_bits(set->type);
    const uint64_t bytes = (patterns + 63) / 64 * 8;
    uint64_t *const table = winnow__table_memory(bytes);
    if (table == NULL)
        return WINNOW_ERR_MEMORY;
    memset(table, 0, (size_t)bytes);
    for (uint64_t i = 0; i < set->number; i++)
        set_bit(table, (winnow__set_value(set, i) - lookup->low) & full);
    lookup->table = table;
    return WINNOW_OK;
}

/* For 1 and 2 bytes: a bit for every element x, equal to the bit of x & mask. */
static winnow_status make_all_bits(const winnow__set *set,
                                   winnow__lookup *lookup) {
    const uint64_t patterns = UINT64_C(1) << 8 * set->type->size;
    WINNOW__TRY(make_bits(set, patterns, lookup));
    uint64_t *const table = (uint64_t *)lookup->table;
    for (uint64_t x = 0; x < patterns; x++) {
        const uint64_t v = x & set->mask; /* at most x: its bit is final */
        if ((table[v / 64] >> v % 64 & 1) != 0)
            set_bit(table, x);
    }
    return WINNOW_OK;
}

/* ------------------------------------------------------------------ choice */

winnow_status winnow__lookup_make(const winnow__set *set,
                                  winnow__lookup *lookup) {
    const uint64_t buckets = winnow__buckets_bytes(set);
    const uint64_t most_bits = buckets < SMALL_BITS ? SMALL_BITS : buckets;
    *lookup = (winnow__lookup){.mask = set->mask, .kind = WINNOW__IN_BITS};
    if (set->type->size < 4)
        return make_all_bits(set, lookup);
    if (find_slots(set, lookup)) {
        lookup->kind = WINNOW__IN_SLOTS;
        return make_slots(set, lookup);
    }
    if (set->span / 8 < most_bits) {
        lookup->low = set->low;
        lookup->span = set->span;
        return make_bits(set, set->span + 1, lookup);
    }
    lookup->kind = WINNOW__IN_BUCKETS;
    return winnow__buckets_make(set, lookup);
}
