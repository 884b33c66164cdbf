/*
 * Records: the sink Values (sink_values.cuh) for records of R vectors. Vectors
 * are counted, staged and scattered one by one. A tile has whole records, so
 * the capacity and the offsets are multiples of R, and no record is split.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "sink_values.cuh"

namespace winnow::tile {

template <unsigned int R>
struct Records : Values<uint4> {};

} // namespace winnow::tile
