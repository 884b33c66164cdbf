/*
 * The inner loops of reduce_if on the host, for a stripe of the input
 * (kernels/reduce/args.h): plain C, which the compiler vectorizes. It is
 * compiled for each instruction set, which defines the name of its table,
 * REDUCE_LOOPS.
 *
 * A stripe fits in the first-level cache; each result has its own loop over it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "details.h"
#include "kernels/core/floats.h"

/* Not every size has floats, so some functions are unused. */
#define REDUCE_INLINE static inline __attribute__((always_inline, unused))

/* All ones if x passes, else 0: compilers make no branch from a mask. */
#define REDUCE_DEFINE_BITS(BITS, T)                                            \
    REDUCE_INLINE T reduce_mask_##BITS(const winnow__test *test, T x) {        \
        const T sign = (T)(-(x >> (BITS - 1)));                                \
        x = (T)((x ^ (sign & (T)test->flip)) & (T)test->mask);                 \
        return (T) - ((T)(x - (T)test->low) <= (T)test->span);                 \
    }                                                                          \
    REDUCE_INLINE T reduce_integer_##BITS(T x, T bias) {                       \
        return (T)(x ^ bias);                                                  \
    }                                                                          \
    REDUCE_INLINE T reduce_float_##BITS(T x, T bias) {                         \
        const T sign = (T)(-(x >> (BITS - 1)));                                \
        return (T)((x ^ (sign & ((T) ~(T)0 >> 1))) - bias);                    \
    }
REDUCE_DEFINE_BITS(8, uint8_t)
REDUCE_DEFINE_BITS(16, uint16_t)
REDUCE_DEFINE_BITS(32, uint32_t)
REDUCE_DEFINE_BITS(64, uint64_t)

/* The least rank of elements that pass: from the one end, and from the other. */
#define REDUCE_DEFINE_ENDS(NAME, BITS, T, RANK)                                \
    static void NAME(const winnow__reduce_given *given, const void *in,        \
                     uint64_t n, winnow__reduce_stripe *stripe) {              \
        const winnow__test test = given->test;                                 \
        const T bias = (T)given->order.bias, last = (T)given->order.last;      \
        const T none = (T) ~(T)0, *const from = in;                            \
        for (int end = 0; end < 2; end++) {                                    \
            const T flip = end == 0 ? 0 : none;                                \
            const T more = end == 0 ? 0 : (T)(last + 1);                       \
            T least = none;                                                    \
            if (!given->ends[end])                                             \
                continue;                                                      \
            for (uint64_t i = 0; i < n; i++) {                                 \
                T rank = (T)((T)(RANK(from[i], bias) ^ flip) + more);          \
                rank |= (T)~reduce_mask_##BITS(&test, from[i]);                \
                least = rank < least ? rank : least;                           \
            }                                                                  \
            stripe->rank[end] = least;                                         \
        }                                                                      \
    }

/* The sum of x ^ bias over elements that pass. For 8 bytes the upper and the
 * lower halves have a sum each. */
#define REDUCE_DEFINE_SUM(BITS, T, SUM)                                        \
    static void reduce_sum_##BITS(const winnow__reduce_given *given,           \
                                  const void *in, uint64_t n,                  \
                                  winnow__reduce_stripe *stripe) {             \
        const winnow__test test = given->test;                                 \
        const T bias = (T)given->order.bias, *const from = in;                 \
        SUM low = 0, high = 0;                                                 \
        for (uint64_t i = 0; i < n; i++) {                                     \
            const T x =                                                        \
                (T)((from[i] ^ bias) & reduce_mask_##BITS(&test, from[i]));    \
            low += BITS == 64 ? (SUM)(x & UINT32_MAX) : (SUM)x;                \
            high += BITS == 64 ? (SUM)((uint64_t)x >> 32) : 0;                 \
        }                                                                      \
        stripe->sum_low = low;                                                 \
        stripe->sum_high = high;                                               \
    }
REDUCE_DEFINE_SUM(8, uint8_t, uint32_t)
REDUCE_DEFINE_SUM(16, uint16_t, uint32_t)
REDUCE_DEFINE_SUM(32, uint32_t, uint64_t)
REDUCE_DEFINE_SUM(64, uint64_t, uint64_t)

REDUCE_INLINE float reduce_as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Move an exponent of 5 bits to the place of one of 8, which is less by 112. */
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
    return winnow__as_double(x);
}

/* Each place of a stripe has a sum. An element that does not pass adds +0. */
#define REDUCE_DEFINE_FLOAT_SUM(BITS, T, VALUE)                                \
    static void reduce_sum_##VALUE(const winnow__reduce_given *given,          \
                                   const void *in, uint64_t n,                 \
                                   winnow__reduce_stripe *stripe) {            \
        const winnow__test test = given->test;                                 \
        const T *restrict const from = in;                                     \
        double *restrict const sums = stripe->sums;                            \
        for (uint64_t i = 0; i < n; i++)                                       \
            sums[i] += reduce_##VALUE(                                         \
                (T)(from[i] & reduce_mask_##BITS(&test, from[i])));            \
    }
REDUCE_DEFINE_FLOAT_SUM(16, uint16_t, float16)
REDUCE_DEFINE_FLOAT_SUM(16, uint16_t, bfloat16)
REDUCE_DEFINE_FLOAT_SUM(32, uint32_t, float32)
REDUCE_DEFINE_FLOAT_SUM(64, uint64_t, float64)

REDUCE_DEFINE_ENDS(reduce_ends_8, 8, uint8_t, reduce_integer_8)
REDUCE_DEFINE_ENDS(reduce_ends_16, 16, uint16_t, reduce_integer_16)
REDUCE_DEFINE_ENDS(reduce_ends_32, 32, uint32_t, reduce_integer_32)
REDUCE_DEFINE_ENDS(reduce_ends_64, 64, uint64_t, reduce_integer_64)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_16, 16, uint16_t, reduce_float_16)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_32, 32, uint32_t, reduce_float_32)
REDUCE_DEFINE_ENDS(reduce_ends_of_floats_64, 64, uint64_t, reduce_float_64)

const winnow__reduce_loops REDUCE_LOOPS = {
    .sum = {reduce_sum_8, reduce_sum_16, reduce_sum_32, reduce_sum_64,
            reduce_sum_float16, reduce_sum_bfloat16, reduce_sum_float32,
            reduce_sum_float64},
    .ends = {reduce_ends_8, reduce_ends_16, reduce_ends_32, reduce_ends_64,
             reduce_ends_of_floats_16, reduce_ends_of_floats_16,
             reduce_ends_of_floats_32, reduce_ends_of_floats_64}};
