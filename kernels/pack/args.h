/*
 * Arguments of kernels that use selections. Plain C, for host and device code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"

/* index.cu. Blocks take tiles as in compact.cu. */
typedef struct winnow__compact_index_args {
    winnow__selection from;
    unsigned int tiles; /* of a block */
    void *out;
    uint64_t capacity;
    unsigned long long *count;          /* NULL: not wanted */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
} winnow__compact_index_args;

/*
 * An element is a row of `width` V. V has 1, 2, 4, 8 or 16 bytes; a tile has
 * fewer than 2^24 V. reciprocal is floor(2^36 / width) + 1. With it a
 * multiplication divides the number of a V in a tile by the width, exactly.
 */
#define WINNOW__MOST_ROW_BYTES 4096
typedef struct winnow__row_shape {
    uint64_t reciprocal;
    unsigned int width; /* V in an element */
} winnow__row_shape;

/* compact.cu, split.cu: the most tiles of a block. It has fewer if there are
 * too few tiles for all multiprocessors. */
#define WINNOW__BATCH_TILES 8
/* Tiles that a block stages at a time, by the size of elements. */
#define WINNOW__COMPACT_TILES_1 4
#define WINNOW__COMPACT_TILES_2 2
#define WINNOW__COMPACT_TILES_4 1
#define WINNOW__COMPACT_TILES_8 1

/* Limits between ways to pack a slice: fractions in winnow_tuning(5). */
#define WINNOW__LEAST_PER_GATHERED 2 /* items for each survivor gathered */
typedef struct winnow__pack_limits {
    unsigned int gather_below; /* survivors: they are loaded one by one */
    unsigned int skewed_above; /* a warp's whole vectors: tile/stage.cuh */
} winnow__pack_limits;

/* A block has up to WINNOW__ROWS_BYTES of a tile's rows, or one row; so a tile
 * has one block for each 2^log2_rows rows of its output. */
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
    unsigned long long *count;          /* NULL: not wanted */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
    winnow__pack_limits limits;         /* of columns that are not rows */
    unsigned int tiles;                 /* of a block; not for rows */
    unsigned int log2_rows;             /* of a block; for rows */
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS];
} winnow__compact_args;

/*
 * in_place.cu: a piece is 2^log2_rows rows of a column, which fit in
 * WINNOW__PIECE_BYTES. Blocks take pieces in order, column by column. A piece's
 * word of `read` is set when it was read. Cursor and words begin as 0.
 */
#define WINNOW__PIECE_BYTES (32u << 10)
#define WINNOW__IN_PLACE_BLOCKS (1u << 14)
typedef struct winnow__in_place_args {
    winnow__selection from;
    uint64_t capacity;
    unsigned long long *count; /* NULL: not wanted */
    unsigned long long *cursor;
    uint32_t *read;
    uint64_t pieces; /* of a column */
    unsigned int log2_rows;
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS];
} winnow__in_place_args;

/* split.cu. Blocks take tiles as in compact.cu. */
typedef struct winnow__split_args {
    winnow__selection from;
    const void *in;
    void *kept, *rejected;
    uint64_t capacity, rejected_capacity;
    /* NULL, or the numbers of survivors and of rejects. */
    unsigned long long *counts;
    const unsigned long long *items; /* NULL, or an upper bound of the items */
    winnow__row_shape shape;         /* of rows */
    winnow__pack_limits limits;      /* of columns that are not rows */
    unsigned int tiles;              /* of a block; not for rows */
    unsigned int log2_rows;          /* of a block; for rows */
    unsigned int element_bytes;
    bool in_one_array; /* rejects follow the survivors in `kept` */
} winnow__split_args;

/* bits*.cu: a column of bits, which begins at bit `skip` (0 to 7) of a byte. */
typedef struct winnow__bit_array {
    void *start; /* only read if it is an input */
    unsigned int skip;
} winnow__bit_array;

/* A warp packs a tile; the last block packs the ends of outputs. */
typedef struct winnow__bit_column {
    winnow__bit_array in, out;
} winnow__bit_column;
typedef struct winnow__compact_bits_args {
    winnow__selection from;
    uint64_t capacity;
    unsigned long long *count;          /* NULL: not wanted */
    const unsigned long long *position; /* where output begins; NULL: at 0 */
    unsigned int number;
    winnow__bit_column columns[WINNOW__MOST_COLUMNS];
} winnow__compact_bits_args;

typedef struct winnow__split_bits_args {
    winnow__selection from;
    winnow__bit_array in, kept, rejected;
    uint64_t capacity, rejected_capacity;
    /* NULL, or the numbers of survivors and of rejects. */
    unsigned long long *counts;
    const unsigned long long *items; /* NULL, or an upper bound of the items */
} winnow__split_bits_args;

