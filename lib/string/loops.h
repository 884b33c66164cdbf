/*
 * Testing strings on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_STRING_LOOPS_H
#define WINNOW_LIB_STRING_LOOPS_H

#include "test.h"

#include "kernels/string/column.h"

/* Of `items` strings from `first` on, set the words' bits to whether they pass,
 * the first one's lowest. Of items that are not `wanted` (NULL: all are), and
 * behind the last one, the bits may be any. */
void winnow__test_strings(const winnow__string_column *column,
                          const winnow__string_test *test, uint64_t first,
                          unsigned items, const uint32_t *wanted,
                          uint32_t *words);

#endif
