/*
 * Numbers that the kernels of partition_by_key and the host share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* The most columns of a call, digits of a pass, and segments of a later one. */
#define WINNOW__PARTITION_COLUMNS 16
#define WINNOW__PARTITION_DIGITS 256u
#define WINNOW__PARTITION_SEGMENTS WINNOW__PARTITION_DIGITS

/* The threads of a block that counts, of one that counts all parts, and of the
 * scan; the digits, and the parts, that a block sums up; and the blocks on a
 * multiprocessor that count all parts, at most. */
#define WINNOW__PARTITION_COUNT_THREADS 512u
#define WINNOW__PARTITION_PARTS_THREADS 1024u
#define WINNOW__PARTITION_SCAN_THREADS 1024u
#define WINNOW__PARTITION_SCAN_DIGITS 32u
#define WINNOW__PARTITION_SUMMED_PARTS 4096u
#define WINNOW__PARTITION_PARTS_BLOCKS 2u

/* Of blocks that scatter: the threads, the bytes of keys that each has in a
 * tile, and the blocks on a multiprocessor. */
#define WINNOW__PARTITION_TILE_THREADS 384u
#define WINNOW__PARTITION_TILE_BYTES 96u
#define WINNOW__PARTITION_TILE_BLOCKS 2u

/* In any order: the counters of a block, and the least bits of a digit. With
 * fewer bits the kernels that keep the order are faster. */
#define WINNOW__PARTITION_BINS 1024u
#define WINNOW__PARTITION_ANY_BITS 4u

/* Items of a digit that fill a sector of 32 bytes of keys, or of columns of 4
 * bytes, where blocks have room enough. */
#define WINNOW__PARTITION_SECTOR(KEY_BYTES, COLUMNS)                           \
    ((COLUMNS) ? 8u : 32u / (unsigned)(KEY_BYTES))

/* The elements of each column that a block holds for the next
 * tile: of each digit those that fill no sector, and room up to a vector. */
#define WINNOW__PARTITION_SLOTS(DIGITS)                                        \
    (((WINNOW__PARTITION_SECTOR(4, 1) - 1) * (DIGITS) + 15) / 16 * 16)

/* The most parts whose items a scatter by an estimate counts. */
#define WINNOW__PARTITION_COUNTED_PARTS 8192u

/* The threads of a block that moves what is displaced. */
#define WINNOW__PARTITION_REPAIR_THREADS 512u

/*
 * In one launch: the threads of a block, which have 2, 4, 8 or 16 items; and the most
 * parts. Up to 256 parts the last shape is for parts that begin at multiples alone.
 *
 * In a graph of 20 calls, 256 parts, 4 bytes an item, an H200 took, in microseconds:
 *
 *     items of a thread |   2     4     8    16
 *     2^12 items        | 4.59  5.35
 *     2^14              | 6.82  5.90
 *     2^15              |       6.98  7.81
 *     2^16              |       8.99  8.71
 *     2^17              |            10.97 12.42
 *     2^18              |            16.40 14.61
 *     2^19              |                  22.26
 *
 * Several launches, one call a graph, which takes about 2 more: 17.7 of 2^18 items,
 * 18.2 of 2^19. Of 1024 parts 36.2 and 37.1; one launch 16.0 and 23.3 as above.
 */
#define WINNOW__PARTITION_SMALL_THREADS 256u
#define WINNOW__PARTITION_SMALL_SHAPES 4u
#define WINNOW__PARTITION_SMALL_ITEMS                                          \
    { 1u << 13, 1u << 15, 1u << 17, 1u << 18 }
#define WINNOW__PARTITION_SMALL_PARTS (4 * WINNOW__PARTITION_SMALL_THREADS)