/* Copies bits that were packed in a workspace to their column. Both begin at
 * the same bit of 16 bytes. */
typedef struct winnow__copy_bits_args {
    const unsigned long long *total; /* survivors */
    uint64_t capacity;
    unsigned int number;
    winnow__bit_column columns[WINNOW__MOST_COLUMNS];
} winnow__copy_bits_args;
#define WINNOW__COPY_BITS_BLOCKS (1u << 14)

/* A warp makes 128 aligned words of the output. */
#define WINNOW__BITS_LEFT_ALONE 2 /* other places are not filled */
typedef struct winnow__expand_bits_args {
    winnow__selection from;
    winnow__bit_array in, out;
    uint64_t available; /* bits of `in` */
    /* NULL, or an upper bound of the places; `from` keeps none behind it. */
    const unsigned long long *items;
    unsigned int fill; /* 0, 1, or WINNOW__BITS_LEFT_ALONE */
} winnow__expand_bits_args;

/* expand.cu: a block for each tile, or one block. If a value fills the other
 * places, each launch writes a strip of it: up to this number of bytes. */
#define WINNOW__EXPAND_FILL_BYTES 2048

typedef struct winnow__expand_args {
    winnow__selection from;
    const void *in;
    void *out;
    uint64_t available; /* elements at `in` */
    /* NULL, or an upper bound of the places; `from` keeps none behind it. */
    const unsigned long long *items;
    winnow__row_shape shape; /* of a strip, or of an element */
    unsigned int width;      /* V in an element */
} winnow__expand_args;

typedef struct winnow__expand_fill_args {
    winnow__expand_args call;
    unsigned int first; /* the strip's first V in an element */
    uint32_t fill[WINNOW__EXPAND_FILL_BYTES / 4];
} winnow__expand_fill_args;

/* fill.cu: a launch writes a strip of each element, as in expand.cu. */
typedef struct winnow__fill_args {
    void *out;
    uint64_t n;
    const unsigned long long *count;
    const unsigned long long *items; /* NULL, or the places, up to n */
    unsigned int width;              /* V in an element */
    unsigned int first, strip;       /* the strip's first V; its number of V */
    /* The strip's value; one V of less than 16 bytes is repeated up to 16. */
    uint32_t fill[WINNOW__EXPAND_FILL_BYTES / 4];
} winnow__fill_args;

/* fill_holes.cu: the fillers are the arrivals, followed by survivors that move.
 * A block moves this number of fillers at a time. */
#define WINNOW__FILLERS WINNOW__SELECTION_THREADS

typedef struct winnow__holes {
    unsigned long long items;    /* before the call */
    unsigned long long holes;    /* rejected items */
    unsigned long long arrivals; /* that have room */
    unsigned long long tail;     /* survivors that stay: before the new end */
    unsigned long long fillers;  /* arrivals, and survivors that move */
    unsigned long long unused;   /* pads to a multiple of 16 bytes */
} winnow__holes;

typedef struct winnow__count_holes_args {
    winnow__selection from;          /* keeps nothing behind the last item */
    const unsigned long long *items; /* NULL, or an upper bound of the items */
    uint64_t most_arrived;
    const unsigned long long *arrived; /* NULL, or an upper bound of arrivals */
    uint64_t capacity;                 /* at least the number of items */
    unsigned long long *count;         /* NULL: not wanted */
    winnow__holes *holes;
} winnow__count_holes_args;

typedef struct winnow__fill_holes_args {
    winnow__selection from;
    const winnow__holes *holes;
    unsigned int number;
    winnow__column columns[WINNOW__MOST_COLUMNS]; /* in: arrivals */
} winnow__fill_holes_args;

/* segments.cu: offsets, counts and ranks have 4 or 8 bytes. */
#define WINNOW__SEGMENTS_PER_BLOCK (WINNOW__SELECTION_THREADS - 1)

typedef struct winnow__segments_args {
    winnow__selection from;
    const void *offsets; /* number + 1 */
    void *counts;        /* number; NULL: not wanted */
    void *ranks;         /* number + 1; NULL: not wanted */
    uint64_t number;
} winnow__segments_args;

/* to_mask.cu: the first `skip` items of the vectors are not the mask's. */
#define WINNOW__MASK_BLOCKS (1u << 20)
typedef struct winnow__mask_args {
    winnow__selection from;
    void *out; /* aligned to 16 bytes */
    uint64_t vectors;
    unsigned int skip;
} winnow__mask_args;
