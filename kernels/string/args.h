/*
 * The arguments of the kernels that test strings: plain C, included by both
 * sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_STRING_ARGS_H
#define WINNOW_KERNELS_STRING_ARGS_H

#include "kernels/core/args.h"
#include "column.h"
#include "index.h"
#include "pattern.h"

#include <stdbool.h>

#define WINNOW__STRING_THREADS 256
/* Items of a warp: a word for each lane. */
#define WINNOW__STRING_ITEMS 1024
/* test.cu: strings of a block at most, where more than 8 bytes are asked for, and
 * else. */
#define WINNOW__TEST_ITEMS_WIDE 1024
#define WINNOW__TEST_ITEMS 2048
#define WINNOW__STRING_FEW_TEXTS 16
/* find.cu: strings of a block at most, and the bytes that it looks at together. */
#define WINNOW__FIND_ITEMS 2048
#define WINNOW__FIND_BYTES 32768

/* test.cu: bit i % 32 of words[i / 32] says whether string i passes, of the words
 * that have one of the items. */
typedef struct winnow__test_strings_args {
    winnow__string_column column;
    uint64_t n;
    const unsigned long long *items; /* NULL, or how many are looked at */
    uint32_t *words;
    const winnow__pattern *pattern; /* NULL: it is `own` */
    bool inverted;                  /* strings pass that fail the test */
    bool together; /* strings are long: what is looked for in one, by a warp */
    uint32_t tile; /* strings of a block */
    uint64_t own[WINNOW__STRING_INLINE / 8];
} winnow__test_strings_args;

/* indices.cu: the same of items that have the bits of values. */
typedef struct winnow__look_up_bits_args {
    const unsigned char *first; /* the index of item 0 */
    uint64_t stride;            /* bytes to the next, modulo 2^64 */
    unsigned log2_size;
    bool is_signed;
    uint64_t n;
    const unsigned long long *items;
    const uint32_t *values; /* NULL: all bits are set */
    uint64_t values_n;
    /* NULL, or the values' validity, that of value 0 at bit valid_offset: nulls
     * have no bit. */
    const unsigned char *valid;
    uint64_t valid_offset;
    uint32_t *words;
} winnow__look_up_bits_args;

/* Strings of items that are compared: a column of them, or indices of a dictionary.
 * An index that names no value, or a null, is null. */
typedef struct winnow__compared_strings {
    winnow__string_column strings; /* or the dictionary's values */
    const unsigned char *first;    /* NULL, or the index of item 0 */
    uint64_t stride;               /* as above */
    uint64_t values_n;
    const unsigned char *values_valid; /* NULL, or the values' validity */
    uint64_t values_valid_offset;
    const unsigned char *valid; /* NULL, or the items' validity, likewise */
    uint64_t valid_offset;
    uint8_t log2_size;
    bool is_signed;
} winnow__compared_strings;

/* From the number of an item to that of its string. False: it is null; the items' own
 * validity is not asked. */
WINNOW__BOTH bool winnow__find_compared(const winnow__compared_strings *column,
                                        uint64_t *item) {
    if (column->first == NULL)
        return true;
    *item =
        winnow__load_index((const unsigned char *)((uintptr_t)column->first +
                                                   *item * column->stride),
                           column->log2_size, column->is_signed);
    const uint64_t bit = column->values_valid_offset + *item;
    return *item < column->values_n &&
           (column->values_valid == NULL ||
            (column->values_valid[bit / 8] >> bit % 8 & 1) != 0);
}

/* compare.cu: words of bits as above, those behind the last item 0. */
typedef struct winnow__compare_strings_args {
    winnow__compared_strings a, b;
    uint64_t n;
    const unsigned long long *items;
    uint32_t *words; /* NULL, or does `a compare b` hold? Of a null any */
    uint32_t *valid; /* NULL, or is neither null? */
    /* Which orders of a and b pass. */
    bool less, equal, greater;
} winnow__compare_strings_args;

/* By the kinds of patterns: EQUAL, STARTS and ENDS; LESS and LESS_EQUAL; CONTAINS;
 * LIKE; LIST of WINNOW__STRING_FEW_TEXTS at most, and of more. */
typedef enum winnow__string_kernel {
    WINNOW__STRING_MATCH,
    WINNOW__STRING_ORDER,
    WINNOW__STRING_CONTAIN,
    WINNOW__STRING_LIKE,
    WINNOW__STRING_FEW,
    WINNOW__STRING_TABLE,
    WINNOW__STRING_KERNELS
} winnow__string_kernel;

#endif
