/*
 * The pattern by which strings are tested: plain C, included by both sides.
 * lib/string makes it.
 *
 * A pattern is one block of memory, aligned to 8 bytes: the head below, then
 * the data of its kind, then its texts. A text begins at a multiple of 8 bytes
 * and is padded with zeros to the next one, to be read in words.
 *
 *   LIKE    segments, with any bytes between them. A segment is a list of steps;
 *           a step is a number of arbitrary characters, followed by a text.
 *   LIST    slots of a hash table, then the texts' places. A text is in the slot
 *           that its hash gives or, if that is taken, in a later one; the first
 *           slot follows the last. An empty slot is 0; others have the upper 32
 *           bits of the hash, and the text's number plus 1.
 *
 * Bytes are compared as unsigned numbers. A character begins at the first byte
 * of the string, and at each byte that is not a continuation byte in UTF-8. It
 * ends before the next character.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_PATTERN_H
#define WINNOW_KERNELS_STRING_PATTERN_H

#include "kernels/core/both.h"
#include "kernels/core/hash.h"

#include <stdint.h>

/* A pattern of up to this many bytes is part of the kernel arguments, in
 * constant memory. */
#define WINNOW__STRING_INLINE 2048

/* The most bytes of a text that find.cu compares, from its rarest word on. */
#define WINNOW__FIND_TEXT 16

typedef enum winnow__pattern_kind {
    WINNOW__PATTERN_EQUAL = 0,
    WINNOW__PATTERN_LESS = 1,
    WINNOW__PATTERN_LESS_EQUAL = 2,
    WINNOW__PATTERN_STARTS = 3,
    WINNOW__PATTERN_ENDS = 4,
    WINNOW__PATTERN_CONTAINS = 5, /* the text has at least one byte */
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
    uint32_t first, steps; /* at least 1 step */
} winnow__pattern_segment;

typedef struct winnow__pattern {
    uint32_t kind;
    uint32_t least;            /* bytes: no shorter string passes */
    winnow__pattern_text text; /* of all kinds but LIST */
    uint64_t bytes;            /* of the block */
    /* LIKE: the number of segments, and the offsets in bytes of segments and
     * steps; may any bytes precede the first, and follow the last? LIST: the
     * number of texts, and the offsets of slots and texts' places. */
    uint32_t number;
    uint32_t log2_slots;
    uint64_t table, others;
    uint32_t open_front, open_back;
    /* LIKE: a string that passes also STARTS or ENDS with `text`, or CONTAINS
     * it. The text may be empty. */
    uint32_t need;
    /* LIST: bit b is set if a text has b bytes; bit 63 if 63 or more. */
    uint64_t lengths;
    uint64_t seed[2]; /* of the hash */
    /* LIST: the filter's offset in bytes; 64 - log2 of its size in bits. */
    uint64_t filter;
    uint32_t filter_shift;
    /* The offset of the text's rarest word of 4 bytes, for which find.cu
     * searches. 0 if the text has at most WINNOW__FIND_TEXT bytes. */
    uint32_t rare;
} winnow__pattern;

/* ------------------------------------------------------------------ hashes */

WINNOW__BOTH uint64_t winnow__string_hash_begin(const uint64_t seed[2],
                                                uint64_t bytes) {
    return winnow__hash_fold(bytes ^ seed[0], seed[1]);
}

/* Hash the next 8 bytes; bytes behind the string's end are 0. The final hash
 * has the number of a slot in its low bits; the slot has its upper 32 bits. */
WINNOW__BOTH uint64_t winnow__string_hash_word(const uint64_t seed[2],
                                               uint64_t hash, uint64_t word) {
    return winnow__hash_fold(hash ^ word, seed[1]);
}

/* The bit that a text sets in a list's filter, from its first and last 8 bytes,
 * or twice all bytes if it is shorter. A text of more than WINNOW__VIEW_INLINE
 * bytes sets a second bit, from its first 4 bytes, which a view has, and 0. */
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
