/*
 * Columns of bits, as the host reckons them. Bit i of a column lies in word
 * i / 64, at place i % 64.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_BIT_COLUMN_H
#define WINNOW_BENCH_SELECTIONS_BIT_COLUMN_H

#include "chosen.h"

/* Words with room for the bits of n items from bit `offset` on, which a call
 * leaves alone where it writes none: all of them are as poisoned memory is. */
uint64_t *selections_bits_make(bench_lab *lab, uint64_t n, uint64_t offset);
uint64_t selections_bits_bytes(uint64_t n, uint64_t offset);
void selections_bits_poison(uint64_t *bits, uint64_t n, uint64_t offset);

/* Write the lowest `count` of 64 bits from bit `at` on. */
void selections_bits_put(uint64_t *bits, uint64_t at, uint64_t value,
                         unsigned count);
/* Of the bits of all items those that are kept, or else the others, from bit
 * `offset` of `to` on. */
void selections_bits_pack(const selections_chosen *c, const uint64_t *from,
                          bool kept, uint64_t *to, uint64_t offset);

#endif
