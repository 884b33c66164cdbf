/*
 * The inner loops of reduce_if on the host, for a row of the input
 * (kernels/reduce/args.h): plain C, which the compiler turns into vector
 * instructions. A file for each set of instructions includes this.
 *
 * A row lies in the first cache, and each result has a loop of its own over it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_REDUCE_HOST_LOOPS_H
#define WINNOW_LIB_REDUCE_HOST_LOOPS_H

#include "host/loops.h"

#include <string.h>

#define REDUCE_INLINE static inline __attribute__((always_inline))

/* All ones where x passes, else 0: with masks in place of choices, compilers
 * find that there is no branch. */
#define REDUCE_DEFINE_BITS(BITS)                                               \
    REDUCE_INLINE uint##BITS##_t reduce_mask_##BITS(const winnow__test *test,  \
                                                    uint##BITS##_t x) {        \
        const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));      \
        x = (uint##BITS##_t)(x ^ (sign & (uint##BITS##_t)test->flip));         \
        x = (uint##BITS##_t)(x & (uint##BITS##_t)test->mask);                  \
        x = (uint##BITS##_t)(x - (uint##BITS##_t)test->low);                   \
        return (uint##BITS##_t) - (x <= (uint##BITS##_t)test->span);           \
    }                                                                          \
    REDUCE_INLINE uint##BITS##_t reduce_integer_##BITS(uint##BITS##_t x,       \
                                                       uint##BITS##_t bias) {  \
        return (uint##BITS##_t)(x ^ bias);                                     \
    }                                                                          \
    REDUCE_INLINE uint##BITS##_t reduce_float_##BITS(uint##BITS##_t x,         \
                                                     uint##BITS##_t bias) {    \
        const uint##BITS##_t all = (uint##BITS##_t) ~(uint##BITS##_t)0;        \
        const uint##BITS##_t sign = (uint##BITS##_t)(-(x >> (BITS - 1)));      \
        return (uint##BITS##_t)((x ^ (sign & (all >> 1))) - bias);             \
    }
REDUCE_DEFINE_BITS(8)
REDUCE_DEFINE_BITS(16)
REDUCE_DEFINE_BITS(32)
REDUCE_DEFINE_BITS(64)

/* The least rank of those that pass: from the one end, and from the other. */
#define REDUCE_DEFINE_ENDS(NAME, BITS, RANK)                                   \
    static void NAME(const winnow__host_reduction *given, const void *in,      \
                     uint64_t n, winnow__host_reduced *row) {                  \
        const winnow__test test = given->test;                                 \
        const uint##BITS##_t bias = (uint##BITS##_t)given->order.bias;         \
        const uint##BITS##_t last = (uint##BITS##_t)given->order.last;         \
        const uint##BITS##_t none = (uint##BITS##_t) ~(uint##BITS##_t)0;       \
        const uint##BITS##_t *const from = in;                                 \
        for (int end = 0; end < 2; end++) {                                    \
            uint##BITS##_t least = none;                                       \
            if (!given->ends[end])                                             \
                continue;                                                      \
            const uint##BITS##_t flip = end == 0 ? 0 : none;                   \
            const uint##BITS##_t more =                                        \
                end == 0 ? 0 : (uint##BITS##_t)(last + 1);                     \
            for (uint64_t i = 0; i < n; i++) {                                 \
                uint##BITS##_t rank = RANK(from[i], bias);                     \
                rank = (uint##BITS##_t)((uint##BITS##_t)(rank ^ flip) + more); \
                rank |= (uint##BITS##_t) ~reduce_mask_##BITS(&test, from[i]);  \
                least = rank < least ? rank : least;                           \
            }                                                                  \
            row->rank[end] = least;                                            \
        }                                                                      \
    }

/* The sum of x ^ bias of those that pass. That of 8 bytes is one of their upper
 * and one of their lower halves. */
#define REDUCE_DEFINE_SUM(BITS, SUM)                                           \
    static void reduce_sum_##BITS(const winnow__host_reduction *given,         \
                                  const void *in, uint64_t n,                  \
                                  winnow__host_reduced *row) {                 \
        const winnow__test test = given->test;                                 \
        const uint##BITS##_t bias = (uint##BITS##_t)given->order.bias;         \
        const uint##BITS##_t *const from = in;                                 \
        SUM low = 0, high = 0;                                                 \
        for (uint64_t i = 0; i < n; i++) {                                     \
            const uint##BITS##_t x = (uint##BITS##_t)(                         \
                (from[i] ^ bias) & reduce_mask_##BITS(&test, from[i]));        \
            low += BITS == 64 ? (SUM)(x & UINT32_MAX) : (SUM)x;                \
            high += BITS == 64 ? (SUM)((uint64_t)x >> 32) : 0;                 \
        }                                                                      \
        row->sum_low = low;                                                    \
        row->sum_high = high;                                                  \
    }
REDUCE_DEFINE_SUM(8, uint32_t)
REDUCE_DEFINE_SUM(16, uint32_t)
REDUCE_DEFINE_SUM(32, uint64_t)
REDUCE_DEFINE_SUM(64, uint64_t)

REDUCE_INLINE float reduce_as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* An exponent of 5 bits in the place of one of 8, less by 112. */
REDUCE_INLINE float reduce_float16(uint16_t x) {
    const uint32_t number = (uint32_t)(x & 0x7fff) << 13;
    const uint32_t special = (x & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    const uint32_t sign = (uint32_t)(x >> 15) << 31;
    const float scaled = reduce_as_float(number) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    return reduce_as_float(bits | special | sign);
}

REDUCE_INLINE float reduce_bfloat16(uint16_t x) {
    return reduce_as_float((uint32_t)x << 16);
}

REDUCE_INLINE float reduce_float32(uint32_t x) {
    return reduce_as_float(x);
}

REDUCE_INLINE double reduce_float64(uint64_t x) {
    double value;
    memcpy(&value, &x, sizeof value);
    return value;
}

/* Each place of a row has its sum. What does not pass is +0. */
#define REDUCE_DEFINE_FLOAT_SUM(BITS, VALUE)                                   \
    static void reduce_sum_##VALUE(const winnow__host_reduction *given,        \
                                   const void *in, uint64_t n,                 \
                                   winnow__host_reduced *row) {                \
        const winnow__test test = given->test;                                 \
        const uint##BITS##_t *restrict const from = in;                        \
        double *restrict const sums = row->sums;                               \
        for (uint64_t i = 0; i < n; i++) {                                     \
            const uint##BITS##_t x = (uint##BITS##_t)(                         \
                from[i] & reduce_mask_##BITS(&test, from[i]));                 \
            sums[i] += reduce_##VALUE(x);                                      \
        }                                                                      \
    }
REDUCE_DEFINE_FLOAT_SUM(16, float16)
REDUCE_DEFINE_FLOAT_SUM(16, bfloat16)
REDUCE_DEFINE_FLOAT_SUM(32, float32)
REDUCE_DEFINE_FLOAT_SUM(64, float64)

REDUCE_DEFINE_ENDS(reduce_ends_8, 8, reduce_integer_8)
REDUCE_DEFINE_ENDS(reduce_ends_16, 16, reduce_integer_16)
REDUCE_DEFINE_ENDS(reduce_ends_32, 32, reduce_integer_32)
REDUCE_DEFINE_ENDS(reduce_ends_64, 64, reduce_integer_64)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_16, 16, reduce_float_16)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_32, 32, reduce_float_32)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_64, 64, reduce_float_64)

/* Members of winnow__host_loops, by class. */
#define REDUCE_SUMS                                                            \
    {                                                                          \
        reduce_sum_8, reduce_sum_16, reduce_sum_32, reduce_sum_64,             \
            reduce_sum_float16, reduce_sum_bfloat16, reduce_sum_float32,       \
            reduce_sum_float64                                                 \
    }
#define REDUCE_ENDS                                                            \
    {                                                                          \
        reduce_ends_8, reduce_ends_16, reduce_ends_32, reduce_ends_64,         \
            reduce_ends_of_floats_16, reduce_ends_of_floats_16,                \
            reduce_ends_of_floats_32, reduce_ends_of_floats_64                 \
    }

#endif
