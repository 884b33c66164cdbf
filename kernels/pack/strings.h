/*
 * Packing strings: the interface of host and kernels. Plain C, for both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "args.h"

/*
 * A unit is the tiles of a selection that a block takes, up to
 * WINNOW__BATCH_TILES. It is long if its output has more bytes than this for
 * each of its tiles. strings_parts.cu copies long units in parts; strings.cu
 * copies others as a whole. bench/SELECTIONS.md has the measurements.
 */
#define WINNOW__LONG_BYTES (128u << 10)
#define WINNOW__STRING_PART (32u << 10)
/* About the most parts of a call: parts of larger outputs are larger. */
#define WINNOW__MOST_STRING_PARTS (1u << 20)
/* The words that contain a piece of 16 bytes, and the next one. */
#define WINNOW__STRING_REACH 24
/* A number has a unit in its upper bits, and one of its parts in these. */
#define WINNOW__LOG2_PARTS 34

typedef struct winnow__strings_args {
    winnow__selection from;
    const void *offsets;
    uint64_t size; /* larger offsets count as this */
    /* The strings' bytes, in words of 4 bytes: from the first word on that has
     * only bytes of the strings. `head`: bytes of strings before it. From each
     * byte below `open`, WINNOW__STRING_REACH bytes may be read. */
    const void *words;
    unsigned head;
    uint64_t open;
    void *out_offsets;   /* of the packed strings, and one more */
    void *out;           /* NULL: only offsets are written */
    uint64_t capacity;   /* strings */
    uint64_t room;       /* bytes; larger offsets are written as this */
    unsigned int tiles;  /* of a unit */
    uint64_t long_bytes; /* a unit with more is long: at least four parts */
    uint64_t part_bytes;
    unsigned long long *counts; /* NULL, or of strings and of bytes */
    /* The bytes of each tile's survivors, an array of whole vectors; the bytes
     * before each tile, and the total. */
    unsigned long long *sums, *before;
    /* The parts of long units (LOG2_PARTS), in any order; their number. */
    unsigned long long *parts, *part_number;
    uint64_t tiles_per_block; /* of the scan: a multiple of its threads */
} winnow__strings_args;
