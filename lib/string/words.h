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

/* How many of a word's items there are, from `start` of `items` on. */
INLINE unsigned items_left(unsigned start, unsigned items) {
    return items - start < WORD ? items - start : WORD;
}

/* The bits of a word's items, of which `left` are there. */
INLINE uint32_t inside(unsigned left) {
    return left < WORD ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
}

/* Bits come in at the bottom, the last item's first: a shift by a constant takes
 * less than one by the item's number, and adding a carry least. */
INLINE uint32_t push(uint32_t word, bool bit) {
    return word + word + bit;
}

/* What little of a word's strings says: which pass, and which may. */
typedef struct verdict {
    uint32_t passes, may;
} verdict;

#endif
