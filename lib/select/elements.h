/*
 * Testing the elements of a column on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/where.h"
#include "selection/format.h"
#include "set/set.h"

/* A column of elements with any stride, modulo 2^64. */
winnow__where_column winnow__elements(const void *first, uint64_t stride,
                                      unsigned log2_size);
/* A column of bits. Item 0 has bit number `offset`, counted from `start`. */
winnow__where_column winnow__bits(const void *start, uint64_t offset);

/* Consecutive items, at most a tile, and the number of items in all. */
typedef struct winnow__span {
    uint64_t first, all;
    unsigned items; /* at least 1 */
} winnow__span;

/* The question about elements: do they pass any of the tests, or are they in a
 * set? */
typedef struct winnow__question {
    const winnow__test *tests;
    unsigned number;        /* of tests, at least 1 */
    const winnow__set *set; /* NULL: the tests decide */
} winnow__question;

/* Which loops run a test for elements of a size. */
winnow__test_kind winnow__kind_of_test(const winnow__test *test,
                                       unsigned log2_size);
/* Set the bits of the span's items for which the answer is yes. The bits of items
 * that are not `wanted` (NULL: all are) are undefined. */
void winnow__ask_elements(const winnow__host_loops *loops,
                          const winnow__where_column *column,
                          const winnow__question *asked,
                          const winnow__span *span, const uint32_t *wanted,
                          uint32_t *words);
/* Copy the bits of the span's items from an array of a column of bits. The words'
 * other bits are undefined. */
void winnow__read_bits(const winnow__where_column *column, unsigned array,
                       const winnow__span *span, uint32_t *words);
