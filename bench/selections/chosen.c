/*
 * A bit for each item, made and counted by all threads of the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "chosen.h"

#include "../util.h"

#include <string.h>

void selections_chosen_init(selections_chosen *c, bench_lab *lab, uint64_t n) {
    c->n = n;
    c->words = (n + 63) / 64;
    c->bits = lab_host(lab, c->words * sizeof *c->bits);
}

void selections_all(selections_chosen *c) {
    memset(c->bits, 0xff, c->words * sizeof *c->bits);
    if (c->n % 64 != 0)
        c->bits[c->words - 1] >>= 64 - c->n % 64;
    c->kept = c->n;
}

uint64_t selections_word(const selections_chosen *c, unsigned look) {
    return look * (c->words - 1) / (SELECTIONS_LOOKS - 1);
}

void selections_chosen_count(selections_chosen *c) {
    unsigned look = 0;
    c->kept = 0;
    for (uint64_t w = 0; w < c->words; w++) {
        for (; look < SELECTIONS_LOOKS && selections_word(c, look) == w; look++)
            c->before[look] = c->kept;
        c->kept += (uint64_t)__builtin_popcountll(c->bits[w]);
    }
}

void selections_draw(selections_chosen *c, uint64_t seed, double share) {
    const uint64_t values = (uint64_t)(share * 4294967296.0);
#pragma omp parallel for
    for (uint64_t w = 0; w < c->words; w++) {
        const uint64_t items = c->n - 64 * w < 64 ? c->n - 64 * w : 64;
        uint64_t bits = 0;
        for (uint64_t i = 0; i < items; i++)
            if (lab_random(seed, 64 * w + i) >> 32 < values)
                bits |= UINT64_C(1) << i;
        c->bits[w] = bits;
    }
    selections_chosen_count(c);
}

void selections_narrow(selections_chosen *c, const int32_t *keys,
                       uint64_t stride, int32_t low, uint64_t values) {
#pragma omp parallel for
    for (uint64_t w = 0; w < c->words; w++) {
        const int32_t *const key = &keys[64 * w * stride];
        const uint64_t items = c->n - 64 * w < 64 ? c->n - 64 * w : 64;
        uint64_t bits = 0;
        for (uint64_t i = 0; i < items; i++)
            if ((uint32_t)key[i * stride] - (uint32_t)low < values)
                bits |= UINT64_C(1) << i;
        c->bits[w] &= bits;
    }
    selections_chosen_count(c);
}

void selections_below(selections_chosen *c, const int32_t *keys,
                      uint64_t stride, int32_t bound) {
    selections_all(c);
    selections_narrow(c, keys, stride, INT32_MIN,
                      (uint64_t)((int64_t)bound - INT32_MIN));
}

uint64_t selections_sectors(const selections_chosen *c, size_t size) {
    const unsigned items = (unsigned)(32 / size); /* of a sector */
    const uint64_t mask = (UINT64_C(1) << items) - 1;
    uint64_t sectors = 0;
#pragma omp parallel for reduction(+ : sectors)
    for (uint64_t w = 0; w < c->words; w++)
        for (unsigned first = 0; first < 64; first += items)
            sectors += (c->bits[w] >> first & mask) != 0;
    return sectors;
}

uint64_t selections_sum(const selections_chosen *c, const void *in,
                        size_t element_bytes) {
    const char *const bytes = in;
    const uint32_t size = element_bytes == 4 ? 4 : 8;
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (uint64_t w = 0; w < c->words; w++)
        for (uint64_t left = c->bits[w]; left != 0; left &= left - 1) {
            const uint64_t i = 64 * w + (uint64_t)__builtin_ctzll(left);
            for (uint64_t k = 0; k < element_bytes / size; k++)
                sum += bench_scramble(
                    bench_load(bytes + i * element_bytes, size, k));
        }
    return sum;
}
