/*
 * Comparing the strings of two columns on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_COMPARE_H
#define WINNOW_LIB_STRING_COMPARE_H

#include "kernels/string/args.h"

/* For `items` items from `first` on: set the bits of `words` to whether `a compare b`
 * holds, the first item's lowest. Set nulls[i] to 1 if an index of item i has no
 * value or a null. The results of items that are null themselves are undefined. */
void winnow__compare_strings(const winnow__compared_strings *a,
                             const winnow__compared_strings *b,
                             winnow_compare compare, uint64_t first,
                             unsigned items, uint32_t *words, uint8_t *nulls);

#endif
