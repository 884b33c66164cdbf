/*
 * The table in which a device looks up the values of a set: plain C, included
 * by both sides. lib/set/image.c makes it, look_up.cuh reads it.
 *
 * A table is one block of memory, aligned to 16 bytes and a multiple of 16 of
 * them: a head, and behind it the data of one of four forms.
 *
 *   FEW      no data: the values are in the head, and are compared.
 *   BITS     words of bits. Pattern low + d has bit 31 - d % 32 of word d / 32,
 *            d < bits; bit number `bits` is 0, and stands for all others.
 *   PERFECT  32 seeds of 4 bytes, then slots of values. A value is in the slot
 *            that the seed of its bucket gives. Two loads find it.
 *   BUCKETS  of 16 bytes, 4 values of 4 bytes or 2 of 8, one load each. A value
 *            is in its own bucket or, where that overflowed, in one after it,
 *            around the end.
 *
 * No slot is empty: one without a value of its own has a copy of any value of
 * the set, so that what is equal to a slot is in the set, wherever that is. A
 * bucket has overflowed exactly when its first value is greater than its
 * second. FEW, BITS and PERFECT can be copied to shared memory as they are.
 *
 * Elements of 1 byte have BITS of all 256 patterns, and of 2 bytes FEW or BITS
 * of all 65536, where the mask is part of the bits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/both.h"

#include <stdint.h>

typedef enum winnow__set_form {
    WINNOW__SET_FEW = 0,
    WINNOW__SET_BITS = 1,
    WINNOW__SET_PERFECT = 2,
    WINNOW__SET_BUCKETS = 3
} winnow__set_form;

/* Values of the form FEW. More take longer than a look-up in a perfect table: on
 * an H200, of 8 values of 4 bytes, 0.74 of the copy rate beside 0.84. */
#define WINNOW__SET_MOST_FEW 4

#define WINNOW__SET_SEEDS 32
#define WINNOW__SET_BUCKET_BYTES 16

/* The head of a table. */
typedef struct winnow__set_table {
    uint64_t mask; /* x & mask is looked up */
    uint64_t low;  /* of BITS, and */
    uint64_t bits;
    uint64_t spread; /* of PERFECT and BUCKETS: winnow__set_fold() */
    uint32_t form;
    uint32_t mix;     /* odd */
    uint32_t shift;   /* of PERFECT: 32 less the logarithm of the slots */
    uint32_t buckets; /* of BUCKETS */
    uint64_t few[WINNOW__SET_MOST_FEW];
} winnow__set_table;

/* Where a table is for a launch. It is copied to the block's shared memory,
 * `bytes` bytes at `place`, or stays where it is. */
typedef struct winnow__set_ref {
    const winnow__set_table *table; /* in the device's memory */
    uint32_t bytes;                 /* of what can be copied */
    uint32_t place;                 /* a multiple of 16, */
} winnow__set_ref;
#define WINNOW__SET_STAYS UINT32_MAX /* or this */

/* ------------------------------------------------------------------ hashes */

/*
 * 32 bits of an element, of which `high` is 0 where it has 4 bytes. The low bits
 * get what the high ones have: of small numbers as floats, the low ones are 0. No
 * two elements of 4 bytes have the same result. By a spread that is drawn, two
 * elements of 8 bytes have the same with the chance of two drawn numbers, however
 * they were chosen: a factor of 32 bits leaves the highest bit of `high` alone.
 */
WINNOW__BOTH uint32_t winnow__set_fold(uint32_t low, uint32_t high,
                                       uint64_t spread) {
    const uint32_t x = low + (uint32_t)(high * spread >> 32);
    return x ^ x >> 15;
}

/* Of PERFECT: the number of an element's seed, and its slot. */
WINNOW__BOTH uint32_t winnow__set_seed_of(uint32_t fold, uint32_t mix) {
    return fold * mix >> 27;
}

WINNOW__BOTH uint32_t winnow__set_slot_of(uint32_t fold, uint32_t seed,
                                          uint32_t shift) {
    return fold * seed >> shift;
}

/* Of BUCKETS: an element's own bucket. */
WINNOW__BOTH uint32_t winnow__set_bucket_of(uint32_t fold, uint32_t mix,
                                            uint32_t buckets) {
    return (uint32_t)((uint64_t)(fold * mix) * buckets >> 32);
}
