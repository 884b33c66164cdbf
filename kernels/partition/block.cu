/*
 * partition_by_key: scatters digits of 4 to 8 bits, in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "block_rank.cuh"
#include "own.cuh"
#include "scatter.cuh"

WINNOW__SCATTER(block_8, 8, false, false, BlockRank, OwnPlaces);
WINNOW__SCATTER(block_8_drops, 8, true, false, BlockRank, OwnPlaces);
