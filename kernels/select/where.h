/*
 * The program that decides by several columns (where.cu): plain C, included by
 * both sides. lib/condition/program/where_program.c makes it from a condition.
 *
 * A group of members keeps the items that pass all of them. A member is a leaf,
 * which tests a column, or a group, whose items are taken out: so that "a or b"
 * is all but the group of "not a" and "not b". The program goes through the
 * members of the outermost group, and has a set of live items, at first all:
 *
 *   leaf    those that fail it are live no longer
 *   OPEN    a nested group begins: the live items are saved
 *   CLOSE   it ends: of the saved items, those that it keeps are taken out
 *   TURN    it ends, and was the first member of a group: as CLOSE, but the
 *           saved items stay saved, for the end of that group
 *
 * Items are bits of words. No element is needed of an item that is not live.
 * The members of a group may stand in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/selection/args.h"
#include "kernels/set/table.h"

/* An operation is the number of a leaf, or: */
#define WINNOW__WHERE_OPEN 0xfffd
#define WINNOW__WHERE_CLOSE 0xfffe
#define WINNOW__WHERE_TURN 0xffff

/* The most sets of live items that are saved at a time. */
#define WINNOW__WHERE_DEPTH 12

/* How the elements of a column are loaded. */
typedef enum winnow__access {
    WINNOW__BY_VECTORS = 0,  /* side by side, aligned to 16 bytes */
    WINNOW__BY_ELEMENTS = 1, /* each aligned to its size */
    WINNOW__BY_BYTES = 2,
    WINNOW__BY_BITS = 3, /* a bit each, which is the outcome of its test */
    /* The host alone: strings, of which a leaf has the number of its test, and */
    WINNOW__BY_STRINGS = 4,
    WINNOW__BY_VALUES = 5 /* values of an expression, or their validity */
} winnow__access;

typedef struct winnow__where_column {
    const unsigned char *first; /* the element of item 0; of bits, its byte */
    uint64_t stride;   /* bytes to that of the next item, modulo 2^64; of bits,
                          to those of the next array */
    uint8_t log2_size; /* of an element; of bits 0 */
    uint8_t access;
    uint8_t skip; /* of bits: which one of the byte is item 0's */
    /* For the host: what the condition tests here, by its number among all that
     * it tests; and whether the bits say that it is not null. */
    uint8_t tested;
    bool is_validity;
} winnow__where_column;

/* An element passes if it passes any of the tests; `negated`, if none. Without
 * tests, `first` is the number of a set: it passes if it is in that. A column of
 * bits may be several arrays, and `first` is the number of one: its bits are the
 * outcome of a single test. */
typedef struct winnow__where_leaf {
    uint16_t first, tests;
    uint8_t column;
    bool negated;
} winnow__where_leaf;

/*
 * A program: its lists, and how many each has. A nested group has two members at
 * least, but for groups without members, so that groups are fewer than leaves. The
 * validity of a column is a column of bits.
 */
typedef struct winnow__where_program {
    uint16_t ops;
    uint16_t depth;  /* the most sets that are saved at a time */
    uint16_t nested; /* if members stand in any other order */
    uint16_t column_count, leaves, tests;
    winnow__where_column *columns;
    winnow__where_leaf *leaf;
    uint16_t *op;
    winnow__test *test;
} winnow__where_program;
#define WINNOW__WHERE_MOST_COLUMNS 128
#define WINNOW__WHERE_MOST_TESTS 512
#define WINNOW__WHERE_MOST_LEAVES 1024

/* The lists of nearly all programs, in an argument of the 4096 bytes that each driver
 * takes. */
#define WINNOW__WHERE_COLUMNS 32
#define WINNOW__WHERE_TESTS 64
#define WINNOW__WHERE_LEAVES 64
#define WINNOW__WHERE_OPS (3 * WINNOW__WHERE_LEAVES)
#define WINNOW__WHERE_SETS 16
typedef struct winnow__where_lists {
    winnow__where_column columns[WINNOW__WHERE_COLUMNS];
    winnow__where_leaf leaf[WINNOW__WHERE_LEAVES];
    uint16_t op[WINNOW__WHERE_OPS];
    winnow__test test[WINNOW__WHERE_TESTS];
    winnow__set_ref set[WINNOW__WHERE_SETS];
} winnow__where_lists;

/* Those of a larger program, behind each other in the device's memory. A block
 * copies them. */
typedef struct winnow__where_stored {
    const unsigned char *from;
    uint32_t bytes;               /* a multiple of 16 */
    uint32_t set, test, leaf, op; /* where these begin; columns at 0 */
} winnow__where_stored;

/* The argument of where.cu, and of order.cu. */
typedef struct winnow__select_where_args {
    winnow__selection to;
    const unsigned long long *n; /* NULL, or how many items are looked at */
    uint16_t *order; /* of an ordered program: its operations' number, and
                        they, written by order.cu */
    uint16_t ops, depth, leaves, sets;
    union {
        winnow__where_lists lists;
        winnow__where_stored stored; /* of the kernel for these */
    };
} winnow__select_where_args;

/* Which kernel. The ones with a 1 decide by sets, too; those with a 2 in the order
 * of order.cu; the last one is for all programs whose lists are stored. */
#define WINNOW__WHERE_WITH_SETS 1
#define WINNOW__WHERE_ORDERED 2
#define WINNOW__WHERE_STORED 4
#define WINNOW__WHERE_KERNELS 5

/* Store a part of lists, by a block. */
#define WINNOW__STORED_WORDS 508
typedef struct winnow__store_lists_args {
    uint64_t *to;
    uint64_t words;
    uint64_t from[WINNOW__STORED_WORDS];
} winnow__store_lists_args;

/* Items that a warp decides at a time: a word for each lane. */
#define WINNOW__WHERE_CHUNK 1024
/* Bytes of shared memory for each set of live items that is saved. */
#define WINNOW__WHERE_SAVED_BYTES (4 * WINNOW__SELECTION_THREADS)
