/*
 * partition_by_key: scatters digits of 6 to 8 bits, in the input's order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "own.cuh"
#include "scatter.cuh"
#include "warp_rank.cuh"

WINNOW__SCATTER(warps_6, 6, false, true, WarpRank, OwnPlaces);
WINNOW__SCATTER(warps_8, 8, false, true, WarpRank, OwnPlaces);
WINNOW__SCATTER(warps_8_drops, 8, true, true, WarpRank, OwnPlaces);
