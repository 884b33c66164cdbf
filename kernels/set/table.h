/*
 * The table in which a device looks up the values of a set: plain C, included
 * by both sides. lib/set/image.c makes it, look_up.cuh reads it.
 *
 * A table is one block of memory, aligned to 16 bytes, whose size is a multiple
 * of 16: a head, followed by the data of one of four forms.
 *
 *   FEW      no data: the values are in the head, and are compared.
 *   BITS     words of bits. Pattern low + d, d < bits, has bit 31 - d % 32 of
 *            word d / 32. Bit `bits` is 0 and is used for all other patterns.
 *   PERFECT  32 seeds of 4 bytes, then slots of values. The seed of a value's
 *            bucket gives its slot. A look-up takes two loads.
 *   BUCKETS  of 16 bytes: 4 values of 4 bytes or 2 of 8. One load reads a
 *            bucket. A value is in its own bucket or, if that overflowed, in a
 *            later one; the first bucket follows the last.
 *
 * No slot is empty: a slot without its own value has a copy of another value of
 * the set. So an element that equals any slot is in the set. A bucket has
 * overflowed exactly if its first value is greater than its second. FEW, BITS
 * and PERFECT can be copied to shared memory unchanged.
 *
 * Elements of 1 byte use BITS of all 256 patterns; elements of 2 bytes use FEW
 * or BITS of all 65536 patterns. These bits take the mask into account.
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

/* The most values of FEW. With more, a perfect table is faster: on an H200, 8
 * values of 4 bytes reached 0.74 of the copy rate with FEW, 0.84 without. */
#define WINNOW__SET_MOST_FEW 4

#define WINNOW__SET_SEEDS 32
#define WINNOW__SET_BUCKET_BYTES 16

/* The head of a table. */
typedef struct winnow__set_table {
    uint64_t mask;   /* x & mask is looked up */
    uint64_t low;    /* BITS: the first pattern, and */
    uint64_t bits;   /* the number of patterns */
    uint64_t spread; /* PERFECT and BUCKETS: for winnow__set_fold() */
    uint32_t form;
    uint32_t mix;     /* odd */
    uint32_t shift;   /* PERFECT: 32 - log2(number of slots) */
    uint32_t buckets; /* BUCKETS: their number */
    uint64_t few[WINNOW__SET_MOST_FEW];
} winnow__set_table;

/* The location of a table in a launch. Either `bytes` bytes are copied to the
 * block's shared memory at `place`, or the table stays in device memory. */
typedef struct winnow__set_ref {
    const winnow__set_table *table; /* in the device's memory */
    uint32_t bytes;                 /* bytes to copy */
    uint32_t place;                 /* a multiple of 16, or STAYS */
} winnow__set_ref;
#define WINNOW__SET_STAYS UINT32_MAX /* the table is not copied */

/* ------------------------------------------------------------------ hashes */

/*
 * Hash an element to 32 bits; `high` is 0 if it has 4 bytes. The high bits are
 * folded into the low bits, as small numbers stored as floats have low bits of
 * 0. Elements of 4 bytes never collide. With a random spread, two elements of 8
 * bytes collide only as often as two random numbers, for any choice of
 * elements. A factor of 32 bits would leave the highest bit of `high` alone.
 */
WINNOW__BOTH uint32_t winnow__set_fold(uint32_t low, uint32_t high,
                                       uint64_t spread) {
    const uint32_t x = low + (uint32_t)(high * spread >> 32);
    return x ^ x >> 15;
}

/* PERFECT: the number of an element's seed, and its slot. */
WINNOW__BOTH uint32_t winnow__set_seed_of(uint32_t fold, uint32_t mix) {
    return fold * mix >> 27;
}

WINNOW__BOTH uint32_t winnow__set_slot_of(uint32_t fold, uint32_t seed,
                                          uint32_t shift) {
    return fold * seed >> shift;
}

/* BUCKETS: an element's own bucket. */
WINNOW__BOTH uint32_t winnow__set_bucket_of(uint32_t fold, uint32_t mix,
                                            uint32_t buckets) {
    return (uint32_t)((uint64_t)(fold * mix) * buckets >> 32);
}
