/*
 * The kernels of partition_by_key, and their arguments. Plain C, included by
 * host and device code.
 *
 * A pass partitions by one digit. The input is cut into chunks, one for a
 * block. First each block counts the digits of its chunk, into a line of a
 * table. A scan over the lines gives, for each chunk and each digit, how many
 * items of the digit come before the chunk. Then each block scatters its chunk.
 * The keys are read twice, since no offset is known before all of them are
 * counted; with a line for each chunk, blocks need no exchange while they
 * scatter, and the order is stable.
 *
 * With up to 256 parts the digit is the part. More parts take two passes. The
 * chunks of the second pass end at the digits of the first pass, which are its
 * segments. If both passes count, the lower digit comes first: so the second
 * table gives the beginning of each part. If a block has little shared memory,
 * digits have 5 bits, and there are up to four such passes. Before more than
 * two passes the items of all parts are counted (count_parts.cu).
 *
 * In any order, unless the input is too large, two passes need no table: the
 * items of all parts are counted before both, and blocks reserve room in the
 * parts' final places (exact.cuh). The upper digit comes first then.
 *
 * In any order, the digits of a large input are estimated before the first
 * pass, not counted (estimate/). If the estimate is bad, they are counted after
 * all.
 *
 * If parts begin at multiples, the numbers of the items are partitioned, and
 * blocks.cu gathers the elements by these numbers.
 *
 * A small input takes none of these passes: small.cu needs only one launch.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "estimate/estimate.h"
#include "kernels/core/args.h"
#include "limits.h"

/*
 * The part of a key is key >> shift & mask, if that is below `parts`. Its digit
 * is key >> digit_shift & digit_mask.
 */
typedef struct winnow__partition_field {
    uint64_t mask;
    uint32_t shift;
    uint32_t parts;
    uint32_t drops; /* may a key have no part? */
    uint32_t digit_shift;
    uint32_t digit_mask;
    uint32_t digits; /* 2^k: the columns of a table */
} winnow__partition_field;

/* How the input is cut. */
typedef struct winnow__partition_chunks {
    uint64_t n; /* keys, at most; of no use with segments */
    const unsigned long long *items; /* NULL, or the number of keys, up to n */
    uint64_t chunk_items;            /* whole tiles; of no use with segments */
    uint32_t tile_items;             /* that a block scatters at a time */
    uint32_t number; /* of chunks; with segments: an upper bound */
    /* NULL, or a counter of the tiles that blocks have taken, except each
     * block's first tile. Then a chunk is the tiles that one block takes. */
    uint32_t *next_tile;
    /* 0: the whole input is cut into chunks. Else segment_offsets has the
     * offsets of the previous pass's digits (segments + 1). first_chunk has
     * each segment's first chunk, the number of chunks, and a chunk's tiles. */
    uint32_t segments;
    const unsigned long long *segment_offsets;
    uint32_t *first_chunk;
} winnow__partition_chunks;

/* The arguments of kernels that count digits, or sum counts. */
typedef struct winnow__partition_count_args {
    const void *keys;
    winnow__partition_field field;
    winnow__partition_chunks chunks;
    uint32_t few_chunks; /* the most, if segments have about equal lengths */
    uint32_t blocks;     /* that scatter at the same time */
    unsigned long long *table;   /* a line for each chunk */
    unsigned long long *totals;  /* of the digits */
    unsigned long long *offsets; /* of the digits: digits + 1 */
    uint32_t present;            /* digits that can occur */
    /* NULL, or the counts of items of all parts, zero at first. */
    unsigned long long *part_items;
    uint32_t slice;                   /* parts that a block counts */
    uint32_t parts_of_digit;          /* adjacent parts of an upper digit */
    unsigned long long *part_offsets; /* result: parts + 1 */
    /* NULL, or the state of an estimate. */
    const winnow__partition_exchange *estimated;
} winnow__partition_count_args;

typedef struct winnow__partition_move {
    const void *in;
    void *out;
    void *spare;    /* with an estimate: room for displaced elements */
    uint64_t bytes; /* of an element: 1, 2, 4, 8 or 16 */
} winnow__partition_move;

/* The arguments of kernels that scatter, and of those of an estimate. */
typedef struct winnow__partition_scatter_args {
    const void *keys;
    void *keys_out; /* NULL: not wanted */
    winnow__partition_field field;
    winnow__partition_chunks chunks;
    uint32_t spread; /* in any order: log2 of a digit's counters in a block */
    /* If each chunk has its own places (own.cuh): the sums of the counts. */
    const unsigned long long *table, *totals;
    unsigned long long *offsets; /* result: present + 1 */
    uint32_t present;            /* digits that can occur */
    /* If blocks reserve exact places (exact.cuh), each digit of a segment has a
     * region. Where the regions begin (regions + 1); the sectors of each that
     * blocks have taken, and the items that fill no sector. */
    const unsigned long long *region_begins;
    uint32_t *region_sectors, *region_rest;
    uint32_t regions; /* regions behind these have no part */
    winnow__partition_estimate_args estimate; /* estimate/ */
    uint32_t moves;
    winnow__partition_move move[WINNOW__PARTITION_COLUMNS];
} winnow__partition_scatter_args;

