/*
 * Conditions that a device has a kernel of their own for, compiled at run time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_RUN_WHERE_COMPILED_H
#define WINNOW_LIB_CONDITION_RUN_WHERE_COMPILED_H

#include "condition/compile/kernels.h"
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

/*
 * Enqueue the kernel that was chosen; `room` is for winnow__bind_whole(), `memory`
 * is what tests of strings work in.
 */
winnow_status winnow__select_where_compiled(const winnow__call *call,
                                            const winnow__where *where,
                                            const winnow__table_use *use,
                                            const winnow__kernel *kernel,
                                            void *room, void *selection,
                                            void *memory);

#endif
