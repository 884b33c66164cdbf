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
#ifndef WINNOW_KERNELS_SELECT_WHERE_H
#define WINNOW_KERNELS_SELECT_WHERE_H

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
 * A program with room for COLUMNS different columns, LEAVES leaves, and TESTS
 * tests and sets. A nested group has two members at least, so that groups are
 * fewer than leaves. The sets of the large program stand at the end of the room
 * for tests.
 *
 * The validity of a column is a column of bits.
 */
#define WINNOW__WHERE_PROGRAM(COLUMNS, TESTS, LEAVES)                          \
    {                                                                          \
        uint16_t ops;                                                          \
        uint16_t depth;  /* the most sets that are saved at a time */          \
        uint16_t nested; /* if members stand in any other order */             \
        uint16_t column_count, leaves, tests;                                  \
        winnow__where_column columns[COLUMNS];                                 \
        winnow__where_leaf leaf[LEAVES];                                       \
        uint16_t op[3 * (LEAVES)];                                             \
        union {                                                                \
            winnow__test test[TESTS];                                          \
            winnow__set_ref set[2 * (TESTS)];                                  \
        };                                                                     \
    }

/* The program of nearly all conditions, whose kernel has no more than the 4096
 * bytes of arguments that each driver takes, and that of any. */
#define WINNOW__WHERE_COLUMNS 32
#define WINNOW__WHERE_TESTS 64
#define WINNOW__WHERE_LEAVES 64
#define WINNOW__WHERE_MOST_COLUMNS 128
#define WINNOW__WHERE_MOST_TESTS 512
#define WINNOW__WHERE_MOST_LEAVES 1024
typedef struct winnow__where_small
    WINNOW__WHERE_PROGRAM(WINNOW__WHERE_COLUMNS, WINNOW__WHERE_TESTS,
                          WINNOW__WHERE_LEAVES) winnow__where_small;
typedef struct winnow__where_large
    WINNOW__WHERE_PROGRAM(WINNOW__WHERE_MOST_COLUMNS, WINNOW__WHERE_MOST_TESTS,
                          WINNOW__WHERE_MOST_LEAVES) winnow__where_large;

/* On the host, before it is one of these: as large as its condition needs. */
typedef struct winnow__where_program {
    uint16_t ops, depth, nested, column_count, leaves, tests;
    winnow__where_column *columns;
    winnow__where_leaf *leaf;
    uint16_t *op;
    winnow__test *test;
} winnow__where_program;

/* The argument of where.cu, and of where_large.cu. */
#define WINNOW__WHERE_ARGS(PROGRAM)                                            \
    winnow__selection to;                                                      \
    const unsigned long long *n; /* NULL, or how many items are looked at */   \
    uint16_t *order; /* of an ordered program: its operations' number, and   \
                        they, written by order.cu */ \
    PROGRAM program
typedef struct winnow__select_where_args {
    WINNOW__WHERE_ARGS(winnow__where_small);
} winnow__select_where_args;
typedef struct winnow__select_where_large_args {
    WINNOW__WHERE_ARGS(winnow__where_large);
} winnow__select_where_large_args;

/* The same for programs with sets, where_sets.cu and where_sets_large.cu. The
 * large one's are the last of program.set. */
#define WINNOW__WHERE_SETS 16
typedef struct winnow__select_where_sets_args {
    WINNOW__WHERE_ARGS(winnow__where_small);
    unsigned int sets;
    winnow__set_ref set[WINNOW__WHERE_SETS];
} winnow__select_where_sets_args;
typedef struct winnow__select_where_sets_large_args {
    WINNOW__WHERE_ARGS(winnow__where_large);
    unsigned int sets;
} winnow__select_where_sets_large_args;

/* Items that a warp decides at a time: a word for each lane. */
#define WINNOW__WHERE_CHUNK 1024
/* Bytes of shared memory for each set of live items that is saved. */
#define WINNOW__WHERE_SAVED_BYTES (4 * WINNOW__SELECTION_THREADS)

#endif
