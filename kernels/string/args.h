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
/* Items of a warp: one word for each lane. */
#define WINNOW__STRING_ITEMS 1024
/* test.cu: the most strings of a block, if a test needs more than 8 bytes of
 * each, and otherwise. */
#define WINNOW__TEST_ITEMS_WIDE 1024
#define WINNOW__TEST_ITEMS 2048
#define WINNOW__STRING_FEW_TEXTS 16
/* find.cu: the most strings of a block, and the bytes of a chunk. */
#define WINNOW__FIND_ITEMS 2048
#define WINNOW__FIND_BYTES 32768

/* If strings have this average length, a warp tests each string. A lane alone
 * would read the words of a string one after another. */
#define WINNOW__LONG_STRING 256

/* test.cu: bit i % 32 of words[i / 32] says whether string i passes. Only words
 * that contain items are written. */
typedef struct winnow__test_strings_args {
    winnow__string_column column;
    uint64_t n;
    const unsigned long long *items; /* NULL, or how many are tested */
    uint32_t *words;
    const winnow__pattern *pattern; /* NULL: it is `own` */
    bool inverted;                  /* strings pass if they fail the test */
    /* For offsets: strings are long, and a warp tests each string. For views
     * each block decides. */
    bool together;
    uint32_t tile; /* strings of a block */
    uint64_t own[WINNOW__STRING_INLINE / 8];
} winnow__test_strings_args;

/* indices.cu: an item's bit is the bit of the value that its index names. */
typedef struct winnow__look_up_bits_args {
    const unsigned char *first; /* the index of item 0 */
    uint64_t stride;            /* bytes to the next, modulo 2^64 */
    unsigned log2_size;
    bool is_signed;
    uint64_t n;
    const unsigned long long *items;
    const uint32_t *values; /* NULL: all bits are set */
    uint64_t values_n;
    /* NULL, or the values' validity, from bit valid_offset on: the bit of an
     * item with a null value is 0. */
    const unsigned char *valid;
    uint64_t valid_offset;
    uint32_t *words;
} winnow__look_up_bits_args;

/* The strings to compare: a column of strings, or indices of a dictionary. An
 * item is null if its index names no value or a null. */
typedef struct winnow__compared_strings {
    winnow__string_column strings; /* or the dictionary's values */
    const unsigned char *first;    /* NULL, or the index of item 0 */
    uint64_t stride;               /* as above */
    uint64_t values_n;
    const unsigned char *values_valid; /* NULL, or the values' validity */
    uint64_t values_valid_offset;
    const unsigned char *valid; /* NULL, or the items' validity */
    uint64_t valid_offset;
    uint8_t log2_size;
    bool is_signed;
} winnow__compared_strings;

/* Replace the number of an item by that of its string. Returns false if it is
 * null; does not test the items' own validity. */
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

/* compare.cu: words of bits as above; bits behind the last item are 0. */
typedef struct winnow__compare_strings_args {
    winnow__compared_strings a, b;
    uint64_t n;
    const unsigned long long *items;
    uint32_t *words; /* NULL, or does the item pass? Unspecified for nulls */
    uint32_t *valid; /* NULL, or are both a and b not null? */
    /* An item passes if a is less than b, equal, or greater. */
    bool less, equal, greater;
} winnow__compare_strings_args;

/* The kernels, for patterns EQUAL, STARTS and ENDS; LESS and LESS_EQUAL;
 * CONTAINS; LIKE; LIST of up to WINNOW__STRING_FEW_TEXTS, and of more. */
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
