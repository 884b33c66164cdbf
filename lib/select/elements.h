/*
 * Testing the elements of a column on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/where.h"
#include "selection/format.h"
#include "set/set.h"

/* A column of any stride, modulo 2^64. */
winnow__where_column winnow__elements(const void *first, uint64_t stride,
                                      unsigned log2_size);
/* A column of bits: that of item 0 is number `offset`, counted from start on. */
winnow__where_column winnow__bits(const void *start, uint64_t offset);

/* Items in a row, of a tile at most, and how many there are in all. */
typedef struct winnow__span {
    uint64_t first, all;
    unsigned items; /* 1 and more */
} winnow__span;

/* What is asked of elements: do they pass any of the tests, or are they in a set? */
typedef struct winnow__question {
    const winnow__test *tests;
    unsigned number;        /* of them, 1 and more */
    const winnow__set *set; /* NULL: it is the tests */
} winnow__question;

/* Which loops ask a test of elements of a size. */
winnow__test_kind winnow__kind_of_test(const winnow__test *test,
                                       unsigned log2_size);
/* Set the bits of the span's items for which the answer is yes. Of items that are not
 * `wanted` (NULL: all are) the bits may be any. */
void winnow__ask_elements(const winnow__host_loops *loops,
                          const winnow__where_column *column,
                          const winnow__question *asked,
                          const winnow__span *span, const uint32_t *wanted,
                          uint32_t *words);
/* Copy the bits of the span's items from an array of a column of bits; of others
 * in their words they may be any. */
void winnow__read_bits(const winnow__where_column *column, unsigned array,
                       const winnow__span *span, uint32_t *words);
