/*
 * The arguments of kernels that use selections. Plain C, for host and device.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

/* index.cu: blocks take tiles as those of compact.cu do. */
typedef struct winnow__compact_index_args {
    winnow__selection from;
    unsigned int tiles; /* of a block */
    void *out;
    uint64_t capacity;
    unsigned long long *count;          /* NULL: not asked for */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
} winnow__compact_index_args;

/*
 * An element as a row of V. V has 1, 2, 4, 8 or 16 bytes; a tile has fewer than
 * 2^24 of them. reciprocal is 2^36 / width, rounded down, and 1: with it a
 * multiplication divides such a number by the width, and is exact.
 */
#define WINNOW__MOST_ROW_BYTES 4096
typedef struct winnow__row_shape {
    uint64_t reciprocal;
    unsigned int width; /* V of an element */
} winnow__row_shape;

/* compact.cu, split.cu: the most tiles of a column that a block has. It has
 * fewer if there are not enough tiles for all multiprocessors. */
#define WINNOW__BATCH_TILES 8
/* It stages this number at a time, by the size of elements. */
#define WINNOW__COMPACT_TILES_1 4
#define WINNOW__COMPACT_TILES_2 2
#define WINNOW__COMPACT_TILES_4 1
#define WINNOW__COMPACT_TILES_8 1

/* How what is staged together of a column is packed by the number of its
 * survivors. winnow_tuning(5) has them as fractions. */
#define WINNOW__LEAST_PER_GATHERED 2 /* items for each that is gathered */
typedef struct winnow__pack_limits {
    unsigned int gather_below; /* survivors: they are loaded one by one */
    unsigned int
        skewed_above; /* whole vectors of a warp: see kernels/tile/stage.cuh */
} winnow__pack_limits;

/* A block has no more of a tile's rows than fill WINNOW__ROWS_BYTES, or one; so
 * a tile has a block for each 2^log2_rows rows of its output. */
#define WINNOW__ROWS_BYTES (128u << 10)

typedef struct winnow__column {
    const void *in;
    void *out;
    winnow__row_shape shape; /* of rows */
} winnow__column;

/* The columns of a launch have the same kernel. */
#define WINNOW__MOST_COLUMNS 64
typedef struct winnow__compact_args {
    winnow__selection from;
    uint64_t capacity;
    unsigned long long *count;          /* NULL: not asked for */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
    winnow__pack_limits limits;         /* of columns that are no rows */
    unsigned int tiles;                 /* of a block; the same */
    unsigned int log2_rows;             /* of a block; of rows */
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS];
} winnow__compact_args;

/*
 * in_place.cu: a piece is 2^log2_rows rows of a column, which fit in
 * WINNOW__PIECE_BYTES. Blocks take pieces in order, those of a column one after
 * the other. The word of a piece says that all of it was read. Cursor and words
 * are 0 when the kernel begins.
 */
#define WINNOW__PIECE_BYTES (32u << 10)
#define WINNOW__IN_PLACE_BLOCKS (1u << 14)
typedef struct winnow__in_place_args {
    winnow__selection from;
    uint64_t capacity;
    unsigned long long *count; /* NULL: not asked for */
    unsigned long long *cursor;
    uint32_t *read;
    uint64_t pieces; /* of a column */
    unsigned int log2_rows;
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS];
} winnow__in_place_args;

/* split.cu: blocks take tiles as those of compact.cu do. */
typedef struct winnow__split_args {
    winnow__selection from;
    const void *in;
    void *kept, *rejected;
    uint64_t capacity, rejected_capacity;
    /* Of those kept and of those rejected; NULL: not asked for. */
    unsigned long long *counts;
    const unsigned long long *items; /* NULL, or how many there are at most */
    winnow__row_shape shape;         /* of rows */
    winnow__pack_limits limits;      /* of columns that are no rows */
    unsigned int tiles;              /* of a block; the same */
    unsigned int log2_rows;          /* of a block; of rows */
    unsigned int element_bytes;
    bool in_one_array; /* rejects begin in `kept`, behind its survivors */
} winnow__split_args;

/* bits.cu, bits_expand.cu, bits_copy.cu: columns of bits. Each begins at a bit,
 * 0 to 7, of a byte. */
typedef struct winnow__bit_array {
    void *start; /* read alone where it is an input */
    unsigned int skip;
} winnow__bit_array;

/* A warp packs a tile; the last block packs the ends of outputs. */
typedef struct winnow__bit_column {
    winnow__bit_array in, out;
} winnow__bit_column;
typedef struct winnow__compact_bits_args {
    winnow__selection from;
    uint64_t capacity;
    unsigned long long *count;          /* NULL: not asked for */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
    unsigned int number;
    winnow__bit_column columns[WINNOW__MOST_COLUMNS];
} winnow__compact_bits_args;

