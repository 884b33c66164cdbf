/*
 * The program that tests several columns (where.cu): plain C, included by both
 * sides. lib/condition/program/where_program.c makes it from a condition.
 *
 * A group keeps the items that pass all of its members. A member is a leaf,
 * which tests a column, or a nested group, which an item passes if that group
 * does not keep it. So "a or b" is one nested group of "not a" and "not b". The
 * program runs the outermost group on a set of live items, at first all:
 *
 *   leaf    removes the items that fail its test
 *   OPEN    begins a nested group: saves the live items
 *   CLOSE   ends it: the live items become the saved items without those that
 *           the group kept
 *   TURN    ends the first member of a group: as CLOSE, but the saved items
 *           stay saved, for the end of that group
 *
 * An item is a bit of a word. Only the elements of live items are needed. The
 * members of a group may be in any order.
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

/* The most sets of live items that are saved at one time. */
#define WINNOW__WHERE_DEPTH 12

/* How the elements of a column are loaded. */
typedef enum winnow__access {
    WINNOW__BY_VECTORS = 0,  /* contiguous, aligned to 16 bytes */
    WINNOW__BY_ELEMENTS = 1, /* each aligned to its size */
    WINNOW__BY_BYTES = 2,
    WINNOW__BY_BITS = 3, /* one bit each: the result of the test */
    /* On the host only: strings (the leaf has the number of its test), and */
    WINNOW__BY_STRINGS = 4,
    WINNOW__BY_VALUES = 5 /* values of an expression, or their validity */
} winnow__access;

typedef struct winnow__where_column {
    const unsigned char *first; /* the element of item 0; for bits, its byte */
    uint64_t stride;   /* bytes to the next item's element, modulo 2^64; for
                          bits, to the next array */
    uint8_t log2_size; /* of an element; 0 for bits */
    uint8_t access;
    uint8_t skip; /* for bits: the position of item 0's bit in its byte */
    /* For the host: the number of the column or expression among all that the
     * condition tests; and whether the bits are its validity. */
    uint8_t tested;
    bool is_validity;
} winnow__where_column;

/* An element passes if it passes any of the tests; if `negated`, none. Without
 * tests, `first` is the number of a set: an element passes if the set has it. A
 * column of bits may have several arrays, each the result of a single test;
 * `first` is then the number of the array. */
typedef struct winnow__where_leaf {
    uint16_t first, tests;
    uint8_t column;
    bool negated;
} winnow__where_leaf;

/*
 * A program: its lists, and their lengths. A nested group is empty or has at
 * least two members, so there are fewer groups than leaves, apart from empty
 * ones. The validity of a column is a column of bits.
 */
typedef struct winnow__where_program {
    uint16_t ops;
    uint16_t depth;  /* the most sets that are saved at one time */
    uint16_t nested; /* the same if the members are in any other order */
    uint16_t column_count, leaves, tests;
    winnow__where_column *columns;
    winnow__where_leaf *leaf;
    uint16_t *op;
    winnow__test *test;
} winnow__where_program;
#define WINNOW__WHERE_MOST_COLUMNS 128
#define WINNOW__WHERE_MOST_TESTS 512
#define WINNOW__WHERE_MOST_LEAVES 1024

/* The lists of nearly all programs, in a kernel argument: every driver accepts
 * at least 4096 bytes of arguments. */
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

/* The lists of a larger program, contiguous in device memory. Each block copies
 * them to shared memory. */
typedef struct winnow__where_stored {
    const unsigned char *from;
    uint32_t bytes;               /* a multiple of 16 */
    uint32_t set, test, leaf, op; /* offsets of the lists; columns are at 0 */
} winnow__where_stored;

/* The argument of where.cu, and of order.cu. */
typedef struct winnow__select_where_args {
    winnow__selection to;
    const unsigned long long *n; /* NULL, or how many items are tested */
    uint16_t *order; /* of an ordered program: the number of operations, and
                        the operations; order.cu writes them */
    uint16_t ops, depth, leaves, sets;
    union {
        winnow__where_lists lists;
        winnow__where_stored stored; /* for the kernel with stored lists */
    };
} winnow__select_where_args;

/* The index of a kernel. Bit 0: it tests sets, too. Bit 1: it runs the
 * operations in the order of order.cu. The last one is for all stored
 * programs. */
#define WINNOW__WHERE_WITH_SETS 1
#define WINNOW__WHERE_ORDERED 2
#define WINNOW__WHERE_STORED 4
#define WINNOW__WHERE_KERNELS 5

/* The kernel that stores a part of the lists, in one block. */
#define WINNOW__STORED_WORDS 508
typedef struct winnow__store_lists_args {
    uint64_t *to;
    uint64_t words;
    uint64_t from[WINNOW__STORED_WORDS];
} winnow__store_lists_args;

/* Items that a warp tests together: one word for each lane. */
#define WINNOW__WHERE_CHUNK 1024
/* Bytes of shared memory for each set of live items that is saved. */
#define WINNOW__WHERE_SAVED_BYTES (4 * WINNOW__SELECTION_THREADS)
