/*
 * Columns packed by a predicate on one of them, in one pass over that one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ONE_CALL_KEYED_COLUMNS_H
#define WINNOW_LIB_ONE_CALL_KEYED_COLUMNS_H

#include "marked.h"
#include "pack/columns.h"

/* The number of the column that the key is, elements of `bytes` bytes; that of
 * columns where none is, or where one is packed in place. */
unsigned winnow__find_key(const winnow__columns *columns, const void *key,
                          size_t bytes);
/* By find_key()'s number, and a plan of winnow__plan_marked(). */
winnow_status
winnow__enqueue_keyed_columns(const winnow__call *call,
                              const struct winnow__plan *plan,
                              const struct winnow__workspace *memory,
                              const winnow__columns *columns, unsigned key);

#endif
