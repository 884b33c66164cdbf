/*
 * The kernels that make selections: their tables, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/select/args.h"

/* By the size of an element. */
extern const winnow__kernel winnow__select_if[WINNOW__SIZES];
extern const winnow__kernel winnow__select_field[WINNOW__SIZES];
extern const winnow__kernel winnow__select_bits;
/* By WINNOW__WHERE_WITH_SETS and so on (kernels/select/where.h). */
extern const winnow__kernel winnow__select_where[];
extern const winnow__kernel winnow__store_lists, winnow__order_where;
/* By the size of a key; the second one of floats by value. Of records, by the
 * size of their V. */
extern const winnow__kernel winnow__select_unique[WINNOW__SIZES][2];
extern const winnow__kernel winnow__select_unique_records[WINNOW__ROW_SIZES];
/* Of offsets of 4 and of 8 bytes. */
extern const winnow__kernel winnow__mark_ranges[2];
extern const winnow__kernel winnow__fill_ranges;
