/*
 * Testing strings on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_LOOPS_H
#define WINNOW_LIB_STRING_LOOPS_H

#include "test.h"

#include "kernels/string/column.h"

/* For `items` strings from `first` on, set the bits of `words` to whether they pass,
 * the lowest bit for the first string. The bits of items that are not `wanted` (NULL:
 * all are), and those after the last item, are undefined. */
void winnow__test_strings(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words);

#endif
