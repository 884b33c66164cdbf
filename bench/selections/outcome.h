/*
 * Results on the device, beside those that the host expects. Each comparison
 * then poisons them, so that the next results are the next variant's own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SELECTIONS_OUTCOME_H
#define WINNOW_BENCH_SELECTIONS_OUTCOME_H

#include "chosen.h"

/* Are they these bytes? */
bool selections_same(const bench_lab *lab, void *d_results,
                     const void *expected, uint64_t bytes);
/* The same of many bytes, elements of 4 or 8 bytes and perhaps a part of one
 * behind them. Looks at the sum of all elements, which selections_total() has
 * for those expected, and at the bytes in some places, the last among them. */
uint64_t selections_total(const void *expected, uint32_t size, uint64_t bytes);
bool selections_alike(const bench_lab *lab, void *d_results,
                      const void *expected, uint32_t size, uint64_t bytes,
                      uint64_t total);
/* Are the elements that are kept in d_out, in order? Looks at the sum of all
 * and the places of some. */
bool selections_packed(const selections_chosen *c, const bench_lab *lab,
                       const void *in, size_t element_bytes, uint64_t sum,
                       void *d_out);
/* Are the packed elements, of 4 or 8 bytes, in d_out at the places of the items
 * that are kept, and `other` at all other places? Looks at the same. */
bool selections_expanded(const selections_chosen *c, const bench_lab *lab,
                         const void *packed, unsigned element_bytes,
                         uint64_t other, uint64_t sum, void *d_out);

#endif
