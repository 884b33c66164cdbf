/*
 * Plain C, which the compiler vectorizes. It is compiled for each instruction
 * set, which defines the name of its table, LOOPS.
 *
 * A word of 32 values is skipped if none is live. If few are live, they are
 * taken one by one. Otherwise all values are taken, and dead ones are masked.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "loops.h"

#include "kernels/core/floats.h"

#include <stdbool.h>

enum {
    STRIPE = WINNOW__REDUCE_STRIPE_BYTES / 8, /* values */
    FEW = 4
};

/* Does a word have 1 to FEW bits? */
static inline bool has_few(uint32_t word) {
    for (int i = 0; i < FEW; i++)
        word &= word - 1;
    return word == 0;
}

static inline unsigned take_bit(uint32_t *word) {
    const unsigned bit = (unsigned)__builtin_ctz(*word);
    *word &= *word - 1;
    return bit;
}

static unsigned count(const uint32_t *live, unsigned words) {
    unsigned number = 0;
    for (unsigned w = 0; w < words; w++)
        number += (unsigned)__builtin_popcount(live[w]);
    return number;
}

/* All ones if the bit is set, else 0. */
static inline uint64_t mask_of(uint32_t word, unsigned bit) {
    return 0 - (uint64_t)(word >> bit & 1);
}

static void widen(const float *values, unsigned number, uint64_t *to) {
    for (unsigned i = 0; i < number; i++) {
        const double value = values[i];
        memcpy(&to[i], &value, sizeof value);
    }
}

static void sum_floats(const uint64_t *values, const uint32_t *live,
                       unsigned words, double *sums) {
    for (unsigned w = 0; w < words; w++) {
        const uint64_t *restrict const from = values + 32 * w;
        double *restrict const to = sums + 32 * w % STRIPE;
        uint32_t word = live[w];
        if (has_few(word)) {
            while (word != 0) {
                const unsigned bit = take_bit(&word);
                to[bit] += winnow__as_double(from[bit]);
            }
            continue;
        }
        if (word == UINT32_MAX)
            for (unsigned i = 0; i < 32; i++)
                to[i] += winnow__as_double(from[i]);
        else
            for (unsigned i = 0; i < 32;
                 i++) /* an item that is not live adds +0 */
                to[i] += winnow__as_double(from[i] & mask_of(word, i));
    }
}

/* Sum the upper and the lower halves separately. In a block neither sum has
 * more than 42 bits. */
static void sum_integers(const uint64_t *values, const uint32_t *live,
                         unsigned words, uint64_t bias,
                         winnow__reduce_totals *totals) {
    uint64_t low = 0, high = 0;
    for (unsigned w = 0; w < words; w++) {
        const uint64_t *const from = values + 32 * w;
        uint32_t word = live[w];
        if (has_few(word)) {
            while (word != 0) {
                const uint64_t x = from[take_bit(&word)] ^ bias;
                low += x & UINT32_MAX;
                high += x >> 32;
            }
            continue;
        }
        for (unsigned i = 0; i < 32; i++) {
            const uint64_t x = (from[i] ^ bias) & mask_of(word, i);
            low += x & UINT32_MAX;
            high += x >> 32;
        }
    }
    low += high << 32;
    high = (high >> 32) + (low < high << 32);
    totals->sum += low;
    totals->sum_high += high + (totals->sum < low);
}

static inline double lesser(double x, double y) {
    return x < y ? x : y; /* y, if x is NaN */
}

/* One minimum for each bit of a word: a single one would be a chain of dependent
 * comparisons. */
static double least(const uint64_t *values, const uint32_t *live,
                    unsigned words, int end) {
    const uint64_t sign = (uint64_t)end << 63;
    const uint64_t infinity = UINT64_C(0x7ff) << 52;
    double found[32];
    for (unsigned i = 0; i < 32; i++)
        found[i] = winnow__as_double(infinity);
    for (unsigned w = 0; w < words; w++) {
        const uint64_t *const from = values + 32 * w;
        uint32_t word = live[w];
        if (has_few(word))
            while (word != 0) {
                const unsigned bit = take_bit(&word);
                found[bit] =
                    lesser(winnow__as_double(from[bit] ^ sign), found[bit]);
            }
        else if (word == UINT32_MAX)
            for (unsigned i = 0; i < 32; i++)
                found[i] = lesser(winnow__as_double(from[i] ^ sign), found[i]);
        else
            for (unsigned i = 0; i < 32; i++) {
                const uint64_t mask = mask_of(word, i);
                found[i] = lesser(winnow__as_double(((from[i] ^ sign) & mask) |
                                                    (infinity & ~mask)),
                                  found[i]);
            }
    }
    for (unsigned i = 1; i < 32; i++)
        found[0] = lesser(found[i], found[0]);
    return found[0];
}

static inline uint64_t rank_of(uint64_t x, bool is_float, uint64_t bias,
                               uint64_t last, int end) {
    const uint64_t sign = 0 - (x >> 63);
    const uint64_t rank =
        is_float ? (x ^ (sign & UINT64_MAX >> 1)) - bias : x ^ bias;
    return end == 0 ? rank : last - rank;
}

static inline __attribute__((always_inline)) uint64_t
least_rank(const uint64_t *values, const uint32_t *live, unsigned words,
           bool is_float, const winnow__reduce_order *order, int end) {
    const uint64_t bias = order->bias, last = order->last;
    uint64_t found = UINT64_MAX;
    for (unsigned w = 0; w < words; w++) {
        const uint64_t *const from = values + 32 * w;
        uint32_t word = live[w];
        if (has_few(word)) {
            while (word != 0) {
                const uint64_t rank =
                    rank_of(from[take_bit(&word)], is_float, bias, last, end);
                found = rank < found ? rank : found;
            }
            continue;
        }
        for (unsigned i = 0; i < 32; i++) {
            const uint64_t rank =
                rank_of(from[i], is_float, bias, last, end) | ~mask_of(word, i);
            found = rank < found ? rank : found;
        }
    }
    return found;
}

static uint64_t rank(const uint64_t *values, const uint32_t *live,
                     unsigned words, const winnow__reduce_type *type, int end) {
    if (type->is_float)
        return end == 0
                   ? least_rank(values, live, words, true, &type->order, 0)
                   : least_rank(values, live, words, true, &type->order, 1);
    return end == 0 ? least_rank(values, live, words, false, &type->order, 0)
                    : least_rank(values, live, words, false, &type->order, 1);
}

const winnow__aggregate_loops LOOPS = {.count = count,
                                       .widen = widen,
                                       .sum_floats = sum_floats,
                                       .sum_integers = sum_integers,
                                       .least = least,
                                       .rank = rank};
