/*
 * Conditions with a kernel of their own on a device, compiled at run time.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "condition/compile/kernels.h"
#include "set/tables.h"
#include "where_strings.h"

/* The source of a condition's kernel: the program in which anything may be
 * null, without the addresses of columns. */
static inline winnow__to_compile
winnow__to_compile_of(const winnow_condition *condition) {
    return (winnow__to_compile){.program = &condition->programs[true]->code,
                                .condition = condition};
}

/* The same with the addresses that a call has bound. */
static inline winnow__to_compile
winnow__to_compile_bound(const winnow__bound *bound) {
    return (winnow__to_compile){.program = &bound->program,
                                .condition = bound->where->condition,
                                .read_column = bound->values.column};
}

/* May a call make tables that a device lacks? where_cuda.c */
winnow_status winnow__table_use_of(const winnow__call *call,
                                   winnow__table_use *use);
