/*
 * Reductions: how an input is cut, and what blocks hand on. Plain C, the same
 * on every backend; result.h makes the result of it.
 *
 * The input is cut into parts, at most WINNOW__REDUCE_PARTS, of whole tiles.
 * Where parts begin and end depends on n and the size of an element alone, and
 * so does the order in which floats are added. If there are fewer items than n,
 * those that are missing count as elements that do not pass:
 *
 *   1. A part is stripes of WINNOW__REDUCE_STRIPE_BYTES. Its sum number l is of
 *      the elements at place l of each stripe, from the first to the last.
 *   2. A tree adds these: sum l and sum l + half, for half of them, until one
 *      is left.
 *   3. Of all parts' sums, sum number l is of those of parts l, l +
 *      WINNOW__REDUCE_SUMS, ...; the same tree adds these.
 *
 * Every sum begins with +0, which stands for an element that does not pass:
 * adding it changes nothing, since no sum is ever -0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include "kernels/core/args.h"
#include "kernels/core/both.h"

#define WINNOW__REDUCE_THREADS 256
/* Of a tile: 16 bytes of each for each thread. */
#define WINNOW__REDUCE_STRIPES 8
#define WINNOW__REDUCE_STRIPE_BYTES (WINNOW__REDUCE_THREADS * 16)
#define WINNOW__REDUCE_TILE_BYTES                                              \
    (WINNOW__REDUCE_STRIPES * WINNOW__REDUCE_STRIPE_BYTES)
/* In `wanted`: of upper halves, whose sum is added to the result, which is the
 * partial one of the lower halves. */
#define WINNOW__REDUCE_UPPER 0x80000000u
#define WINNOW__REDUCE_PARTS 4096
#define WINNOW__REDUCE_SUMS WINNOW__REDUCE_THREADS

/* ------------------------------------------------------------------ parts */

typedef struct winnow__reduce_cut {
    uint64_t part_items; /* elements of each part but the last */
    uint32_t parts;      /* 1, if there is no element */
    uint32_t part_tiles;
} winnow__reduce_cut;

/* Into at most `most` parts: WINNOW__REDUCE_PARTS, but for tests. */
WINNOW__BOTH winnow__reduce_cut winnow__reduce_cut_of(uint64_t n,
                                                      unsigned int log2_size,
                                                      uint32_t most) {
    const uint64_t tile = WINNOW__REDUCE_TILE_BYTES >> log2_size;
    const uint64_t tiles = n / tile + (n % tile != 0);
    const uint64_t each = tiles / most + (tiles % most != 0 || tiles == 0);
    const uint64_t parts = tiles / each + (tiles % each != 0);
    winnow__reduce_cut cut;
    cut.part_items = each * tile;
    cut.part_tiles = (uint32_t)each;
    cut.parts = parts != 0 ? (uint32_t)parts : 1;
    return cut;
}

/* --------------------------------------------------------------- elements */

/*
 * The rank of an element: an unsigned integer of its size, and ranks are
 * ordered as values are. Of integers it is x ^ bias. Floats, which are sign and
 * magnitude, become two's complement first, less that of -infinity: NaNs have
 * ranks above that of +infinity, `last`. The rank from the other end is
 * last - rank, and NaNs are above `last` again. So the least rank, from either
 * end, is that of the minimum or the maximum, and of a NaN only if there is
 * nothing else.
 */
typedef struct winnow__reduce_order {
    uint64_t bias; /* of integers; of floats, what -infinity becomes */
    uint64_t last; /* the highest rank of a number */
} winnow__reduce_order;

/* What the elements are, for reading the result. */
typedef struct winnow__reduce_type {
    winnow__reduce_order order;
    uint8_t log2_size;
    uint8_t is_signed; /* of integers */
    uint8_t type;      /* winnow_type */
    uint8_t is_float;
    uint8_t is_decimal; /* sums have 128 bits */
} winnow__reduce_type;

/* ---------------------------------------------------------------- results */

/* What is known of some elements. Ranks of elements of less than 8 bytes are
 * widened. */
typedef struct winnow__reduce_totals {
    uint64_t count;
    uint64_t sum; /* of integers, of x ^ bias; of floats, a double's bits */
    uint64_t sum_high; /* the upper half of a sum of integers */
    uint64_t rank[2];  /* the least: of minimum, and from the other end */
    uint64_t tile[2];  /* the first with such an element; as a place in a
                          list of all tiles of all parts */
} winnow__reduce_totals;

#define WINNOW__REDUCE_NO_TILE UINT64_MAX

WINNOW__BOTH winnow__reduce_totals winnow__reduce_nothing(void) {
    const winnow__reduce_totals nothing = {
        0,
        0,
        0,
        {UINT64_MAX, UINT64_MAX},
        {WINNOW__REDUCE_NO_TILE, WINNOW__REDUCE_NO_TILE}};
    return nothing;
}

/* The lower rank, and of equal ones the earlier tile. Both are read at once,
 * not one after the other: `other` may lie in shared memory. */
WINNOW__BOTH void winnow__reduce_lower(winnow__reduce_totals *into,
                                       const winnow__reduce_totals *other,
                                       int end) {
    const uint64_t rank = other->rank[end], tile = other->tile[end];
    if (rank < into->rank[end] ||
        (rank == into->rank[end] && tile < into->tile[end])) {
        into->rank[end] = rank;
        into->tile[end] = tile;
    }
}

/* All but a sum of floats: the sum of integers, and `ends` ends. Constants in
 * kernels. */
WINNOW__BOTH void winnow__reduce_merge(winnow__reduce_totals *into,
                                       const winnow__reduce_totals *other,
                                       int sum, int ends) {
    into->count += other->count;
    if (sum) {
        into->sum += other->sum;
        into->sum_high += other->sum_high + (into->sum < other->sum);
    }
    if (ends > 0)
        winnow__reduce_lower(into, other, 0);
    if (ends > 1)
        winnow__reduce_lower(into, other, 1);
}

/* The words that a block hands on: arrays of one for each part. */
#define WINNOW__REDUCE_WORDS 7

/* -------------------------------------------------------------- arguments */

typedef struct winnow__reduce_args {
    winnow__test test;
    const void *in;        /* n elements, aligned as elements are */
    uint64_t n;            /* an upper bound, with items; the cut is of it */
    const uint64_t *items; /* NULL, or how many there are */
    winnow__reduce_cut cut;
    winnow__reduce_type type;
    uint64_t *words;        /* WINNOW__REDUCE_WORDS arrays of cut.parts */
    winnow__cursor *cursor; /* its blocks_done is used */
    winnow_reduction *result;
    uint32_t wanted;
} winnow__reduce_args;

/* How many ends are looked at: 0, the minimum or the maximum, or both. */
#define WINNOW__REDUCE_ENDS 3

/* Kernels by the class of elements, whether there is a sum, and by ends. That
 * of floats without either is missing: integers' serves. */
#define WINNOW__REDUCE_FLOATS 4 /* classes: integers come before */
#define WINNOW__REDUCE_CLASSES 8

WINNOW__BOTH unsigned int
winnow__reduce_class(const winnow__reduce_type *type) {
    return type->is_float ? WINNOW__REDUCE_FLOATS + (unsigned int)type->type -
                                (unsigned int)WINNOW_FLOAT16
                          : type->log2_size;
}
