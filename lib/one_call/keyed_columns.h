/*
 * Columns packed by a predicate on one of them, in one pass over that one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_ONE_CALL_KEYED_COLUMNS_H
#define WINNOW_LIB_ONE_CALL_KEYED_COLUMNS_H

#include "pack/columns.h"
#include "cuda/plan.h"
#include "marked.h"

/* Is the key one of the columns, none of which is in place, and the input large
 * enough? */
bool winnow__is_keyed_columns(const winnow__query *query,
                              const winnow__constraints *constraints,
                              const winnow__columns *columns, const void *key);
winnow_status winnow__plan_keyed_columns(const winnow__query *query,
                                         const winnow__constraints *constraints,
                                         winnow__plan *plan);
/* A query of the workspace knows no key: *plan becomes the plan for one of any
 * type, if that needs more. */
winnow_status
winnow__plan_any_keyed_columns(const winnow__query *query,
                               const winnow__constraints *constraints,
                               winnow__plan *plan);
/* The kernel's results: those of the key's column. */
void winnow__set_key_column(const winnow__query *query,
                            const winnow__columns *columns, const void *key,
                            winnow__args *args);
winnow_status
winnow__enqueue_keyed_columns(const winnow__call *call,
                              const winnow__plan *plan,
                              const struct winnow__workspace *memory,
                              const winnow__columns *columns, const void *key);

#endif
