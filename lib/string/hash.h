/*
 * The hash of a string in a list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_HASH_H
#define WINNOW_LIB_STRING_HASH_H

#include "find.h"
#include "test.h"

#include "core/seed.h"
#include "kernels/core/sample.h"

/* The seeds of a hash, from winnow__seed(number). */
static inline void winnow__string_seed(unsigned number, uint64_t seed[2]) {
    seed[0] = winnow__seed(number);
    seed[1] = winnow__mix(seed[0]) | 1;
}

static inline uint64_t winnow__string_hash(const uint64_t seed[2],
                                           const unsigned char *s,
                                           uint64_t bytes) {
    uint64_t hash = winnow__string_hash_begin(seed, bytes);
    uint64_t i = 0;
    for (; i + 8 <= bytes; i += 8)
        hash = winnow__string_hash_word(seed, hash, winnow__load_64(s + i));
    if (i != bytes)
        hash = winnow__string_hash_word(seed, hash,
                                        winnow__load_few(s + i, bytes - i));
    return hash;
}

#endif
