/*
 * The kernels of partition_by_key, and what the host hands to them: plain C,
 * included by both sides.
 *
 * A pass partitions by one digit. The input is cut into chunks, one for a
 * block. First each block counts the digits of its chunk, into a row of a
 * table. A scan over the rows gives, for each chunk and each digit, how many
 * items of the digit come before the chunk. Then each block scatters its chunk.
 * The keys are read twice, since no offset is known before all of them are
 * counted; with a row for each chunk, blocks need no exchange while they
 * scatter, and the order is stable.
 *
 * Digits of 6 to 8 bits have few items in a tile. For these there are other
 * kernels, with larger tiles, which write whole sectors of memory; in any order
 * for those of 4 and 5 bits, too, and by an estimate for all.
 *
 * In any order a large input is not counted first: a sample of the keys says
 * about where each digit begins, and blocks reserve room in these regions of
 * the output as they scatter. They take one tile after the other, since some
 * multiprocessors are faster. Then all counts are known, and what lies outside
 * of its digit's final place is moved there (estimate.cuh). If the
 * estimate was bad, the digits are counted after all. Of two passes the first
 * one goes that way.
 *
 * Up to 256 parts the digit is the part. Beyond it takes two passes. The second
 * one cuts its chunks at the first one's digits, its segments. If both passes
 * count, the lower digit comes first: so the table of the second one says where
 * each part begins.
 *
 * In any order, unless the input is too large, the second pass needs no table.
 * The items of all parts are counted before both (count_parts.cu), or
 * by what reads the keys in the first pass: a scatter by an estimate, if a
 * block has shared memory for that, or, where keys may be dropped, the count of
 * digits. Then blocks reserve room in the parts' final places
 * (exact.cuh). Where both passes do, the upper digit comes first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_PARTITION_ARGS_H
#define WINNOW_KERNELS_PARTITION_ARGS_H

#include "kernels/core/args.h"

/* The most columns of a call, and parts. */
#define WINNOW__PARTITION_COLUMNS 16
#define WINNOW__MOST_PARTS 65536u

/* There are kernels that scatter for digits of up to 1, 2, 4, 5, 6 and 8
 * bits. */
#define WINNOW__PARTITION_CLASSES 6
#define WINNOW__PARTITION_DIGITS 256u

/* Columns are staged in elements of this width or narrower; those of 16 bytes
 * in two parts. */
#define WINNOW__PARTITION_WIDTH 8u

/* The threads of a block that counts, of one that scatters, and of the scan;
 * and the digits that a block of the scan sums up. */
#define WINNOW__PARTITION_COUNT_THREADS 512u
#define WINNOW__PARTITION_THREADS 256u
#define WINNOW__PARTITION_SCAN_THREADS 1024u
#define WINNOW__PARTITION_SCAN_DIGITS 32u

/* The threads of a block that counts all parts before the first pass, and the
 * blocks on a multiprocessor, at most. */
#define WINNOW__PARTITION_PARTS_THREADS 1024u
#define WINNOW__PARTITION_PARTS_BLOCKS 2u

/* The parts that a block sums up then. */
#define WINNOW__PARTITION_SUMMED_PARTS 4096u

/* Digits of more bits than this are scattered by tiles. The threads of a block,
 * and the bytes of keys that each has in a tile. The blocks on a
 * multiprocessor, which take one chunk after the other. */
#define WINNOW__PARTITION_CHUNK_BITS 5u
#define WINNOW__PARTITION_TILE_THREADS 384u
#define WINNOW__PARTITION_TILE_BYTES 96u
#define WINNOW__PARTITION_TILE_BLOCKS 2u

/* In any order: the counters of a block, and the least bits of a digit. With
 * fewer bits the kernels that keep the order are faster. */
#define WINNOW__PARTITION_BINS 1024u
#define WINNOW__PARTITION_ANY_BITS 4u

/* Elements of a column that a block holds for the next tile, at most: 7 of each
 * digit. */
