/*
 * where.cuh for programs small enough for 4096 bytes of arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where.cuh"

extern "C" const winnow__kernel winnow__select_where;
const winnow__kernel winnow__select_where = WINNOW__SOURCE(
    winnow::select::select_where<winnow__select_where_args, false>);

/* The same with operations in the order of a sample (order.cu). */
extern "C" const winnow__kernel winnow__select_where_ordered;
const winnow__kernel winnow__select_where_ordered = WINNOW__SOURCE(
    winnow::select::select_where<winnow__select_where_args, true>);
