/*
 * Looks elements up in a set of values. lib/set describes the set; loops for
 * each instruction set read this description.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/predicate.h"

#include <stddef.h>

typedef enum winnow__lookup_kind {
    WINNOW__IN_BITS = 0, /* a bit for each pattern, starting at `low` */
    WINNOW__IN_SLOTS,    /* a hash table with one value in each slot */
    WINNOW__IN_BUCKETS,  /* a hash table with several values in each 32 bytes */
    WINNOW__LOOKUP_KINDS
} winnow__lookup_kind;

enum {
    WINNOW__BUCKET_BYTES = 32,
    /* Slots that fit into registers. */
    WINNOW__LOG2_FEW_SLOTS = 3
};

/*
 * An element x is in the set exactly when v = x & mask is.
 *
 * Bits: d = v - low, modulo 2^width, is at most `span`, and bit d of the table
 * is set. Of elements of 1 and 2 bytes the table has all x: low and mask do not
 * matter.
 *
 * Slots: slot winnow__slot_of() is v. A slot that no value has holds a value of
 * another slot, so it equals no v that is looked up there.
 *
 * Buckets: v is in bucket winnow__bucket_of(), or in the next one if the first
 * element of this bucket is greater than its second, and so on; the first bucket
 * follows the last. Without `goes_on` no bucket is like that. An unused place
 * holds any value of the set, which does no harm.
 */
typedef struct winnow__lookup {
    uint64_t mask, low, span;
    uint64_t factor;
    const void *table; /* aligned to 64 bytes */
    uint32_t shift;
    winnow__lookup_kind kind;
    bool goes_on;
} winnow__lookup;

/* Set bit i if in[i] is in the set, else leave it, for in[0 .. n). Words of
 * `wanted` that are 0 are skipped, and the bits of unwanted items may have any
 * value; NULL: all are wanted. The loop may prefetch `ahead` bytes further on. */
typedef void winnow__look_up(const winnow__lookup *lookup, const void *in,
                             uint64_t n, size_t ahead, const uint32_t *wanted,
                             uint32_t *words);

/* Elements of 1 and 2 bytes are only looked up in bits. */
typedef struct winnow__look_ups {
    winnow__look_up *in[WINNOW__SIZES][WINNOW__LOOKUP_KINDS];
} winnow__look_ups;

/* The loops of one file (lookup_loops.h). */
#define WINNOW__LOOK_UPS                                                       \
    {                                                                          \
        .in = {                                                                \
            [0][WINNOW__IN_BITS] = look_up_bits_8,                             \
            [1][WINNOW__IN_BITS] = look_up_bits_16,                            \
            [2] = {look_up_bits_32, look_up_slots_32, look_up_buckets_32},     \
            [3] = {look_up_bits_64, look_up_slots_64, look_up_buckets_64}      \
        }                                                                      \
    }

extern const winnow__look_ups winnow__look_ups_portable;
extern const winnow__look_ups winnow__look_ups_avx2; /* uses AVX-512 as well */

/* ---- the place of a value in a table; the vector loops compute the same */

static inline uint32_t winnow__slot_of_32(const winnow__lookup *lookup,
                                          uint32_t v) {
    return v * (uint32_t)lookup->factor >> lookup->shift;
}

/* Each half has a factor of its own, so that no two values collide for all factors. */
static inline uint32_t winnow__slot_of_64(const winnow__lookup *lookup,
                                          uint64_t v) {
    return ((uint32_t)v * (uint32_t)lookup->factor +
            (uint32_t)(v >> 32) * (uint32_t)(lookup->factor >> 32)) >>
           lookup->shift;
}

static inline uint32_t winnow__bucket_of_32(const winnow__lookup *lookup,
                                            uint32_t v) {
    return (v ^ v >> 16) * (uint32_t)lookup->factor >> lookup->shift;
}

static inline uint32_t winnow__bucket_of_64(const winnow__lookup *lookup,
                                            uint64_t v) {
    return (uint32_t)((v ^ v >> 32) * lookup->factor >> lookup->shift);
}
