/*
 * How the tiles of a selection are packed (bench/SELECTIONS.md). The tuning
 * profile has the limits between the ways of packing (lib/auto/profile.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

#include <cstdint>

namespace winnow::pack {

/* A block packs enough tiles of a column together to load at least 16 KiB. */
template <class U>
constexpr unsigned int COMPACT_TILES = sizeof(U) == 1 ? WINNOW__COMPACT_TILES_1
                                       : sizeof(U) == 2
                                           ? WINNOW__COMPACT_TILES_2
                                       : sizeof(U) == 4
                                           ? WINNOW__COMPACT_TILES_4
                                           : WINNOW__COMPACT_TILES_8;

/* Blocks on a multiprocessor. More hide more latency; with these, registers
 * nearly suffice. */
template <class U>
constexpr unsigned int PACK_BLOCKS = sizeof(U) == 8 ? 4 : 6;

/* The next slice is prefetched if the batch keeps a quarter or more. Then
 * elements of 2 and 4 bytes are packed 5 to 8% faster, those of 8 in the same
 * time within 2%. At a tenth they would take 5% longer. Elements of one byte
 * would always take 2 to 6% longer. */
constexpr unsigned int DENSE_FROM = 4;
template <class U>
constexpr bool PREFETCHES = sizeof(U) > 1;

/* Vectors of rows that a thread has in flight. */
constexpr unsigned int ROW_BATCH = 4;

} // namespace winnow::pack
