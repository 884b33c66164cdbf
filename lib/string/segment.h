/*
 * Search for a segment of LIKE after too many comparisons in vain.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_SEGMENT_H
#define WINNOW_LIB_STRING_SEGMENT_H

#include "kernels/string/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* *at_p: where the first match of a segment ends, or WINNOW__LIKE_NONE. The match
 * begins with the segment's first text, at i of s[0 .. bytes) or after it, and ends
 * at or before `end`. Each byte takes the time of 64 steps per 4096 elements of the
 * segment. False: no memory. */
bool winnow__find_segment(const unsigned char *s, uint64_t bytes, uint64_t i,
                          uint64_t end, const unsigned char *block,
                          const winnow__pattern_step *step, uint32_t steps,
                          uint64_t *at_p);

#endif
