/*
 * Reductions: how an input is cut, what blocks hand on, and how that becomes
 * the result. Plain C, the same on every backend.
 *
 * The input is cut into parts, at most WINNOW__REDUCE_PARTS, of whole tiles.
 * Where parts begin and end depends on n and the size of an element alone, and
 * so does the order in which floats are added:
 *
 *   1. A part is rows of WINNOW__REDUCE_ROW_BYTES. Its sum number l is of the
 *      elements at place l of each row, from the first row to the last.
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
#ifndef WINNOW_KERNELS_REDUCE_ARGS_H
#define WINNOW_KERNELS_REDUCE_ARGS_H

#include <winnow.h>

#include <stdbool.h>
#include <string.h>

#include "kernels/core/args.h"
#include "kernels/core/both.h"

#define WINNOW__REDUCE_THREADS 256
#define WINNOW__REDUCE_ROWS                                                    \
    8 /* of a tile: 16 bytes of each for each thread                           \
       */
#define WINNOW__REDUCE_ROW_BYTES (WINNOW__REDUCE_THREADS * 16)
#define WINNOW__REDUCE_TILE_BYTES                                              \
    (WINNOW__REDUCE_ROWS * WINNOW__REDUCE_ROW_BYTES)
#define WINNOW__REDUCE_PARTS 4096
#define WINNOW__REDUCE_SUMS WINNOW__REDUCE_THREADS

/* ------------------------------------------------------------------ parts */

typedef struct winnow__reduce_cut {
    uint64_t part_items; /* elements of each part but the last */
    uint32_t parts;      /* 1, if there is no element */
    uint32_t part_tiles;
} winnow__reduce_cut;

/* Into at most so many parts: WINNOW__REDUCE_PARTS, but for tests. */
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

/* The words that a block hands on: arrays of one for each part. */
enum {
    WINNOW__REDUCE_WORDS = 7
};

/* Where all blocks, or all threads, add to the same words: zero at first. */
typedef struct winnow__reduce_shared {
    unsigned long long count, sum, sum_high;
    unsigned long long inverted[2]; /* ~rank: the greatest is wanted */
    unsigned long long unused[3];
} winnow__reduce_shared;

