/*
 * The program that decides by several columns (where.cu): plain C,
 * included by both sides. lib/select/where_program.c makes it from a condition.
 *
 * A step tests a column for the items that arrive at it; those that pass go to
 * one later step, the others to another. An item that arrives at no step with a
 * column needs no element of it. Items are bits of words, and a slot holds the
 * words of those that wait for a step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_KERNELS_SELECT_WHERE_H
#define WINNOW_KERNELS_SELECT_WHERE_H

#include "kernels/selection/args.h"

#define WINNOW__WHERE_COLUMNS 16
#define WINNOW__WHERE_TESTS 64

/* Slots: that of the items kept, and what stands for none. A program has fewer
 * than half as many slots as tests, and these two. */
#define WINNOW__KEPT 0
#define WINNOW__REJECTED 255
#define WINNOW__WHERE_SLOTS (WINNOW__WHERE_TESTS / 2 + 2)

/* How the elements of a column are loaded. */
typedef enum winnow__access {
    WINNOW__BY_VECTORS = 0,  /* side by side, aligned to 16 bytes */
    WINNOW__BY_ELEMENTS = 1, /* each aligned to its size */
    WINNOW__BY_BYTES = 2
} winnow__access;

typedef struct winnow__where_column {
    const unsigned char *first; /* the element of item 0 */
    uint64_t stride;   /* bytes to that of the next item, modulo 2^64 */
    uint8_t log2_size; /* of an element */
    uint8_t access;
} winnow__where_column;

typedef struct winnow__where_step {
    uint8_t column;
    uint8_t first, tests; /* an item passes if it passes any of these tests */
    uint8_t slot;         /* of the items that arrive */
    uint8_t yes, no;      /* slots of those that pass, and of the others */
} winnow__where_step;

typedef struct winnow__where_program {
    uint32_t steps, slots;
    winnow__where_column columns[WINNOW__WHERE_COLUMNS];
    winnow__where_step step[WINNOW__WHERE_TESTS];
    winnow__test test[WINNOW__WHERE_TESTS];
} winnow__where_program;

typedef struct winnow__select_where_args {
    winnow__selection to;
    const unsigned long long *n; /* NULL, or how many items are looked at */
    winnow__where_program program;
} winnow__select_where_args;

/* Items that a warp decides at a time: a word for each lane. */
#define WINNOW__WHERE_CHUNK 1024
/* Bytes of shared memory for each slot. */
#define WINNOW__WHERE_SLOT_BYTES (4 * WINNOW__SELECTION_THREADS)

#endif
