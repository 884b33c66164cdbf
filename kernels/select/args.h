/*
 * The arguments of kernels that make selections: plain C, included by both
 * sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

/* if.cu: the predicate and the column are in args. */
typedef struct winnow__select_args {
    winnow__args args;
    winnow__selection to;
    const unsigned long long *items; /* NULL, or a limit of their number */
} winnow__select_args;

/* field.cu: args.in is the field of item 0. The field of item i + 1 is `stride`
 * bytes, modulo 2^64, behind that of item i. */
typedef struct winnow__select_field_args {
    winnow__select_args select;
    uint64_t stride;
    bool is_aligned; /* is every field aligned to its size? */
} winnow__select_field_args;

/* bits.cu: item 0 is bit `skip`, 0 to 7, of the byte at `mask`. */
typedef struct winnow__select_bits_args {
    const void *mask;
    unsigned int skip;
    winnow__selection to;
    const unsigned long long *items; /* NULL, or a limit of their number */
} winnow__select_bits_args;

/* ---- ranges.cu: selecting the items of ranges. */
typedef struct winnow__ranges_args {
    winnow__selection from; /* the ranges to keep */
    const void *offsets;
    uint64_t size; /* an offset above it counts as that */
    winnow__selection to;
} winnow__ranges_args;

/* ---- unique.cu: runs of equal keys, and when two keys are equal. Bit j of the
 * differences is set if items j - 1 and j differ. The head of a run is an item
 * that differs from the item before it; the tail is an item that differs from
 * the next item. So item j - 1 is a tail if bit j is set. Item 0 is always a
 * head, and the last item is always a tail. */
#define WINNOW__MOST_KEY_BYTES 16

/* How keys are compared by value, which is for floats. */
typedef struct winnow__key_values {
    uint64_t sign;            /* the highest bit of a key */
    uint64_t infinity;        /* the bits of +infinity; 0: compare bits */
    unsigned int nan_differs; /* 1: NaN differs from all keys, also from NaN */
} winnow__key_values;

typedef struct winnow__select_unique_args {
    const void *keys;
    const unsigned long long *n; /* NULL, or a limit of the number of items */
    unsigned int tails;          /* 1: the tails of runs; 0: the heads */
    winnow__key_values values;
    winnow__selection to;
    /* For records, in V: the distance of two keys, and the size of a key. */
    uint64_t stride;
    unsigned int width;
} winnow__select_unique_args;
