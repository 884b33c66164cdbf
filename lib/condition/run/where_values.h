/*
 * Expressions in a condition: computed values replace a column's values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "select/elements.h"
#include "evaluate.h"
#include "kernels/expression/interpret.h"
#include "where.h"

/* Describe the columns that expressions read, which were checked. */
void winnow__find_values(winnow__where_values *values);
/* The layout of a column, or of a dictionary's values. */
winnow__value_column winnow__describe(const winnow_in *in);
/* The columns of an expression's program. If it compares strings, the values of
 * their dictionaries follow. */
void winnow__columns_of_values(const winnow__where_values *values,
                               const winnow__expression *expression,
                               winnow__value_column columns[]);

/* Bytes, aligned to 16, for the lengths of strings in dictionaries. */
size_t winnow__lengths_bytes(const winnow__tested *tested,
                             const winnow_in *columns);
/* Make the columns look up lengths in this memory. */
void winnow__place_lengths(winnow__where_values *values, void *memory);
/* The same, and compute the lengths in the caller's thread. */
void winnow__find_lengths(winnow__where_values *values, void *memory);

/* An expression's values for a tile's items. */
typedef struct winnow__kept_values {
    unsigned tested; /* the expression; WINNOW_CONDITION_MOST_COLUMNS: none */
    uint32_t blocks; /* a bit for each block that was computed */
    void *value;
    uint32_t *valid;
} winnow__kept_values;

enum {
    WINNOW__LIVE_SETS = WINNOW__WHERE_DEPTH + 1, /* sets of a tile's items */
    WINNOW__KEPT_VALUES = 4, /* number of expressions whose values are kept */
    WINNOW__MOST_VALUES_BYTES =
        WINNOW__KEPT_VALUES *
            (WINNOW__SELECTION_TILE * 8 + WINNOW__SELECTION_TILE / 8) +
        WINNOW__BLOCK * 8 + WINNOW__MOST_EVALUATE_BYTES +
        WINNOW__LIVE_SETS * WINNOW__SELECTION_TILE / 8
};

/* A thread's data for a tile, in memory since they are too large for a stack. */
typedef struct winnow__tile_values {
    unsigned number, next; /* how many are kept; which one is replaced next */
    winnow__kept_values kept[WINNOW__KEPT_VALUES];
    int64_t *wide; /* values of a block, for a test */
    unsigned char *registers;
} winnow__tile_values;

/* The bytes for n items, or fewer. */
winnow__values_room winnow__values_room_of(const winnow__where *where,
                                           uint64_t n);
/* Begin without values, in memory of room->all bytes, aligned to 64. */
void winnow__no_values(const winnow__values_room *room, unsigned char *memory,
                       winnow__tile_values *tile);

/* Set the bits of the span's items that pass a leaf, which tests values or
 * their validity. The span is inside of a tile, which begins at a multiple of
 * its size. Items that are not `wanted` may have any bit; NULL: all are wanted. */
void winnow__test_values(const winnow__host_loops *loops,
                         const winnow__bound *bound,
                         const winnow__where_leaf *leaf,
                         const winnow__span *span, const uint32_t *wanted,
                         winnow__tile_values *tile, uint32_t *words);

/* The question of a leaf that tests elements. */
static inline winnow__question
winnow__question_of(const winnow__bound *bound,
                    const winnow__where_leaf *leaf) {
    return (winnow__question){
        .tests = &bound->program.test[leaf->first],
        .number = leaf->tests,
        .set = leaf->tests == 0 ? bound->made->set[leaf->first] : NULL};
}

/* The same for any leaf. If it tests values, the span is inside of a tile. */
void winnow__test_leaf(const winnow__host_loops *loops,
                       const winnow__bound *bound,
                       const winnow__where_leaf *leaf, const winnow__span *span,
                       const uint32_t *wanted, winnow__tile_values *tile,
                       uint32_t *words);

/* The same, by kernels that are enqueued. */
winnow_status winnow__find_lengths_on_device(const winnow__call *call,
                                             winnow__where_values *values,
                                             void *memory);

/* Bytes that a device needs, aligned to 16. */
size_t winnow__values_device_bytes(const winnow__where *where, uint64_t n);
/* Enqueue kernels that write the bits of expressions' leaves and validities to
 * this memory. `set`: the program's sets, by their numbers. */
winnow_status winnow__compute_values(const winnow__call *call,
                                     winnow__bound *bound,
                                     const winnow__set_ref set[], void *memory);
/* Make the program read these bits. */
void winnow__place_values(winnow__where_program *program,
                          const winnow__where *where, void *memory, uint64_t n);