/* An array of a call whose parts begin at multiples. */
typedef struct winnow__partition_target {
    const void *in; /* NULL: the items' numbers */
    void *out;
    uint32_t bytes;   /* of an element: 1, 2, 4, 8 or 16 */
    uint32_t fills;   /* are the places behind a part written? */
    uint64_t fill[2]; /* with such an element */
} winnow__partition_target;

/* Where a call whose parts begin at multiples writes. */
typedef struct winnow__partition_outputs {
    unsigned long long *offsets; /* parts + 1 */
    unsigned long long *counts;  /* NULL, or the items of each part */
    uint32_t *block_parts;       /* NULL, or the part of each block */
    uint32_t log_align;          /* log2 of what offsets are multiples of */
    uint32_t moves;
    winnow__partition_target move[WINNOW__PARTITION_COLUMNS + 1];
} winnow__partition_outputs;

/* The arguments of the kernels of blocks.cu. */
typedef struct winnow__partition_blocks_args {
    uint64_t n;
    uint32_t wide; /* numbers of items have 8 bytes, not 4 */
    uint32_t parts;
    void *numbers;       /* result of the first kernel: 0 to n - 1 */
    const void *ordered; /* the same, partitioned */
    const unsigned long long *begins; /* of the parts in `ordered`: parts + 1 */
    winnow__partition_outputs to;
} winnow__partition_blocks_args;

/* The arguments of small.cu. */
typedef struct winnow__partition_small_args {
    const void *keys;
    uint64_t n;
    const unsigned long long *items; /* as in winnow__partition_chunks */
    winnow__partition_field field;
    winnow__cursor *cursor;
    uint32_t *table;     /* the items of each part in each block's piece */
    uint32_t spin_limit; /* polls before a block counts all keys itself */
    winnow__partition_outputs to;
} winnow__partition_small_args;

/*
 * The kernels that scatter: ROW(NAME, BITS, ORDER, DROPS, PLACES) for digits of
 * up to BITS bits. DROPS: keys may have no part. Each exists for keys of 4 and
 * 8 bytes, without columns and with them. With columns it takes more shared
 * memory than stated: PARTITION_SLOTS elements of each column of the launch.
 */
#define WINNOW__PARTITION_SCATTERS(ROW)                                        \
    ROW(lanes_1, 1, IN_ORDER, false, OWN)                                      \
    ROW(lanes_2, 2, IN_ORDER, false, OWN)                                      \
    ROW(lanes_4, 4, IN_ORDER, false, OWN)                                      \
    ROW(lanes_5, 5, IN_ORDER, false, OWN)                                      \
    ROW(warps_6, 6, IN_ORDER, false, OWN)                                      \
    ROW(warps_8, 8, IN_ORDER, false, OWN)                                      \
    ROW(lanes_5_drops, 5, IN_ORDER, true, OWN)                                 \
    ROW(warps_8_drops, 8, IN_ORDER, true, OWN)                                 \
    ROW(block_8, 8, ANY_ORDER, false, OWN)                                     \
    ROW(block_8_drops, 8, ANY_ORDER, true, OWN)                                \
    ROW(exact_8, 8, ANY_ORDER, false, EXACT)                                   \
    ROW(exact_8_drops, 8, ANY_ORDER, true, EXACT)                              \
    ROW(estimated_8, 8, ANY_ORDER, false, ESTIMATED)

#ifdef __cplusplus
extern "C" {
#endif

/* By the size of keys, 4 or 8 bytes, and whether there are columns. */
#define WINNOW__PARTITION_DECLARE(NAME, BITS, ORDER, DROPS, PLACES)            \
    extern const winnow__kernel winnow__partition_##NAME[2][2];
WINNOW__PARTITION_SCATTERS(WINNOW__PARTITION_DECLARE)
#undef WINNOW__PARTITION_DECLARE

/* ---- count.cu, by the size of keys, and its scan over the lines. */
extern const winnow__kernel winnow__partition_count[2];
extern const winnow__kernel winnow__partition_scan;
/* One block: cuts the segments into chunks. */
extern const winnow__kernel winnow__partition_cut;
/* A thread for each part, and one more. From the table of the second of two
 * passes it computes part_offsets. */
extern const winnow__kernel winnow__partition_offsets;

/* ---- count_parts.cu, by the size of keys; where parts and digits begin. */
extern const winnow__kernel winnow__partition_count_parts[2];
extern const winnow__kernel winnow__partition_sum_parts;

/* ---- small.cu, by the size of keys and the items of a thread. */
extern const winnow__kernel
    winnow__partition_small[2][WINNOW__PARTITION_SMALL_SHAPES];

/* ---- blocks.cu. number writes 0 to n - 1; pad, one block, moves the parts'
 * beginnings up to multiples; gather writes the outputs. */
extern const winnow__kernel winnow__partition_number;
extern const winnow__kernel winnow__partition_pad;
extern const winnow__kernel winnow__partition_gather;

#ifdef __cplusplus
}
#endif
