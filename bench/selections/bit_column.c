/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bit_column.h"

#include "../util.h"

#include <stdlib.h>
#include <string.h>

uint64_t selections_bits_bytes(uint64_t n, uint64_t offset) {
    return 8 * ((n + offset) / 64 + 1);
}

void selections_bits_poison(uint64_t *bits, uint64_t n, uint64_t offset) {
    memset(bits, BENCH_POISON, selections_bits_bytes(n, offset));
}

uint64_t *selections_bits_make(bench_lab *lab, uint64_t n, uint64_t offset) {
    uint64_t *const bits = lab_host(lab, selections_bits_bytes(n, offset));
    selections_bits_poison(bits, n, offset);
    return bits;
}

void selections_bits_put(uint64_t *bits, uint64_t at, uint64_t value,
                         unsigned count) {
    const unsigned place = (unsigned)(at % 64);
    if (count == 0)
        return;
    const uint64_t mask = UINT64_MAX >> (64 - count);
    uint64_t *const word = &bits[at / 64];
    word[0] = (word[0] & ~(mask << place)) | (value & mask) << place;
    if (place + count > 64)
        word[1] = (word[1] & ~(mask >> (64 - place))) |
                  (value & mask) >> (64 - place);
}

/* The bits of `word` that `mask` has, next to each other from the lowest on. */
static uint64_t gather(uint64_t word, uint64_t mask) {
    uint64_t packed = 0;
    for (unsigned k = 0; mask != 0; mask &= mask - 1)
        packed |= (word >> __builtin_ctzll(mask) & 1) << k++;
    return packed;
}

static uint64_t mask_of(const selections_chosen *c, uint64_t w, bool kept) {
    const uint64_t left = c->n - 64 * w;
    const uint64_t items = left < 64 ? ~(UINT64_MAX << left) : UINT64_MAX;
    return (kept ? c->bits[w] : ~c->bits[w]) & items;
}

/* All threads gather; one puts the words together. */
void selections_bits_pack(const selections_chosen *c, const uint64_t *from,
                          bool kept, uint64_t *to, uint64_t offset) {
    uint64_t *const packed = bench_alloc(c->words * sizeof *packed);
#pragma omp parallel for
    for (uint64_t w = 0; w < c->words; w++)
        packed[w] = gather(from[w], mask_of(c, w, kept));
    for (uint64_t w = 0; w < c->words; w++) {
        const unsigned count =
            (unsigned)__builtin_popcountll(mask_of(c, w, kept));
        selections_bits_put(to, offset, packed[w], count);
        offset += count;
    }
    free(packed);
}
