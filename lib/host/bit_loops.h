/*
 * Loops over columns of bits: extract the bits that a selection keeps, and
 * deposit them again. Bit i of an array is bit i % 8 of byte i / 8.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "loops.h"

/* `number` bits to read, from bit `first` of `start` on. Bytes without such a
 * bit are not read. */
typedef struct winnow__bit_source {
    const unsigned char *start;
    uint64_t first;
    uint64_t number;
} winnow__bit_source;

/* Pack the bits whose bits are set in keep ^ flip, from bit `at`, 0 to 63, of
 * out on; return their number. The bits of out below `at` become 0, and those
 * after the last one in its word. keep: whole pairs of words. out: room for
 * `at`, all bits that are read, and a word. */
typedef uint64_t winnow__host_pack_bits(const uint32_t *keep, uint32_t flip,
                                        const winnow__bit_source *in,
                                        unsigned at, uint64_t *out);

/* The reverse: move packed bits to the places that are set in keep[0 .. pairs),
 * pairs of words. Set `kept` to the places that got a bit, and `values` to the
 * bits, zero elsewhere. Return the number of bits taken. */
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

/* The fastest loops that this CPU can run. */
const winnow__host_bit_loops *
winnow__host_bit_loops_choose(winnow__host_isa isa);
