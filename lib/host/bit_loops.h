/*
 * Loops over columns of bits: the bits that the words of a selection keep, put
 * together, and back to their places. A bit has number i of its array if it is
 * bit i % 8 of byte i / 8, the least significant one first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "loops.h"

/* Bits that are read: from bit `first` of `start` on, `number` of them. No byte
 * is read that has none. */
typedef struct winnow__bit_source {
    const unsigned char *start;
    uint64_t first;
    uint64_t number;
} winnow__bit_source;

/* Put those of the bits together whose bits are set in keep ^ flip, from bit
 * `at`, 0 to 63, of out on; return how many they are. Bits below `at` are 0,
 * and so are those behind the last one, in its word. keep: whole pairs of words.
 * out: room for `at` and as many bits as are read, and a word. */
typedef uint64_t winnow__host_pack_bits(const uint32_t *keep, uint32_t flip,
                                        const winnow__bit_source *in,
                                        unsigned at, uint64_t *out);

/* Bring bits back to the places that keep[0 .. pairs) has, pairs of words: set
 * `kept` to those places that there is a bit for, and `values` to the bits, zero
 * elsewhere. Return how many bits were taken. */
typedef uint64_t winnow__host_spread_bits(const uint32_t *keep, unsigned pairs,
                                          const winnow__bit_source *in,
                                          uint64_t *kept, uint64_t *values);

typedef struct winnow__host_bit_loops {
    const char *name;
    winnow__host_pack_bits *pack;
    winnow__host_spread_bits *spread;
} winnow__host_bit_loops;

extern const winnow__host_bit_loops winnow__host_bits_portable;
extern const winnow__host_bit_loops winnow__host_bits_bmi2;

/* The fastest ones of a CPU that has these instructions. */
const winnow__host_bit_loops *
winnow__host_bit_loops_choose(winnow__host_isa isa);
