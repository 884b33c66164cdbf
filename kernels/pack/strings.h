/*
 * Packing strings: what the host says to the kernels. Plain C, included by both
 * sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

/*
 * A unit is what a block takes of a selection: up to WINNOW__BATCH_TILES tiles.
 * A unit with more bytes of output than this for each of its tiles is long: it
 * is copied in parts by strings_parts.cu. Others are copied as a whole, by
 * strings.cu. Both numbers are estimates, by the bytes that a block has under
 * way.
 */
#define WINNOW__LONG_BYTES (128u << 10)
#define WINNOW__STRING_PART (32u << 10)
/* Parts of a call, about, at most: those of larger outputs are larger. */
#define WINNOW__MOST_STRING_PARTS (1u << 20)
/* The words that a piece of 16 bytes is in, and the one behind them. */
#define WINNOW__STRING_REACH 24
/* A unit and its part are a number. */
#define WINNOW__LOG2_PARTS 34

typedef struct winnow__strings_args {
    winnow__selection from;
    const void *offsets;
    uint64_t size; /* an offset above it counts as that */
    /* The strings' bytes in aligned words of 4, of which the first is the first
     * one that is theirs alone; bytes before it; from each byte of these words
     * that is below `open` on, WINNOW__STRING_REACH bytes are theirs. */
    const void *words;
    unsigned head;
    uint64_t open;
    void *out_offsets;   /* of strings that are packed, and one more */
    void *out;           /* NULL: offsets alone are written */
    uint64_t capacity;   /* strings */
    uint64_t room;       /* bytes; an offset above it is written as that */
    unsigned int tiles;  /* of a unit */
    uint64_t long_bytes; /* a unit with more is long: four parts and more */
    uint64_t part_bytes;
    unsigned long long *counts; /* NULL, or of strings and of bytes */
    /* Bytes of the survivors of each tile; whole vectors. Those before each,
     * and the total. */
    unsigned long long *sums, *before;
    /* The parts of long units, in any order, and their number: each is the
     * number of a unit, and of the part in it. */
    unsigned long long *parts, *part_number;
    uint64_t tiles_per_block; /* of the scan: a multiple of its threads */
} winnow__strings_args;
