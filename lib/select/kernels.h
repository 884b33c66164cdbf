/*
 * Tables of the kernels that make selections, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/args.h"

/* Indexed by the size of an element. */
extern const winnow__kernel winnow__select_if[WINNOW__SIZES];
extern const winnow__kernel winnow__select_field[WINNOW__SIZES];
extern const winnow__kernel winnow__select_bits;
/* Indexed by WINNOW__WHERE_WITH_SETS and so on (kernels/select/where.h). */
extern const winnow__kernel winnow__select_where[];
extern const winnow__kernel winnow__store_lists, winnow__order_where;
/* Indexed by the size of a key; [1]: floats compared by value. For records, indexed
 * by the size of their V. */
extern const winnow__kernel winnow__select_unique[WINNOW__SIZES][2];
extern const winnow__kernel winnow__select_unique_records[WINNOW__ROW_SIZES];
/* For offsets of 4 and of 8 bytes. */
extern const winnow__kernel winnow__mark_ranges[2];
extern const winnow__kernel winnow__fill_ranges;
