/*
 * Segments of LIKE that are looked for in vain for too long.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_SEGMENT_H
#define WINNOW_LIB_STRING_SEGMENT_H

#include "kernels/string/pattern.h"

#include <stdbool.h>
#include <stdint.h>

/* *at_p: where the first match ends of a segment that begins with its first text, at
 * i of s[0 .. bytes) or behind it, before `end`; or WINNOW__LIKE_NONE. Each byte
 * takes as long as 64 steps for each 4096 characters of the segment. False: there
 * is no memory. */
bool winnow__find_segment(const unsigned char *s, uint64_t bytes, uint64_t i,
                          uint64_t end, const unsigned char *block,
                          const winnow__pattern_step *step, uint32_t steps,
                          uint64_t *at_p);

#endif
