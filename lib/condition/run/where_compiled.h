/*
 * Conditions that a device has a kernel of their own for, compiled at run time:
 * those with expressions, where there is a compiler.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_RUN_WHERE_COMPILED_H
#define WINNOW_LIB_CONDITION_RUN_WHERE_COMPILED_H

#include "condition/compile/source.h"
#include "set/tables.h"
#include "where.h"
#include "where_strings.h"

/* What a kernel of a condition is compiled from. It is not copied. */
typedef struct winnow__compiling {
    winnow__compiled compiled;
    void *memory; /* of the program, for free() */
    winnow__computed computed[WINNOW__WHERE_MOST_COLUMNS];
    winnow__to_compile what;
} winnow__compiling;

/* Of a condition without sets, for columns that may have any nulls. */
winnow_status winnow__begin_compiling(const winnow__where *where,
                                      winnow__compiling *c);
bool winnow__has_sets(const winnow_condition *condition);
/* May a call compile, and make what a device lacks? where_cuda.c */
winnow_status winnow__table_use_of(const winnow__call *call,
                                   winnow__table_use *use);

/* Is it such a condition, here? It may still be too large. */
bool winnow__is_compiled(const winnow_condition *condition);
/* Have its kernel for the context's device, which is current. */
winnow_status winnow__prepare_compiled(const winnow_context *context,
                                       const winnow_condition *condition);
/*
 * Find the kernel and large patterns of strings, and enqueue them; `memory` is
 * what tests of strings work in. `use` says whether the call may compile, and
 * make what a device lacks.
 * *is_enqueued_p: false: nothing was enqueued, as the condition is too large, or
 * its kernel cannot be had, of which there is a note of the context.
 * WINNOW_ERR_UNSUPPORTED: it cannot be had in this call.
 */
winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            void *selection, void *memory,
                                            bool *is_enqueued_p);

#endif
