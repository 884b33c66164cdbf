/*
 * The arguments of kernels that make selections: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

/* if.cu: the predicate and the column are in args. */
typedef struct winnow__select_args {
    winnow__args args;
    winnow__selection to;
    const unsigned long long *items; /* NULL, or how many there are at most */
} winnow__select_args;

/* field.cu: the field of item i is `stride` bytes behind that of i - 1, modulo
 * 2^64; args.in is the field of item 0. */
typedef struct winnow__select_field_args {
    winnow__select_args select;
    uint64_t stride;
    bool is_aligned; /* is every field aligned to its size? */
} winnow__select_field_args;

/* bits.cu: item 0 has bit `skip`, 0 to 7, of the byte at mask. */
typedef struct winnow__select_bits_args {
    const void *mask;
    unsigned int skip;
    winnow__selection to;
    const unsigned long long *items; /* NULL, or how many there are at most */
} winnow__select_bits_args;

/* ---- Selecting the items of ranges: what the host says to the kernels.
 * Plain C, included by both sides. */
typedef struct winnow__ranges_args {
    winnow__selection from; /* of the ranges */
    const void *offsets;
    uint64_t size; /* an offset above it counts as that */
    winnow__selection to;
} winnow__ranges_args;

/* ---- Runs of equal keys: what the host hands to the kernels, and when two
 * keys are equal. Plain C, included by both sides. Items j - 1 and j differ,
 * or not: bit j of the differences. The head of a run is an item that
 * differs from the one before it, its tail one that the next item differs
 * from. So tails are the same bits, one item later, and item 0 is always a
 * head, the last item always a tail. */
#define WINNOW__MOST_KEY_BYTES 16

/* Keys that are compared by value: floats. */
typedef struct winnow__key_values {
    uint64_t sign;            /* the highest bit of a key */
    uint64_t infinity;        /* the bits of +infinity; 0: compare bits */
    unsigned int nan_differs; /* from every key, NaN too */
} winnow__key_values;

typedef struct winnow__select_unique_args {
    const void *keys;
    const unsigned long long *n; /* NULL: all items are there */
    unsigned int tails;          /* 1: the tails of runs; 0: the heads */
    winnow__key_values values;
    winnow__selection to;
    /* Of records: from one key to the next in V, and V of a key. */
    uint64_t stride;
    unsigned int width;
} winnow__select_unique_args;
