/*
 * The kernels that use selections: their tables, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/pack/args.h"

/* Of indices of 4 and of 8 bytes. */
extern const winnow__kernel winnow__compact_index[2];
/* By the size of an element; of rows, by the size of their V. */
extern const winnow__kernel winnow__compact[WINNOW__SIZES];
extern const winnow__kernel winnow__compact_rows[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__compact_in_place[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__split_columns[WINNOW__SIZES];
extern const winnow__kernel winnow__split_rows[WINNOW__ROW_SIZES];
/* By the size of their V. */
extern const winnow__kernel winnow__expand[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__expand_fill[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__fill[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__compact_bits;
extern const winnow__kernel winnow__split_bits;
extern const winnow__kernel winnow__copy_bits;
extern const winnow__kernel winnow__expand_bits;
extern const winnow__kernel winnow__count_holes;
extern const winnow__kernel winnow__fill_holes[WINNOW__ROW_SIZES]; /* of V */
/* Of offsets of 4 and of 8 bytes. */
extern const winnow__kernel winnow__selection_segments[2];
/* Of offsets of 4 and of 8 bytes. */
extern const winnow__kernel winnow__sum_strings[2];
extern const winnow__kernel winnow__scan_strings;
extern const winnow__kernel winnow__pack_strings[2];
extern const winnow__kernel winnow__pack_string_parts[2];
/* Of bytes and of bits. */
extern const winnow__kernel winnow__selection_mask[2];
