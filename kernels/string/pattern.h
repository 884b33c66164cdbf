/*
 * What strings are tested for: plain C, included by both sides. lib/string makes
 * it.
 *
 * A pattern is one block of memory, aligned to 8 bytes: the head below, behind it
 * what its kind has beside it, and its texts. A text begins at a multiple of 8
 * bytes and is filled up with zeros to the next one, so that it is read in words.
 *
 *   LIKE    segments, between which any bytes may stand. A segment is steps; a
 *           step is a number of characters, any, and a text behind them.
 *   LIST    slots of a hash table, then the texts' places. A text is in the slot
 *           that its hash gives or, where that has another, in one after it,
 *           around the end. An empty slot is 0; others have the upper 32 bits of
 *           the hash, and the text's number plus 1.
 *
 * Bytes are compared as unsigned numbers. A character begins at a byte that does
 * not continue one in UTF-8, or at the first byte of the string, and ends before
 * the next such byte.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_PATTERN_H
#define WINNOW_KERNELS_STRING_PATTERN_H

#include "kernels/core/both.h"
#include "kernels/core/hash.h"

#include <stdint.h>

/* A pattern of as many bytes goes with the arguments of a kernel, and lies where
 * constants do. */
#define WINNOW__STRING_INLINE 2048

/* Bytes of a text that find.cu compares where its word stands. */
#define WINNOW__FIND_TEXT 16

typedef enum winnow__pattern_kind {
    WINNOW__PATTERN_EQUAL = 0,
    WINNOW__PATTERN_LESS = 1,
    WINNOW__PATTERN_LESS_EQUAL = 2,
    WINNOW__PATTERN_STARTS = 3,
    WINNOW__PATTERN_ENDS = 4,
    WINNOW__PATTERN_CONTAINS = 5, /* one byte or more */
    WINNOW__PATTERN_LIKE = 6,
    WINNOW__PATTERN_LIST = 7
} winnow__pattern_kind;

typedef struct winnow__pattern_text {
    uint32_t place; /* in the block, in units of 8 bytes */
    uint32_t bytes;
} winnow__pattern_text;

typedef struct winnow__pattern_step {
    uint32_t skip; /* characters */
    winnow__pattern_text text;
} winnow__pattern_step;

typedef struct winnow__pattern_segment {
    uint32_t first, steps; /* 1 and more */
} winnow__pattern_segment;

typedef struct winnow__pattern {
    uint32_t kind;
    uint32_t least;            /* bytes: no shorter string passes */
    winnow__pattern_text text; /* of all kinds but LIST */
    uint64_t bytes;            /* of the block */
    /* Of LIKE: how many segments, and where they and the steps begin; whether any
     * bytes may stand before the first one, and behind the last one. Of LIST: how
     * many texts, and where their places begin. In bytes. */
    uint32_t number;
    uint32_t log2_slots;
    uint64_t table, others;
    uint32_t open_front, open_back;
    /* Of LIKE: what passes has `text`, too: it STARTS or ENDS with it, or CONTAINS
     * it. That may be empty. */
    uint32_t need;
    /* Of LIST: bit b is set if a text has b bytes, bit 63 if one has more. */
    uint64_t lengths;
    uint64_t seed[2]; /* of the hash */
    /* Of LIST: where the words of the filter begin, in bytes; 64 less the logarithm
     * of its bits. */
    uint64_t filter;
    uint32_t filter_shift;
    /* Of a text that strings are to contain: where the word of 4 bytes begins by
     * which find.cu looks for it. 0 but for longer ones than WINNOW__FIND_TEXT. */
    uint32_t rare;
} winnow__pattern;

/* ------------------------------------------------------------------ hashes */

WINNOW__BOTH uint64_t winnow__string_hash_begin(const uint64_t seed[2],
                                                uint64_t bytes) {
    return winnow__hash_fold(bytes ^ seed[0], seed[1]);
}

/* With the next 8 bytes, of which those behind the string's end are 0. At the end
 * the lower bits number a slot, and the upper 32 stand in it. */
WINNOW__BOTH uint64_t winnow__string_hash_word(const uint64_t seed[2],
                                               uint64_t hash, uint64_t word) {
    return winnow__hash_fold(hash ^ word, seed[1]);
}

/* The bit of a list's filter that a text sets, by its first and its last 8 bytes,
 * or by all of fewer, twice. A text of more than WINNOW__VIEW_INLINE bytes has a
 * second one, by its first 4 bytes and 0, as a view has no more. */
WINNOW__BOTH uint64_t winnow__filter_place(const winnow__pattern *list,
                                           uint64_t bytes, uint64_t front,
                                           uint64_t back) {
    return winnow__hash_fold(front ^ list->seed[0],
                             back ^ bytes << 56 ^ list->seed[1]) >>
           list->filter_shift;
}

WINNOW__BOTH uint64_t winnow__string_length_bit(uint64_t bytes) {
    return (uint64_t)1 << (bytes < 63 ? bytes : 63);
}

#endif