#define WINNOW__PARTITION_COLUMN_SLOTS (7u * WINNOW__PARTITION_DIGITS)

/*
 * Blocks that scatter on a multiprocessor at a time. Each has a chunk. Those
 * with more to do, columns or keys that are dropped, take more registers, where
 * threads have the more items.
 */
#define WINNOW__PARTITION_BLOCKS(KEY_BYTES, MORE)                              \
    ((KEY_BYTES) == 4 && (MORE) ? 3u : 4u)

/* Items of a digit that fill a sector of 32 bytes of keys, or of columns of 4
 * bytes, where blocks have room enough. */
#define WINNOW__PARTITION_GROUP(KEY_BYTES, COLUMNS)                            \
    ((COLUMNS) ? 8u : 32u / (unsigned)(KEY_BYTES))

/* The first pass counts the items of so many parts, at most. */
#define WINNOW__PARTITION_COUNTED_PARTS 8192u

/* The threads of a block that moves what is displaced. */
#define WINNOW__PARTITION_REPAIR_THREADS 512u

/* Segments of the second pass, at most. */
#define WINNOW__PARTITION_SEGMENTS 256u

typedef struct winnow__partition_move {
    const void *in;
    void *out;
    void *spare;    /* with an estimate: spare rows */
    uint64_t bytes; /* of an element: 1, 2, 4, 8 or 16 */
} winnow__partition_move;

/*
 * What blocks exchange where digits begin by an estimate
 * (estimate.cuh explains the terms). All zero before the first
 * kernel.
 */
typedef struct winnow__partition_exchange {
    uint32_t sampled[2][WINNOW__PARTITION_DIGITS]; /* in halves of the sample */
    uint32_t reserved[WINNOW__PARTITION_DIGITS];   /* groups of each digit */
    uint32_t left_over[WINNOW__PARTITION_DIGITS];  /* items in no group */
    uint32_t
        restored[WINNOW__PARTITION_DIGITS]; /* items that had no place before */
    uint32_t all_overflow;                  /* groups, of all digits */
    uint32_t all_left_over;                 /* items */
    uint32_t sampling_blocks, scattering_blocks; /* that are done */
    uint32_t usable;    /* 1: the regions can be used */
    uint32_t settled;   /* 1: the offsets are right, and spare rows suffice */
    uint32_t next_tile; /* see winnow__partition_args */
    uint32_t unused;    /* pads to 16 bytes for winnow__clear() */
} winnow__partition_exchange;

/* And what kernels leave to the next ones. */
typedef struct winnow__partition_estimate {
    winnow__partition_exchange exchange;
    /* Where the region of each digit begins, in groups, and the last one ends.
     */
    uint32_t regions[WINNOW__PARTITION_DIGITS + 4];
    /* Of each digit, in items: those in its region, those that stay, and those
     * that are displaced. */
    struct {
        uint64_t placed; /* where they begin */
        uint64_t final;  /* where its final place begins */
        uint64_t kept_end;
        uint64_t displaced; /* of the digits before */
        uint64_t ahead;     /* displaced before those kept */
        uint64_t room;      /* free places before those kept */
    } repair[WINNOW__PARTITION_DIGITS];
    uint64_t all_displaced;
} winnow__partition_estimate;

/*
 * The part of a key is key >> shift & mask, if that is below `parts`. Its digit
 * is key >> digit_shift & digit_mask.
 */
