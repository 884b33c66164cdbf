/*
 * Reductions: the parts of an input, and what each part stores. Plain C, the
 * same on every backend. result.h computes the result from it.
 *
 * The input is cut into at most WINNOW__REDUCE_PARTS parts of whole tiles. The
 * bounds of the parts depend only on n and the size of an element, and so does
 * the order in which floats are added. If there are fewer items than n, missing
 * items count as elements that do not pass. The order is:
 *
 *   1. A part has stripes of WINNOW__REDUCE_STRIPE_BYTES. Its sum l adds the
 *      elements at place l of each stripe, from the first to the last.
 *   2. A tree adds these sums: it adds sum l + half to sum l for each l < half,
 *      and halves their number until one sum is left.
 *   3. Over all parts, sum l adds the sums of parts l, l + WINNOW__REDUCE_SUMS,
 *      and so on. The same tree adds these sums.
 *
 * Every sum begins with +0, and +0 stands for an element that does not pass.
 * Adding +0 changes nothing, since no sum is ever -0.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <winnow.h>

#include "kernels/core/args.h"
#include "kernels/core/both.h"

#define WINNOW__REDUCE_THREADS 256
/* Stripes of a tile; each thread has 16 bytes of a stripe. */
#define WINNOW__REDUCE_STRIPES 8
#define WINNOW__REDUCE_STRIPE_BYTES (WINNOW__REDUCE_THREADS * 16)
#define WINNOW__REDUCE_TILE_BYTES                                              \
    (WINNOW__REDUCE_STRIPES * WINNOW__REDUCE_STRIPE_BYTES)
/* In `wanted`: the values are upper halves. Their sum is added to the result,
 * which has the partial result of the lower halves. */
#define WINNOW__REDUCE_UPPER 0x80000000u
#define WINNOW__REDUCE_PARTS 4096
#define WINNOW__REDUCE_SUMS WINNOW__REDUCE_THREADS

/* ------------------------------------------------------------------ parts */

typedef struct winnow__reduce_cut {
    uint64_t part_items; /* elements of each part but the last */
    uint32_t parts;      /* 1, if there is no element */
    uint32_t part_tiles;
} winnow__reduce_cut;

/* `most` is the maximum of parts: WINNOW__REDUCE_PARTS, except in tests. */
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
 * The rank of an element is an unsigned integer of its size. Ranks have the
 * order of values. The rank of an integer is x ^ bias. A float, which is sign
 * and magnitude, becomes two's complement, and that of -infinity is subtracted.
 * `last` is the rank of +infinity; NaNs have higher ranks. The rank from the
 * other end is last - rank, where NaNs are above `last`, too. So the minimum
 * has the lowest rank, and the maximum the lowest rank from the other end; a
 * NaN has it only if all elements are NaNs.
 */
typedef struct winnow__reduce_order {
    uint64_t bias; /* of integers; for floats, -infinity in two's complement */
    uint64_t last; /* the highest rank of a number */
} winnow__reduce_order;

/* The type of the elements, from which the result is computed. */
typedef struct winnow__reduce_type {
    winnow__reduce_order order;
    uint8_t log2_size;
    uint8_t is_signed; /* of integers */
    uint8_t type;      /* winnow_type */
    uint8_t is_float;
    uint8_t is_decimal; /* sums have 128 bits */
} winnow__reduce_type;

/* ---------------------------------------------------------------- results */

/* The totals of some elements. Ranks of elements of less than 8 bytes are
 * widened. */
typedef struct winnow__reduce_totals {
    uint64_t count;
    uint64_t sum; /* of x ^ bias for integers; a double's bits for floats */
    uint64_t sum_high; /* the upper half of a sum of integers */
    uint64_t rank[2];  /* the lowest rank, and the lowest from the other end */
    uint64_t tile[2];  /* the first tile with such an element: its number among
                          all tiles of all parts */
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

/* Takes the lower rank; if ranks are equal, the earlier tile. Both members are
 * loaded before the comparison, since `other` may be in shared memory. */
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

/* Merges all but a sum of floats: the count, a sum of integers if `sum` is not
 * 0, and `ends` ends. Both are constants in kernels. */
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

/* The number of words of a part; each is in an array with one for each part. */
#define WINNOW__REDUCE_WORDS 7

/* -------------------------------------------------------------- arguments */

typedef struct winnow__reduce_args {
    winnow__test test;
    const void *in;        /* n elements, aligned as elements are */
    uint64_t n;            /* determines the cut; with items, an upper bound */
    const uint64_t *items; /* NULL, or the number of elements */
    winnow__reduce_cut cut;
    winnow__reduce_type type;
    uint64_t *words;        /* WINNOW__REDUCE_WORDS arrays of cut.parts */
    winnow__cursor *cursor; /* its blocks_done is used */
    winnow_reduction *result;
    uint32_t wanted;
} winnow__reduce_args;

/* Kernels find no end (0), the minimum or the maximum (1), or both (2). */
#define WINNOW__REDUCE_ENDS 3

/* Kernels by the class of elements, whether there is a sum, and ends. Floats
 * without a sum and ends use the kernel of integers. */
#define WINNOW__REDUCE_FLOATS 4 /* classes: integers come before */
#define WINNOW__REDUCE_CLASSES 8

WINNOW__BOTH unsigned int
winnow__reduce_class(const winnow__reduce_type *type) {
    return type->is_float ? WINNOW__REDUCE_FLOATS + (unsigned int)type->type -
                                (unsigned int)WINNOW_FLOAT16
                          : type->log2_size;
}
