/*
 * partition_by_key: scatters a pass of two in any order, where the items of all
 * parts are known.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block_rank.cuh"
#include "exact.cuh"
#include "scatter.cuh"

WINNOW__SCATTER(exact_8, 8, false, false, BlockRank, ExactPlaces);
WINNOW__SCATTER(exact_8_drops, 8, true, false, BlockRank, ExactPlaces);