typedef struct winnow__split_bits_args {
    winnow__selection from;
    winnow__bit_array in, kept, rejected;
    uint64_t capacity, rejected_capacity;
    /* Of those kept and of those rejected; NULL: not asked for. */
    unsigned long long *counts;
    const unsigned long long *items; /* NULL, or how many there are at most */
} winnow__split_bits_args;

/* Bits that were packed in other memory are copied to the column. Both begin at
 * the same bit of 16 bytes. */
typedef struct winnow__copy_bits_args {
    const unsigned long long *total; /* survivors */
    uint64_t capacity;
    unsigned int number;
    winnow__bit_column columns[WINNOW__MOST_COLUMNS];
} winnow__copy_bits_args;
#define WINNOW__COPY_BITS_BLOCKS (1u << 14)

/* A warp makes 128 aligned words of the output. */
#define WINNOW__BITS_LEFT_ALONE 2 /* in place of a value that fills places */
typedef struct winnow__expand_bits_args {
    winnow__selection from;
    winnow__bit_array in, out;
    uint64_t available; /* bits of `in` */
    /* NULL, or how many places there are at most; `from` keeps none behind. */
    const unsigned long long *items;
    unsigned int fill; /* 0, 1, or WINNOW__BITS_LEFT_ALONE */
} winnow__expand_bits_args;

/* expand.cu: a block for each tile; one block if there is none. Of the value
 * that fills the other places a launch has a strip. */
#define WINNOW__EXPAND_FILL_BYTES 2048

typedef struct winnow__expand_args {
    winnow__selection from;
    const void *in;
    void *out;
    uint64_t available; /* elements at `in` */
    /* NULL, or how many places there are at most; `from` keeps none behind. */
    const unsigned long long *items;
    winnow__row_shape shape; /* of a strip; without a value, of an element */
    unsigned int width;      /* V of an element */
} winnow__expand_args;

typedef struct winnow__expand_fill_args {
    winnow__expand_args call;
    unsigned int first; /* the strip's first V in an element */
    uint32_t fill[WINNOW__EXPAND_FILL_BYTES / 4];
} winnow__expand_fill_args;

/* fill.cu: a launch writes a strip of each element, as above. */
typedef struct winnow__fill_args {
    void *out;
    uint64_t n;
    const unsigned long long *count;
    const unsigned long long *items; /* NULL, or the places, n at most */
    unsigned int width;              /* V of an element */
    unsigned int first, strip;       /* the strip's first V, and how many */
    /* The strip's value; one V narrower than 16 bytes is repeated to 16. */
    uint32_t fill[WINNOW__EXPAND_FILL_BYTES / 4];
} winnow__fill_args;

/* fill_holes.cu: what fills places is arrivals, and survivors behind them. A
 * block moves as many at a time: */
#define WINNOW__FILLERS WINNOW__SELECTION_THREADS

typedef struct winnow__holes {
    unsigned long long items;    /* before the call */
    unsigned long long holes;    /* places of these that are not kept */
    unsigned long long arrivals; /* that there is room for */
    unsigned long long tail;     /* survivors that stay: those before the end */
    unsigned long long fillers;  /* arrivals, and survivors that move */
    unsigned long long unused;   /* to a multiple of 16 bytes */
} winnow__holes;

typedef struct winnow__count_holes_args {
    winnow__selection from;          /* keeps nothing behind the last item */
    const unsigned long long *items; /* NULL, or how many there are at most */
    uint64_t most_arrived;
    const unsigned long long *arrived; /* NULL, or how many there are at most */
    uint64_t capacity;                 /* as many as items, at least */
    unsigned long long *count;         /* NULL: not asked for */
    winnow__holes *holes;
} winnow__count_holes_args;

typedef struct winnow__fill_holes_args {
    winnow__selection from;
    const winnow__holes *holes;
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS]; /* in: arrivals */
} winnow__fill_holes_args;

/* segments.cu: numbers of 4 or 8 bytes. */
#define WINNOW__SEGMENTS_PER_BLOCK (WINNOW__SELECTION_THREADS - 1)

typedef struct winnow__segments_args {
    winnow__selection from;
    const void *offsets; /* number + 1 */
    void *counts;        /* number; NULL: not asked for */
    void *ranks;         /* number + 1; NULL: not asked for */
    uint64_t number;
} winnow__segments_args;

/* to_mask.cu: vectors of the mask, of which `skip` items at the beginning are
 * none of the selection's. */
#define WINNOW__MASK_BLOCKS (1u << 20)
typedef struct winnow__mask_args {
    winnow__selection from;
    void *out; /* of 16 bytes, aligned */
    uint64_t vectors;
    unsigned int skip;
} winnow__mask_args;
