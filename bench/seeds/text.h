/*
 * A text of made-up words, and keywords of known frequencies in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_BENCH_SEEDS_TEXT_H
#define WINNOW_BENCH_SEEDS_TEXT_H

#include "kernels.h"

/* From the rarest to the most frequent. Of 4 MiB of text about 7, 87, 1413 and
 * 20234 words are one of these, as in seed 004. */
#define SEEDS_KEYWORDS 4
extern const char *const seeds_keywords[SEEDS_KEYWORDS];

/* n bytes of it. */
void seeds_text(char *text, uint64_t n);
/* The keyword, as kernels take it. */
seeds_keyword seeds_keyword_of(const char *word);
/* Where the keyword occurs, in ascending order; positions: NULL, or room for
 * all. Returns how many there are. */
uint64_t seeds_find(const char *text, uint64_t n, const seeds_keyword *keyword,
                    uint32_t *positions);

#endif
