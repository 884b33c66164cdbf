/*
 * Comparing the strings of two columns on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_COMPARE_H
#define WINNOW_LIB_STRING_COMPARE_H

#include "kernels/string/args.h"

/* Of `items` items from `first` on, set the words' bits to whether `a compare b`
 * holds, the first one's lowest, and nulls[i] to 1 where an index of item i names
 * no value, or a null. What is null by the items' own validity may be any. */
void winnow__compare_strings(const winnow__compared_strings *a,
                             const winnow__compared_strings *b,
                             winnow_compare compare, uint64_t first,
                             unsigned items, uint32_t *words, uint8_t *nulls);

#endif