typedef struct winnow__partition_args {
    const void *keys; /* n of them, or as many as lie in the segments */
    uint64_t n;
    uint64_t mask;
    uint32_t shift;
    uint32_t parts;
    uint32_t drops; /* may a key have no part? */
    uint32_t digit_shift;
    uint32_t digit_mask;
    uint32_t digits;      /* that occur, */
    uint32_t row;         /* and as many as the table has columns */
    uint32_t chunks;      /* with segments: the most */
    uint32_t few_chunks;  /* the most where all segments are about as long */
    uint32_t blocks;      /* that scatter at a time */
    uint32_t tile_items;  /* that a block scatters at a time */
    uint32_t spread;      /* log2 of a digit's counters in a block */
    uint64_t chunk_items; /* a multiple of it; of no use with segments */
    /* NULL, or how many tiles blocks have taken but the first one of each:
     * then a chunk is what a block takes. */
    uint32_t *next_tile;
    /* NULL: the chunks go on across the whole input. Else the offsets of the
     * pass before, segments + 1, and the first chunk of each segment; then the
     * number of chunks, and the tiles of a chunk. */
    const unsigned long long *segment_offsets;
    uint32_t *first_chunk;
    uint32_t segments;
    unsigned long long *table; /* a row for each chunk */
    /* Of the digits: a row. */
    unsigned long long *totals;
    unsigned long long *offsets;      /* result: digits + 1 */
    unsigned long long *part_offsets; /* result of two passes: parts + 1 */
    unsigned long long *part_counts;  /* result where it is wanted: parts */
    void *keys_out;                   /* NULL: not wanted */
    /* NULL: the digits are counted first. Else spare rows: for items left over,
     * then for those of groups that overflow and for displaced ones. */
    winnow__partition_estimate *estimate;
    /* NULL, or for each part: its items; groups that blocks reserve, and items
     * that fill none; and where it begins: parts + 1. In the first pass, where
     * all parts are counted before it, the parts are its digits. */
    unsigned long long *part_items;
    uint32_t *part_groups, *part_rest;
    unsigned long long *part_begins;
    uint32_t part_table; /* offset of a block's counts in its dynamic shared
                            memory, in bytes */
    uint32_t slice;      /* parts that a block counts, where that comes first */
    /* The part of a digit in a segment is the sum of both times these. */
    uint32_t parts_of_digit, parts_of_segment;
    void *spare_keys;
    uint32_t sampled_one_in; /* of so many keys: a power of two */
    uint32_t spare_left_over;
    uint32_t group;     /* items of a group */
    uint32_t key_bytes; /* of a key */
    uint64_t spare_items;
    uint32_t moves;
    winnow__partition_move move[WINNOW__PARTITION_COLUMNS];
} winnow__partition_args;

#ifdef __cplusplus
extern "C" {
#endif

/* By the size of keys, 4 or 8 bytes. */
extern const winnow__kernel winnow__partition_count[2];
extern const winnow__kernel winnow__partition_scan;
/* By the size of keys, whether a key may be dropped, the class of digits, and
 * whether there are columns: then there is more shared memory than is stated
 * here, to stage one, or to hold elements of all where tiles are scattered. */
extern const winnow__kernel
    winnow__partition_scatter[2][2][WINNOW__PARTITION_CLASSES][2];
/* By tiles in any order, for digits of 4 to 8 bits. */
extern const winnow__kernel winnow__partition_scatter_any[2][2][2];
/* By an estimate, for digits of up to 8 bits, none of which is dropped: by the
 * size of keys, and whether there are columns. */
extern const winnow__kernel winnow__partition_scatter_estimated[2][2];
/* Where all parts are counted before the first pass: by the size of keys; and
 * what sums them up. */
extern const winnow__kernel winnow__partition_count_parts[2];
extern const winnow__kernel winnow__partition_sum_parts;
/* A pass where the items of all parts are known. */
extern const winnow__kernel winnow__partition_scatter_exact[2][2];
/* What comes before, and after: by the size of keys. */
extern const winnow__kernel winnow__partition_sample[2];
extern const winnow__kernel winnow__partition_collect;
extern const winnow__kernel winnow__partition_restore[2];
/* One block each: cuts the segments into chunks; writes part_offsets. */
extern const winnow__kernel winnow__partition_cut;
extern const winnow__kernel winnow__partition_offsets;
/* A thread for each part: from part_offsets to part_counts. */
extern const winnow__kernel winnow__partition_counts;

#ifdef __cplusplus
}
#endif

#endif
