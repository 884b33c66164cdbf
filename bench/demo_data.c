/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "demo_data.h"

/* The finaliser of SplitMix64. */
static uint64_t scramble(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void demo_generate(int32_t *array, uint64_t n, double positive) {
    const uint64_t share = (uint64_t)(positive * 4294967296.0);
#pragma omp parallel for schedule(static)
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = scramble((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        const int32_t magnitude = (int32_t)(bits & 0x7fffffff);
        if (bits >> 32 < share)
            array[i] = magnitude != 0 ? magnitude : 1;
        else
            array[i] = -magnitude;
    }
}

static uint64_t hash_a(int32_t x) {
    return scramble((uint32_t)x);
}

static uint64_t hash_b(int32_t x) {
    return scramble((uint32_t)x + UINT64_C(0x243f6a8885a308d3));
}

demo_multiset demo_expect(const int32_t *in, uint64_t n) {
    uint64_t count = 0, sum_a = 0, sum_b = 0;
#pragma omp parallel for schedule(static) reduction(+ : count, sum_a, sum_b)
    for (uint64_t i = 0; i < n; i++)
        if (in[i] > 0) {
            count++;
            sum_a += hash_a(in[i]);
            sum_b += hash_b(in[i]);
        }
    return (demo_multiset){count, sum_a, sum_b};
}

bool demo_same_in_order(const int32_t *in, uint64_t n, const int32_t *out,
                        uint64_t count) {
    uint64_t place = 0;
    for (uint64_t i = 0; i < n; i++)
        if (in[i] > 0) {
            if (place == count || out[place] != in[i])
                return false;
            place++;
        }
    return place == count;
}

bool demo_same_in_any_order(const demo_multiset *expected, const int32_t *out,
                            uint64_t count) {
    uint64_t sum_a = 0, sum_b = 0;
    if (count != expected->count)
        return false;
#pragma omp parallel for schedule(static) reduction(+ : sum_a, sum_b)
    for (uint64_t i = 0; i < count; i++) {
        sum_a += hash_a(out[i]);
        sum_b += hash_b(out[i]);
    }
    return sum_a == expected->sum_a && sum_b == expected->sum_b;
}

bool demo_untouched(const int32_t *out, uint64_t first, uint64_t n,
                    unsigned char byte) {
    const uint32_t word = byte * UINT32_C(0x01010101);
    uint64_t touched = 0;
    for (uint64_t i = first; i < n; i++)
        touched += (uint32_t)out[i] != word;
    return touched == 0;
}
