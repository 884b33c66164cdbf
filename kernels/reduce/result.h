/*
 * The result of a reduction, from the totals of all elements. Plain C, the same
 * on every backend.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"
#include "kernels/core/floats.h"

#include <stdbool.h>

/*
 * 2^64 high + low, rounded once. If it has more than 64 bits, its upper 64 are
 * rounded. Their lowest bit is set if a lower bit was lost: it is far below the
 * bit that decides the rounding.
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
           winnow__as_double((uint64_t)(1023 + shift) << 52);
}

/* The sum of integers, from the sum of x ^ bias. For signed integers each x ^
 * bias is x + 2^(bits - 1). `overflow` gets the upper half of the sum. */
WINNOW__BOTH void winnow__reduce_integer_sum(const winnow__reduce_type *type,
                                             const winnow__reduce_totals *t,
                                             winnow_reduction *result) {
    const unsigned int top = (8u << type->log2_size) - 1;
    uint64_t low = t->sum, high = t->sum_high;
    if (type->is_signed) {
        const uint64_t less = t->count << top;
        high -= (top != 0 ? t->count >> (64 - top) : 0) + (low < less);
        low -= less;
    }
    result->sum.uint64 = low;
    result->overflow = high;
}

/* 10^38 - 1 */
#define WINNOW__MOST_DECIMAL_HIGH 0x4b3b4ca85a86c47au
#define WINNOW__MOST_DECIMAL_LOW 0x098a223fffffffffu

/* A sum of decimals with more than 38 digits becomes -2^127: it is no sum. */
WINNOW__BOTH void winnow__reduce_no_decimal(winnow_reduction *result) {
    result->sum.uint64 = 0;
    result->overflow = (uint64_t)1 << 63;
    result->mean = winnow__as_double((uint64_t)0x7ff8 << 48);
}

WINNOW__BOTH bool winnow__reduce_is_no_decimal(const winnow_reduction *result) {
    return result->sum.uint64 == 0 && result->overflow == (uint64_t)1 << 63;
}

/* Computes `overflow`, where the sum's upper half was, and `mean`. */
WINNOW__BOTH void winnow__reduce_finish_sum(const winnow__reduce_type *type,
                                            winnow_reduction *result) {
    uint64_t low = result->sum.uint64, high = result->overflow;
    const bool negative = type->is_signed && high >> 63 != 0;
    const uint64_t overflow = high;
    if (type->is_float) {
        result->mean = result->sum.float64;
    } else {
        result->overflow =
            type->is_signed ? high != 0 - (low >> 63) : high != 0;
        if (negative) {
            low = 0 - low;
            high = ~high + (low == 0);
        }
        if (type->is_decimal) {
            result->overflow = overflow;
            if (high > WINNOW__MOST_DECIMAL_HIGH ||
                (high == WINNOW__MOST_DECIMAL_HIGH &&
                 low > WINNOW__MOST_DECIMAL_LOW)) {
                winnow__reduce_no_decimal(result);
                return;
            }
        }
        result->mean = winnow__reduce_round(high, low);
        if (negative)
            result->mean = -result->mean;
    }
    result->mean = winnow__plain_nan(result->mean / (double)result->count);
}

/* The value that has the rank. */
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

/* Is there a number, not only NaNs? Then totals->rank[end] is its rank. */
WINNOW__BOTH bool winnow__reduce_found(const winnow__reduce_type *type,
                                       const winnow__reduce_totals *totals,
                                       int end) {
    return totals->count != 0 && totals->rank[end] <= type->order.last;
}

/* The minimum (end 0) or the maximum (end 1). */
WINNOW__BOTH winnow_number
winnow__reduce_extreme(const winnow__reduce_type *type,
                       const winnow__reduce_totals *totals, int end) {
    const uint64_t last = type->order.last;
    const uint64_t rank =
        winnow__reduce_found(type, totals, end) ? totals->rank[end] : last;
    winnow_number number =
        winnow__reduce_value(type, end == 0 ? rank : last - rank);
    if (type->is_float)
        number.uint64 =
            winnow__float_as_double(type->type, type->log2_size, number.uint64);
    return number;
}

/* The result without indices. */
WINNOW__BOTH winnow_reduction
winnow__reduce_result(const winnow__reduce_type *type, unsigned int wanted,
                      const winnow__reduce_totals *totals) {
    winnow_reduction result;
    memset(&result, 0, sizeof result);
    result.count = totals->count;
    if (wanted & WINNOW_REDUCE_SUM) {
        if (type->is_float)
            result.sum.float64 =
                winnow__plain_nan(winnow__as_double(totals->sum));
        else
            winnow__reduce_integer_sum(type, totals, &result);
        if (!(wanted & WINNOW_REDUCE_PARTIAL))
            winnow__reduce_finish_sum(type, &result);
    }
    if (wanted & WINNOW_REDUCE_MINIMUM)
        result.minimum = winnow__reduce_extreme(type, totals, 0);
    if (wanted & WINNOW_REDUCE_MAXIMUM)
        result.maximum = winnow__reduce_extreme(type, totals, 1);
    return result;
}

/* Adds the sum of upper halves to the partial result of the lower halves. */
WINNOW__BOTH void winnow__reduce_add_upper(const winnow__reduce_type *type,
                                           unsigned int wanted,
                                           const winnow__reduce_totals *totals,
                                           winnow_reduction *result) {
    winnow_reduction upper;
    winnow__reduce_integer_sum(type, totals, &upper);
    result->overflow += upper.sum.uint64;
    upper.overflow += result->overflow < upper.sum.uint64;
    if (upper.overflow != 0 - (result->overflow >> 63))
        winnow__reduce_no_decimal(result);
    else if (!(wanted & WINNOW_REDUCE_PARTIAL))
        winnow__reduce_finish_sum(type, result);
}
