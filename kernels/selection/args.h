/*
 * The format of a selection. Plain C, included by host and device code.
 *
 * A selection is one block of memory, aligned to 16 bytes. Its items are cut
 * into tiles. It has three arrays, one behind the other:
 *
 *   keep    bit i % 32 of word i / 32 is set if item i is kept; whole tiles of
 *           words, zero behind the last item
 *   before  the number of survivors before each tile; at the end the total
 *   counts  the number of survivors of each tile
 *
 * A source writes keep and counts; scan.cu then makes `before`.
 * kernels/copy/tile_scan.cu, which knows its tiles' offsets, writes keep and
 * `before` (kernels/tile/sink_marked.cuh). Sinks read keep and `before`, so
 * that no block of a sink waits for another. The host backend uses the same
 * format.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"
#include "kernels/core/both.h"

#include <stdbool.h>

/* Items of a tile: their number fits in 16 bits, and that of four tiles,
 * too. */
#define WINNOW__SELECTION_TILE 4096
/* Words of a tile. */
#define WINNOW__SELECTION_WORDS (WINNOW__SELECTION_TILE / 32)

/* A mask of the 32 items from item `first` on that are below `items`. */
WINNOW__BOTH uint32_t winnow__bits_inside(unsigned int first,
                                          unsigned int items) {
    const unsigned int left = items > first ? items - first : 0;
    return left >= 32 ? UINT32_MAX : (UINT32_C(1) << left) - 1;
}

/* A selection of n items, in memory of the caller's. */
typedef struct winnow__selection {
    uint32_t *keep;             /* WINNOW__SELECTION_WORDS for each tile */
    unsigned long long *before; /* of each tile, and behind the last one */
    uint16_t *counts;           /* of each tile; room for whole vectors */
    uint64_t n;
    uint64_t tiles;
} winnow__selection;

/* Threads of a block of every kernel of selections but the scan. */
#define WINNOW__SELECTION_THREADS 256

/* ---- scan.cu */

/* Threads of a block, and the tiles that it takes at a time. */
#define WINNOW__SCAN_THREADS 1024
#define WINNOW__SCAN_STEP (2 * WINNOW__SCAN_THREADS)
/* The maximum number of blocks: each adds all counts before its own tiles. */
#define WINNOW__SCAN_BLOCKS 128

typedef struct winnow__scan_args {
    winnow__selection selection;
    uint64_t tiles_per_block; /* a multiple of WINNOW__SCAN_STEP */
} winnow__scan_args;

/* ---- sources: a warp makes a tile, except in kernels/select/field.cu */
#define WINNOW__SOURCE_TILES (WINNOW__SELECTION_THREADS / 32)
/* The most tiles that a source scans itself: of a cluster of portable size. */
#define WINNOW__FEW_BLOCKS 8
#define WINNOW__FEW_TILES (WINNOW__FEW_BLOCKS * WINNOW__SOURCE_TILES)

/* combine.cu: the values of winnow_combine, and one more. */
#define WINNOW__AND 0
#define WINNOW__OR 1
#define WINNOW__AND_NOT 2
#define WINNOW__XOR 3
#define WINNOW__NOT 4 /* only of a; b is NULL */

typedef struct winnow__combine_args {
    const uint32_t *a, *b; /* the words of selections of as many items */
    unsigned int operation;
    const unsigned long long *items; /* NULL, or the number of items */
    winnow__selection to;
} winnow__combine_args;

/* Elements or keys are rows of V, which has 1, 2, 4, 8 or 16 bytes. */
#define WINNOW__ROW_SIZES 5
