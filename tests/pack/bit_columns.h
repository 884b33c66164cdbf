/*
 * Columns of bits under test: a call, and what every bit of all memory should
 * be after it, one bit at a time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_BIT_COLUMNS_H
#define WINNOW_TESTS_BIT_COLUMNS_H

#include "selected.h"

enum bit_way {
    BITS_COMPACT, /* beside a column of bytes and another one of bits */
    BITS_FLAGGED, /* the same by winnow_copy_flagged() */
    BITS_IN_PLACE,
    BITS_FLAGGED_IN_PLACE,
    BITS_SPLIT,
    BITS_EXPAND,
    BITS_WAYS
};

#define BITS_ALL UINT64_MAX /* no d_n; no position; no capacity */

struct bit_call {
    enum bit_way way;
    uint64_t n, there;          /* launch->d_n, or BITS_ALL */
    uint64_t in_offset;         /* in bits; of all inputs but one */
    uint64_t out_offset;        /* of packed outputs, and of that input */
    uint64_t position;          /* or BITS_ALL */
    uint64_t capacity;          /* or BITS_ALL; of expand: packed_n */
    uint64_t rejected_capacity; /* or BITS_ALL */
    int fill;                   /* 0, 1, or -1: none */
    bool is_selected;           /* the selection has the items already */
    uint64_t seed;              /* of the bits */
};

/* A call from a seed, of at most `most` items. */
struct bit_call bit_call_random(uint64_t seed, uint64_t most);

/* Make the call with the items that keep[0 .. n) says. */
bool bit_call_run(struct selected *selected, const struct bit_call *call,
                  const uint8_t *keep, struct report *report);

#endif
