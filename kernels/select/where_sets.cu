/*
 * where_sets.cuh for programs small enough for 4096 bytes of arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_sets.cuh"

extern "C" const winnow__kernel winnow__select_where_sets;
const winnow__kernel winnow__select_where_sets = WINNOW__SOURCE(
    winnow::select::select_where_sets<winnow__select_where_sets_args, false>);

/* The same with operations in the order of a sample (order.cu). */
extern "C" const winnow__kernel winnow__select_where_sets_ordered;
const winnow__kernel winnow__select_where_sets_ordered = WINNOW__SOURCE(
    winnow::select::select_where_sets<winnow__select_where_sets_args, true>);

static_assert(sizeof(winnow__select_where_sets_args) <= 4096,
              "each driver takes these arguments");
