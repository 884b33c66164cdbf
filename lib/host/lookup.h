/*
 * Looking elements up in a set of values. lib/set makes what describes the set;
 * loops for each set of instructions read it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "core/predicate.h"

#include <stddef.h>

typedef enum winnow__lookup_kind {
    WINNOW__IN_BITS = 0, /* a bit for each pattern from `low` on */
    WINNOW__IN_SLOTS,    /* a slot of the table is one value's alone */
    WINNOW__IN_BUCKETS,  /* several values to 32 bytes of the table */
    WINNOW__LOOKUP_KINDS
} winnow__lookup_kind;

enum {
    WINNOW__BUCKET_BYTES = 32,
    /* Slots that are held in registers. */
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
 * Buckets: an element of bucket winnow__bucket_of() is v; or of the next bucket,
 * and so on around the end, as long as the one before has its first element
 * greater than the second. Without `goes_on` there is no such bucket. A place that no value has holds any value of the
 * set: to find it is right.
 */
typedef struct winnow__lookup {
    uint64_t mask, low, span;
    uint64_t factor;
    const void *table; /* aligned to 64 bytes */
    uint32_t shift;
    winnow__lookup_kind kind;
    bool goes_on;
} winnow__lookup;

/* Set the bits of those of in[0 .. n) that are in the set, the first one lowest,
 * and leave the others. Words of `wanted` (NULL: all are) that are 0 are passed
 * over; of items that are not wanted the bits may be any. What lies `ahead`
 * bytes further on may be fetched. */
typedef void winnow__look_up(const winnow__lookup *lookup, const void *in,
                             uint64_t n, size_t ahead, const uint32_t *wanted,
                             uint32_t *words);

/* Elements of 1 and 2 bytes are looked up in bits alone. */
typedef struct winnow__look_ups {
    winnow__look_up *in[WINNOW__SIZES][WINNOW__LOOKUP_KINDS];
} winnow__look_ups;

/* The loops of a file (lookup_loops.h). */
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
extern const winnow__look_ups winnow__look_ups_avx2; /* of AVX-512 as well */

/* ---- where a value is found; the vector loops say the same */

static inline uint32_t winnow__slot_of_32(const winnow__lookup *lookup,
                                          uint32_t v) {
    return v * (uint32_t)lookup->factor >> lookup->shift;
}

/* Each half has a factor, so that no two values meet by all of them. */
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
