/*
 * The demo's integers, and the CPU's word on which of them are positive. None
 * of this uses the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_DEMO_DATA_H
#define WINNOW_BENCH_DEMO_DATA_H

#include <stdbool.h>
#include <stdint.h>

/* What is known about a set of integers, whatever their order. */
typedef struct demo_multiset {
    uint64_t count;
    uint64_t sum_a; /* of two hashes of each integer */
    uint64_t sum_b;
} demo_multiset;

/* n random integers, each positive with the given probability. */
void demo_generate(int32_t *array, uint64_t n, double positive);

/* The positive ones of in[0 .. n). */
demo_multiset demo_expect(const int32_t *in, uint64_t n);

/* Whether out[0 .. count) are the positive ones of in[0 .. n), in order. */
bool demo_same_in_order(const int32_t *in, uint64_t n, const int32_t *out,
                        uint64_t count);
/* Whether out[0 .. count) are the expected integers in some order. */
bool demo_same_in_any_order(const demo_multiset *expected, const int32_t *out,
                            uint64_t count);
/* Whether every byte of out[first .. n) is `byte`. */
bool demo_untouched(const int32_t *out, uint64_t first, uint64_t n,
                    unsigned char byte);

#endif
