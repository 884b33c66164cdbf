/*
 * where.cuh for programs of any condition. Apart from where.cu, since a driver that
 * cannot take as many arguments refuses all kernels of the file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "where.cuh"

extern "C" const winnow__kernel winnow__select_where_large;
const winnow__kernel winnow__select_where_large = WINNOW__SOURCE(
    winnow::select::select_where<winnow__select_where_large_args, false>);
