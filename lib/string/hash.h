/*
 * Looking up a string in a list.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_HASH_H
#define WINNOW_LIB_STRING_HASH_H

#include "find.h"
#include "test.h"

#include "core/seed.h"
#include "kernels/core/sample.h"

/* What a hash is made by: winnow__seed(number). */
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

/* Is it one of the list's? */
static inline bool winnow__string_find(const winnow__pattern *pattern,
                                       const unsigned char *s, uint64_t bytes) {
    const unsigned char *const block = (const unsigned char *)pattern;
    const uint64_t *const slots =
        (const uint64_t *)(const void *)(block + pattern->table);
    const winnow__pattern_text *const texts =
        (const winnow__pattern_text *)(const void *)(block + pattern->others);
    const uint64_t mask = (UINT64_C(1) << pattern->log2_slots) - 1;
    if ((pattern->lengths & winnow__string_length_bit(bytes)) == 0)
        return false;
    const uint64_t hash = winnow__string_hash(pattern->seed, s, bytes);
    for (uint64_t slot = hash & mask; slots[slot] != 0;
         slot = (slot + 1) & mask) {
        if ((slots[slot] ^ hash) >> 32 != 0)
            continue;
        const winnow__pattern_text *const text =
            &texts[(uint32_t)slots[slot] - 1];
        if (text->bytes == bytes &&
            winnow__same(winnow__pattern_bytes(pattern, text), s, bytes))
            return true;
    }
    return false;
}

#endif
