/*
 * where_sets.cuh for programs of any condition: see where_large.cu.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where_sets.cuh"

extern "C" const winnow__kernel winnow__select_where_sets_large;
const winnow__kernel winnow__select_where_sets_large = WINNOW__SOURCE(
    winnow::select::select_where_sets<winnow__select_where_sets_large_args,
                                      false>);

static_assert(sizeof(winnow__select_where_sets_large_args) <= 32764,
              "a kernel takes these arguments");
