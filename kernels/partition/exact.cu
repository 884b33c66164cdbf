/*
 * partition_by_key: scatters in one of two passes, in any order, when the
 * number of items of every part is known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block_rank.cuh"
#include "exact.cuh"
#include "scatter.cuh"

WINNOW__SCATTER(exact_8, 8, false, false, BlockRank, ExactPlaces);
WINNOW__SCATTER(exact_8_drops, 8, true, false, BlockRank, ExactPlaces);
