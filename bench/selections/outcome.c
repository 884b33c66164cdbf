/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outcome.h"

#include "../util.h"

#include <stdlib.h>
#include <string.h>

/* Fetched at a time. */
#define PIECE (UINT64_C(1) << 24)

bool selections_same(const bench_lab *lab, void *d_results,
                     const void *expected, uint64_t bytes) {
    char *const piece = bench_alloc(PIECE);
    bool same = true;
    for (uint64_t at = 0; at < bytes && same; at += PIECE) {
        const size_t size = bytes - at < PIECE ? bytes - at : PIECE;
        lab_fetch(lab, piece, (const char *)d_results + at, size);
        same = memcmp(piece, (const char *)expected + at, size) == 0;
    }
    free(piece);
    if (bytes > 0)
        lab->run->platform.poison(d_results, bytes);
    return same;
}

uint64_t selections_total(const void *expected, uint32_t size, uint64_t bytes) {
    return bench_data_sum(expected, size, bytes / size);
}

bool selections_alike(const bench_lab *lab, void *d_results,
                      const void *expected, uint32_t size, uint64_t bytes,
                      uint64_t total) {
    const bench_platform *const platform = &lab->run->platform;
    char found[256];
    const uint64_t look = bytes < sizeof found ? bytes : sizeof found;
    bool same = platform->sum(d_results, size, bytes / size) == total;
    for (unsigned i = 0; i < SELECTIONS_LOOKS && same && look > 0; i++) {
        const uint64_t at = (bytes - look) / (SELECTIONS_LOOKS - 1) * i;
        /* The last place ends with the last byte. */
        const uint64_t from = i == SELECTIONS_LOOKS - 1 ? bytes - look : at;
        lab_fetch(lab, found, (const char *)d_results + from, look);
        same = memcmp(found, (const char *)expected + from, look) == 0;
    }
    if (bytes > 0)
        platform->poison(d_results, bytes);
    return same;
}

/* Those of a word, which are next to each other in the output. */
static bool word_is_packed(const selections_chosen *c, const bench_lab *lab,
                           unsigned look, const char *in, size_t element_bytes,
                           const char *d_out, char *found) {
    const uint64_t w = selections_word(c, look);
    const unsigned items = (unsigned)__builtin_popcountll(c->bits[w]);
    lab_fetch(lab, found, d_out + c->before[look] * element_bytes,
              items * element_bytes);
    for (uint64_t left = c->bits[w]; left != 0; left &= left - 1) {
        const uint64_t i = 64 * w + (uint64_t)__builtin_ctzll(left);
        if (memcmp(found, in + i * element_bytes, element_bytes) != 0)
            return false;
        found += element_bytes;
    }
    return true;
}

bool selections_packed(const selections_chosen *c, const bench_lab *lab,
                       const void *in, size_t element_bytes, uint64_t sum,
                       void *d_out) {
    const bench_platform *const platform = &lab->run->platform;
    const uint32_t size = element_bytes == 4 ? 4 : 8;
    char *const found = bench_alloc(64 * element_bytes);
    bool right =
        platform->sum(d_out, size, c->kept * (element_bytes / size)) == sum;
    for (unsigned look = 0; look < SELECTIONS_LOOKS && right; look++)
        right = word_is_packed(c, lab, look, in, element_bytes, d_out, found);
    free(found);
    platform->poison(d_out, c->kept * element_bytes);
    return right;
}

static bool word_is_expanded(const selections_chosen *c, const bench_lab *lab,
                             unsigned look, const void *packed,
                             unsigned element_bytes, uint64_t other,
                             const char *d_out) {
    uint64_t found[64]; /* elements of 8 bytes at most */
    const uint64_t w = selections_word(c, look);
    const uint64_t items = c->n - 64 * w < 64 ? c->n - 64 * w : 64;
    uint64_t rank = c->before[look];
    lab_fetch(lab, found, d_out + 64 * w * element_bytes,
              items * element_bytes);
    for (uint64_t i = 0; i < items; i++) {
        const uint64_t wanted = c->bits[w] >> i & 1
                                    ? bench_load(packed, element_bytes, rank++)
                                    : other;
        if (bench_load(found, element_bytes, i) != wanted)
            return false;
    }
    return true;
}

bool selections_expanded(const selections_chosen *c, const bench_lab *lab,
                         const void *packed, unsigned element_bytes,
                         uint64_t other, uint64_t sum, void *d_out) {
    const bench_platform *const platform = &lab->run->platform;
    bool right = platform->sum(d_out, element_bytes, c->n) == sum;
    for (unsigned look = 0; look < SELECTIONS_LOOKS && right; look++)
        right =
            word_is_expanded(c, lab, look, packed, element_bytes, other, d_out);
    platform->poison(d_out, c->n * element_bytes);
    return right;
}