WINNOW__BOTH double winnow__reduce_as_double(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

WINNOW__BOTH uint64_t winnow__reduce_as_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Every NaN of a result has the same bits, on every device. */
#define WINNOW__REDUCE_NAN UINT64_C(0x7ff8000000000000)

WINNOW__BOTH double winnow__reduce_plain(double number) {
    return number != number ? winnow__reduce_as_double(WINNOW__REDUCE_NAN)
                            : number;
}

/*
 * 2^64 high + low, rounded once. Beyond 64 bits, the upper 64 are rounded; that
 * there was something below is kept in the last of them, far below the half of
 * a unit that decides.
 */
WINNOW__BOTH double winnow__reduce_round(uint64_t high, uint64_t low) {
    unsigned int shift = 0;
    uint64_t lost = 0;
    for (; high != 0; shift++) {
        lost |= low & 1;
        low = low >> 1 | high << 63;
        high >>= 1;
    }
    return (double)(low | lost) *
           winnow__reduce_as_double((uint64_t)(1023 + shift) << 52);
}

/* The sum of integers, from that of x ^ bias: of signed ones each is 2^(bits -
 * 1) too much. */
WINNOW__BOTH void winnow__reduce_integer_sum(const winnow__reduce_type *type,
                                             const winnow__reduce_totals *t,
                                             winnow_reduction *result) {
    const unsigned int top = (8u << type->log2_size) - 1;
    uint64_t low = t->sum, high = t->sum_high;
    bool negative = false;
    if (type->is_signed) {
        const uint64_t less = t->count << top;
        high -= (top != 0 ? t->count >> (64 - top) : 0) + (low < less);
        low -= less;
        negative = high >> 63 != 0;
    }
    result->sum.uint64 = low;
    result->overflow = type->is_signed ? high != 0 - (low >> 63) : high != 0;
    if (negative) {
        low = 0 - low;
        high = ~high + (low == 0);
    }
    result->mean = winnow__reduce_round(high, low);
    if (negative)
        result->mean = -result->mean;
}

/* The value with a rank. */
WINNOW__BOTH winnow_number winnow__reduce_value(const winnow__reduce_type *type,
                                                uint64_t rank) {
    const unsigned int bits = 8u << type->log2_size;
    const uint64_t full = UINT64_MAX >> (64 - bits);
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    winnow_number number;
    uint64_t x = rank ^ type->order.bias;
    if (type->is_float) {
        x = (rank + type->order.bias) & full;
        if (x & sign)
            x ^= full ^ sign;
    }
    number.uint64 = x;
    if (type->is_signed && (x & sign))
        number.uint64 = x | ~full;
    return number;
}

WINNOW__BOTH uint64_t winnow__reduce_float_bits(const winnow__reduce_type *type,
                                                uint64_t x) {
    /* To binary64: what the exponent and the mantissa have of bits. */
    const unsigned int bits = 8u << type->log2_size;
    const unsigned int mantissa = type->type == WINNOW_FLOAT16    ? 10
                                  : type->type == WINNOW_BFLOAT16 ? 7
                                  : bits == 32                    ? 23
                                                                  : 52;
    const unsigned int exponents = bits - 1 - mantissa;
    const uint64_t most = ((uint64_t)1 << exponents) - 1;
    const uint64_t sign = x >> (bits - 1) << 63;
    uint64_t exponent = x >> mantissa & most;
    uint64_t fraction = (x & (((uint64_t)1 << mantissa) - 1))
                        << (52 - mantissa);
    const uint64_t offset = 1023 - (most >> 1);
    if (exponents == 11)
        return x;
    if (exponent == most)
        return sign | (uint64_t)0x7ff << 52 | fraction;
    if (exponent == 0) {
        if (fraction == 0)
            return sign;
        exponent = 1;
        for (; fraction >> 52 == 0; exponent--)
            fraction <<= 1;
        fraction &= ((uint64_t)1 << 52) - 1;
    }
    return sign | (exponent + offset) << 52 | fraction;
}

/* Is there a number among them, whose rank this is? */
WINNOW__BOTH bool winnow__reduce_found(const winnow__reduce_type *type,
                                       const winnow__reduce_totals *totals,
                                       int end) {
    return totals->count != 0 && totals->rank[end] <= type->order.last;
}

/* A minimum (end 0) or a maximum (1). */
WINNOW__BOTH winnow_number
winnow__reduce_extreme(const winnow__reduce_type *type,
                       const winnow__reduce_totals *totals, int end) {
    const uint64_t last = type->order.last;
    const uint64_t rank =
        winnow__reduce_found(type, totals, end) ? totals->rank[end] : last;
    winnow_number number =
        winnow__reduce_value(type, end == 0 ? rank : last - rank);
    if (type->is_float)
        number.uint64 = winnow__reduce_float_bits(type, number.uint64);
    return number;
}

/* All but the indices. */
WINNOW__BOTH winnow_reduction
winnow__reduce_result(const winnow__reduce_type *type, unsigned int wanted,
                      const winnow__reduce_totals *totals) {
    winnow_reduction result;
    memset(&result, 0, sizeof result);
    result.count = totals->count;
    if (wanted & WINNOW_REDUCE_SUM) {
        if (type->is_float) {
            result.sum.float64 =
                winnow__reduce_plain(winnow__reduce_as_double(totals->sum));
            result.mean = result.sum.float64;
        } else {
            winnow__reduce_integer_sum(type, totals, &result);
        }
        result.mean = winnow__reduce_plain(result.mean / (double)result.count);
    }
    if (wanted & WINNOW_REDUCE_MINIMUM)
        result.minimum = winnow__reduce_extreme(type, totals, 0);
    if (wanted & WINNOW_REDUCE_MAXIMUM)
        result.maximum = winnow__reduce_extreme(type, totals, 1);
    return result;
}

/* -------------------------------------------------------------- arguments */

/* What a launch does. */
typedef enum winnow__reduce_ending {
    WINNOW__REDUCE_STORES,   /* blocks hand on words, to another kernel, */
    WINNOW__REDUCE_FINISHES, /* which is this one */
    WINNOW__REDUCE_LASTS,    /* to the block that is last */
    WINNOW__REDUCE_ADDS,     /* blocks, or threads, add to shared words */
} winnow__reduce_ending;

typedef struct winnow__reduce_args {
    winnow__test test;
    const void *in; /* n elements, aligned as elements are */
    uint64_t n;
    winnow__reduce_cut cut;
    winnow__reduce_type type;
    uint64_t *words; /* WINNOW__REDUCE_WORDS arrays of cut.parts */
    winnow__reduce_shared *shared;
    winnow__cursor *cursor; /* its blocks_done is used */
    winnow_reduction *result;
    uint32_t wanted;
    uint32_t ending; /* winnow__reduce_ending */
} winnow__reduce_args;

/* How many ends are looked at: 0, the minimum or the maximum, or both. */
enum {
    WINNOW__REDUCE_ENDS = 3
};

/* Kernels by the class of elements, whether there is a sum, and by ends. That
 * of floats without either is missing: integers' serves. */
enum {
    WINNOW__REDUCE_FLOATS = 4, /* classes: integers by log2_size, then these, */
    WINNOW__REDUCE_CLASSES = 8 /* as winnow_type has them */
};

WINNOW__BOTH unsigned int
winnow__reduce_class(const winnow__reduce_type *type) {
    return type->is_float ? WINNOW__REDUCE_FLOATS + (unsigned int)type->type -
                                (unsigned int)WINNOW_FLOAT16
                          : type->log2_size;
}

#endif
