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
#include "where_bind.h"
#include "where_strings.h"

/* What a condition's kernel is compiled from: the program where anything may be
 * null, without its columns' places. */
winnow__to_compile winnow__to_compile_of(const winnow_condition *condition);
/* The same with the places that a call has bound. */
winnow__to_compile winnow__to_compile_bound(const winnow__bound *bound);
/* May a call compile, and make what a device lacks? where_cuda.c */
winnow_status winnow__table_use_of(const winnow__call *call,
                                   winnow__table_use *use);

/* Is it such a condition, here? It may still be too large. */
bool winnow__is_compiled(const winnow_condition *condition);
/* Have its kernel for the context's device, which is current. */
winnow_status winnow__prepare_compiled(const winnow_context *context,
                                       const winnow_condition *condition);
/*
 * Find the kernel and large patterns of strings, and enqueue them; `room` is for
 * winnow__bind_whole(), `memory` is what tests of strings work in. `use` says whether the call may compile, and
 * make what a device lacks.
 * *is_enqueued_p: false: nothing was enqueued, as the condition is too large, or
 * its kernel cannot be had, of which there is a note of the context.
 * WINNOW_ERR_UNSUPPORTED: it cannot be had in this call.
 */
winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            void *room, void *selection,
                                            void *memory, bool *is_enqueued_p);

#endif
