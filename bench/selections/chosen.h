/*
 * The host's own reckoning of what is kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_CHOSEN_H
#define WINNOW_BENCH_SELECTIONS_CHOSEN_H

#include "../lab.h"

/* Words of the bits whose items are looked for in the output. */
#define SELECTIONS_LOOKS 64

typedef struct selections_chosen {
    uint64_t n, kept;
    uint64_t words;
    uint64_t *bits; /* of item i: bit i % 64 of word i / 64; 0 from n on */
    uint64_t before[SELECTIONS_LOOKS]; /* kept before each word looked at */
} selections_chosen;

/* For n items, in memory of the lab's. */
void selections_chosen_init(selections_chosen *c, bench_lab *lab, uint64_t n);
/* Count the bits, which the caller wrote. */
void selections_chosen_count(selections_chosen *c);
/* Keep all items. */
void selections_all(selections_chosen *c);
/* Keep each item by a draw of its own. */
void selections_draw(selections_chosen *c, uint64_t seed, double share);
/* Of those kept, keep the ones of which the key is one of so many values from
 * `low` on. Item i has the key keys[i * stride]. */
void selections_narrow(selections_chosen *c, const int32_t *keys,
                       uint64_t stride, int32_t low, uint64_t values);
/* Keep those with a key below the bound. */
void selections_below(selections_chosen *c, const int32_t *keys,
                      uint64_t stride, int32_t bound);

/* The words looked at: spread evenly, the first and the last among them. */
uint64_t selections_word(const selections_chosen *c, unsigned look);
/* Sectors of 32 bytes of a column that have an element that is kept. */
uint64_t selections_sectors(const selections_chosen *c, size_t size);
/* What platform.sum() has for the elements that are kept: of 4 bytes, or else
 * in words of 8. */
uint64_t selections_sum(const selections_chosen *c, const void *in,
                        size_t element_bytes);

#endif
