/*
 * How the tiles of a selection are packed. None of this was measured yet: it
 * follows from what a block needs to have under way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_COMPACT_TUNING_CUH
#define WINNOW_KERNELS_COMPACT_TUNING_CUH

#include "selection.h"

#include <cstdint>

namespace winnow {

/*
 * A block packs TILES tiles of a column together, so that it has 16 KiB or more
 * to load. If fewer than 1 / SPARSE of its items survive, it lists them and
 * loads them one by one. If more than SKEW / 16 of a warp's vectors are kept
 * whole, the lanes stage them out of step (stage.cuh); 16: never.
 */
template <unsigned int TILES_, unsigned int SPARSE_, unsigned int SKEW_>
struct CompactTuningOf {
    static constexpr unsigned int TILES = TILES_, SPARSE = SPARSE_,
                                  SKEW = SKEW_;
};

template <class U>
struct CompactTuning;
template <>
struct CompactTuning<uint8_t>
    : CompactTuningOf<WINNOW__COMPACT_TILES_1, 16, 4> {};
template <>
struct CompactTuning<uint16_t>
    : CompactTuningOf<WINNOW__COMPACT_TILES_2, 16, 16> {};
template <>
struct CompactTuning<uint32_t>
    : CompactTuningOf<WINNOW__COMPACT_TILES_4, 16, 16> {};
template <>
struct CompactTuning<uint64_t>
    : CompactTuningOf<WINNOW__COMPACT_TILES_8, 16, 16> {};

/* Vectors of rows that a thread has under way. */
constexpr unsigned int ROW_BATCH = 4;

} // namespace winnow

#endif
