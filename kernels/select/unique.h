/*
 * Runs of equal keys: what the host hands to the kernels, and when two keys are
 * equal. Plain C, included by both sides.
 *
 * Items j - 1 and j differ, or not: bit j of the differences. The head of a run
 * is an item that differs from the one before it, its tail one that the next
 * item differs from. So tails are the same bits, one item later, and item 0 is
 * always a head, the last item always a tail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

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
