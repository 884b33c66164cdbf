/*
 * partition_by_key: scatters by an estimate, in any order, digits of up to 8
 * bits. All keys have a part.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../block_rank.cuh"
#include "../scatter.cuh"
#include "places.cuh"

WINNOW__SCATTER(estimated_8, 8, false, false, BlockRank, EstimatedPlaces);
