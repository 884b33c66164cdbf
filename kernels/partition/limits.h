/*
 * Constants that the kernels of partition_by_key and the host share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/* Limits: columns of a call, digits of a pass, segments of a later pass. */
#define WINNOW__PARTITION_COLUMNS 16
#define WINNOW__PARTITION_DIGITS 256u
#define WINNOW__PARTITION_SEGMENTS WINNOW__PARTITION_DIGITS

/* Threads of a block that counts digits, of one that counts parts, and of the
 * scan; digits, and parts, that a block of the scan sums; at most this number
 * of blocks on a multiprocessor count parts. */
#define WINNOW__PARTITION_COUNT_THREADS 512u
#define WINNOW__PARTITION_PARTS_THREADS 1024u
#define WINNOW__PARTITION_SCAN_THREADS 1024u
#define WINNOW__PARTITION_SCAN_DIGITS 32u
#define WINNOW__PARTITION_SUMMED_PARTS 4096u
#define WINNOW__PARTITION_PARTS_BLOCKS 2u

/* A scatter's threads in a block, a thread's bytes of keys in a tile, and
 * blocks on a multiprocessor. */
#define WINNOW__PARTITION_TILE_THREADS 384u
#define WINNOW__PARTITION_TILE_BYTES 96u
#define WINNOW__PARTITION_TILE_BLOCKS 2u

/* In any order: the counters of a block, and the fewest bits of a digit. With
 * fewer bits the kernels that keep the order are faster. */
#define WINNOW__PARTITION_BINS 1024u
#define WINNOW__PARTITION_ANY_BITS 4u

/* Items in a sector: 32 bytes of keys or, with columns, of 4-byte elements. */
#define WINNOW__PARTITION_SECTOR(KEY_BYTES, COLUMNS)                           \
    ((COLUMNS) ? 8u : 32u / (unsigned)(KEY_BYTES))

/* Elements of each column that a block holds for the next tile: those of each
 * digit that fill no sector, rounded up to a vector. */
#define WINNOW__PARTITION_SLOTS(DIGITS)                                        \
    (((WINNOW__PARTITION_SECTOR(4, 1) - 1) * (DIGITS) + 15) / 16 * 16)

/* The most parts for which a scatter by an estimate counts items. */
#define WINNOW__PARTITION_COUNTED_PARTS 8192u

/* Threads of a block that moves displaced items. */
#define WINNOW__PARTITION_REPAIR_THREADS 512u

/*
 * One launch: threads of a block; the most items for threads with 2, 4, 8 or 16
 * items; the most parts. Up to 256 parts the last shape is only for aligned
 * parts.
 *
 * Microseconds on an H200, 20 calls in a graph, 256 parts, 4 bytes an item:
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
 * Several launches took 17.7 for 2^18 items and 18.2 for 2^19, with one call in
 * a graph, which adds about 2. With 1024 parts they took 36.2 and 37.1; one
 * launch took 16.0 and 23.3, with 20 calls.
 */
#define WINNOW__PARTITION_SMALL_THREADS 256u
#define WINNOW__PARTITION_SMALL_SHAPES 4u
#define WINNOW__PARTITION_SMALL_ITEMS                                          \
    { 1u << 13, 1u << 15, 1u << 17, 1u << 18 }
#define WINNOW__PARTITION_SMALL_PARTS (4 * WINNOW__PARTITION_SMALL_THREADS)
