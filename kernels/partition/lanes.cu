/*
 * partition_by_key: scatters digits of up to 5 bits, in the input's order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "lane_rank.cuh"
#include "own.cuh"
#include "scatter.cuh"

WINNOW__SCATTER(lanes_1, 1, false, true, LaneRank, OwnPlaces);
WINNOW__SCATTER(lanes_2, 2, false, true, LaneRank, OwnPlaces);
WINNOW__SCATTER(lanes_4, 4, false, true, LaneRank, OwnPlaces);
WINNOW__SCATTER(lanes_5, 5, false, true, LaneRank, OwnPlaces);
WINNOW__SCATTER(lanes_5_drops, 5, true, true, LaneRank, OwnPlaces);
