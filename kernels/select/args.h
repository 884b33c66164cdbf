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
