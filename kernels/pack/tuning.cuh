/*
 * How the tiles of a selection are packed (bench/SELECTIONS.md). By which
 * survivors a tile is packed in which way is in the tuning profile
 * (lib/auto/profile.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

#include <cstdint>

namespace winnow::pack {

/* A block packs enough tiles of a column together to have 16 KiB or more
 * to load. */
template <class U>
constexpr unsigned int COMPACT_TILES = sizeof(U) == 1 ? WINNOW__COMPACT_TILES_1
                                       : sizeof(U) == 2
                                           ? WINNOW__COMPACT_TILES_2
                                       : sizeof(U) == 4
                                           ? WINNOW__COMPACT_TILES_4
                                           : WINNOW__COMPACT_TILES_8;

/* Blocks of a multiprocessor. This number leaves each the registers that it
 * wants, or nearly: more blocks hide more of what each waits for. */
template <class U>
constexpr unsigned int PACK_BLOCKS = sizeof(U) == 8 ? 4 : 6;

/* Of a batch that keeps a quarter or more, the next slice is prefetched. From
 * there on elements of 2 and 4 bytes are packed 5 to 8% faster, those of 8 in
 * the same time within 2%; at a tenth they take 5% longer. Elements of one byte
 * would take 2 to 6% longer throughout. */
constexpr unsigned int DENSE_FROM = 4;
template <class U>
constexpr bool PREFETCHES = sizeof(U) > 1;

/* Vectors of rows that a thread has under way. */
constexpr unsigned int ROW_BATCH = 4;

} // namespace winnow::pack
