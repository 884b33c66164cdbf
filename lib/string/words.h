/*
 * Words of bits, one for each of 32 items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_WORDS_H
#define WINNOW_LIB_STRING_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    WORD = 32 /* items */
};

/* The number of items in the word that begins at `start`, of `items` in all. */
INLINE unsigned items_left(unsigned start, unsigned items) {
    return items - start < WORD ? items - start : WORD;
}

/* The bits of a word that has `left` items. */
INLINE uint32_t inside(unsigned left) {
    return left < WORD ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
}

/* Bits are shifted in at the bottom, the last item's first. A shift by a constant is
 * faster than one by the item's number, and adding a carry is fastest. */
INLINE uint32_t push(uint32_t word, bool bit) {
    return word + word + bit;
}

/* What a quick test of a word's strings says: which pass, and which may pass. */
typedef struct verdict {
    uint32_t passes, may;
} verdict;

#endif
