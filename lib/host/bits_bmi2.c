/*
 * Loops over columns of bits by pext and pdep.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_loops.h"

#include <immintrin.h>

static inline uint64_t extract(uint64_t x, uint64_t mask) {
    return _pext_u64(x, mask);
}

static inline uint64_t deposit(uint64_t x, uint64_t mask) {
    return _pdep_u64(x, mask);
}

static inline unsigned ones(uint64_t mask) {
    return (unsigned)_mm_popcnt_u64(mask);
}

#include "bit_words.h"

const winnow__host_bit_loops winnow__host_bits_bmi2 = {
    .name = "bmi2", .pack = pack, .spread = spread};
