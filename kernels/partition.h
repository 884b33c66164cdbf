/*
 * The kernels of partition_by_key, and what the host hands to them: plain C,
 * included by both sides.
 *
 * A pass partitions by one digit. The input is cut into chunks, one for a
 * block. First each block counts the digits of its chunk, into a row of a
 * table. A scan over the rows gives, for each chunk and each digit, how many
 * items of the digit come before the chunk. Then each block scatters its chunk.
 * The keys are read twice in any case, since no offset is known before all of
 * them are counted; with a row for each chunk, blocks need no exchange while
 * they scatter, and the order is stable.
 *
 * Up to a number of parts the digit is the part. Beyond it takes two passes,
 * the lower digit first. The second one cuts its chunks at the first one's
 * digits, its segments: so the table says where each part begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_H
#define WINNOW_KERNELS_PARTITION_H

#include "args.h"

/* The most columns of a call, and parts. */
#define WINNOW__PARTITION_COLUMNS 16
#define WINNOW__MOST_PARTS 65536u

/* Bits of a digit: there are kernels for up to 4, 8 and 10 of them. */
#define WINNOW__PARTITION_CLASSES 3
#define WINNOW__PARTITION_MOST_DIGITS 1024u

/* Columns that are copied as 4 bytes and narrower are staged together; what is
 * wider than this is staged in parts. */
#define WINNOW__PARTITION_WIDTH 8u

/* The threads of a block, and the digits that a block of the scan sums up. */
#define WINNOW__PARTITION_THREADS 512u
#define WINNOW__PARTITION_SCAN_THREADS 1024u
#define WINNOW__PARTITION_SCAN_DIGITS 32u

typedef struct winnow__partition_move {
    const void *in;
    void *out;
    uint64_t bytes; /* of an element: 1, 2, 4, 8 or 16 */
} winnow__partition_move;

/*
 * The part of a key is key >> shift & mask, if that is below `parts`. The digit
 * of a part is part >> digit_shift & digit_mask.
 */
typedef struct winnow__partition_args {
    const void *keys; /* n of them, or as many as lie in the segments */
    uint64_t n;
    uint64_t mask;
    uint32_t shift;
    uint32_t parts;
    uint32_t digit_shift;
    uint32_t digit_mask;
    uint32_t digits;      /* that occur: the table has more columns */
    uint32_t chunks;      /* with segments: the most */
    uint64_t chunk_items; /* a multiple of a tile's */
    /* NULL: the chunks go on across the whole input. Else the offsets of the
     * pass before, segments + 1, and the first chunk of each segment; the last
     * entry is the number of chunks. */
    const unsigned long long *segment_offsets;
    uint32_t *first_chunk;
    uint32_t segments;
    uint32_t buffer_bytes;            /* of shared memory, to stage a column */
    unsigned long long *table;        /* a row for each chunk */
    unsigned long long *totals;       /* of the digits: a row */
    unsigned long long *offsets;      /* result: digits + 1 */
    unsigned long long *part_offsets; /* result of two passes: parts + 1 */
    unsigned long long *part_counts;  /* result where it is wanted: parts */
    void *keys_out;                   /* NULL: not wanted */
    uint32_t moves;
    winnow__partition_move move[WINNOW__PARTITION_COLUMNS];
} winnow__partition_args;

#ifdef __cplusplus
extern "C" {
#endif

/* By the size of keys, 4 or 8 bytes, and the class of digits. The kernel that
 * scatters has what it needs of shared memory beside the buffer, and the bytes
 * of keys in a tile. */
extern const winnow__kernel winnow__partition_count[2]
                                                   [WINNOW__PARTITION_CLASSES];
extern const winnow__kernel winnow__partition_scan[WINNOW__PARTITION_CLASSES];
extern const winnow__kernel
    winnow__partition_scatter[2][WINNOW__PARTITION_CLASSES];
/* The same with columns. */
extern const unsigned int
    winnow__partition_columns_bytes[2][WINNOW__PARTITION_CLASSES];
/* One block each: cuts the segments into chunks; writes part_offsets. */
extern const winnow__kernel winnow__partition_cut;
extern const winnow__kernel winnow__partition_offsets;
/* A thread for each part: from part_offsets to part_counts. */
extern const winnow__kernel winnow__partition_counts;

#ifdef __cplusplus
}
#endif

#endif
