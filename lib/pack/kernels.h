/*
 * Tables of the kernels that use selections, on the host.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/pack/args.h"

/* Indexed by the size of an index: 4 or 8 bytes. */
extern const winnow__kernel winnow__compact_index[2];
/* Indexed by log2 of an element's size; kernels of rows by log2 of the size of V. */
extern const winnow__kernel winnow__compact[WINNOW__SIZES];
extern const winnow__kernel winnow__compact_rows[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__compact_in_place[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__split_columns[WINNOW__SIZES];
extern const winnow__kernel winnow__split_rows[WINNOW__ROW_SIZES];
/* Indexed by log2 of the size of V. */
extern const winnow__kernel winnow__expand[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__expand_fill[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__fill[WINNOW__ROW_SIZES];
extern const winnow__kernel winnow__compact_bits;
extern const winnow__kernel winnow__split_bits;
extern const winnow__kernel winnow__copy_bits;
extern const winnow__kernel winnow__expand_bits;
extern const winnow__kernel winnow__count_holes;
extern const winnow__kernel winnow__fill_holes[WINNOW__ROW_SIZES]; /* of V */
/* Indexed by the size of an offset: 4 or 8 bytes. */
extern const winnow__kernel winnow__selection_segments[2];
/* Indexed by the size of an offset: 4 or 8 bytes. */
extern const winnow__kernel winnow__sum_strings[2];
extern const winnow__kernel winnow__scan_strings;
extern const winnow__kernel winnow__pack_strings[2];
extern const winnow__kernel winnow__pack_string_parts[2];
/* For bytes and for bits. */
extern const winnow__kernel winnow__selection_mask[2];
