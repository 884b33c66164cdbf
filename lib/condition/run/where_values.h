/*
 * Expressions in a condition: values that are computed stand where those of a
 * column stand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "select/elements.h"
#include "evaluate.h"
#include "kernels/expression/interpret.h"
#include "where.h"

/* Describe the columns of the call that its expressions read, which were checked. */
void winnow__find_values(winnow__where_values *values);
/* How one of them, or a dictionary's values, is laid out. */
winnow__value_column winnow__describe(const winnow_in *in);
/* The columns of an expression's program; where it compares strings, the values
 * of their dictionaries as well. */
void winnow__columns_of_values(const winnow__where_values *values,
                               const winnow__expression *expression,
                               winnow__value_column columns[]);

/* Bytes, aligned to 16, for the lengths of the strings of dictionaries. */
size_t winnow__lengths_bytes(const winnow__tested *tested,
                             const winnow_in *columns);
/* Have the columns look them up in this memory. */
void winnow__place_lengths(winnow__where_values *values, void *memory);
/* The same, and find them, by the caller's thread. */
void winnow__find_lengths(winnow__where_values *values, void *memory);

/* Values of an expression, of a tile's items. */
typedef struct winnow__kept_values {
    unsigned tested; /* its number; WINNOW_CONDITION_MOST_COLUMNS: none */
    uint32_t blocks; /* a bit for each that is there */
    void *value;
    uint32_t *valid;
} winnow__kept_values;

enum {
    WINNOW__LIVE_SETS = WINNOW__WHERE_DEPTH + 1, /* of a tile's items */
    WINNOW__KEPT_VALUES = 4, /* expressions whose values are there at a time */
    WINNOW__MOST_VALUES_BYTES =
        WINNOW__KEPT_VALUES *
            (WINNOW__SELECTION_TILE * 8 + WINNOW__SELECTION_TILE / 8) +
        WINNOW__BLOCK * 8 + WINNOW__MOST_EVALUATE_BYTES +
        WINNOW__LIVE_SETS * WINNOW__SELECTION_TILE / 8
};

/* What a thread has of a tile: in memory, as it is too much for a stack. */
typedef struct winnow__tile_values {
    unsigned number, next; /* how many are kept; that is given up */
    winnow__kept_values kept[WINNOW__KEPT_VALUES];
    int64_t *wide; /* a block's, for a test */
    unsigned char *registers;
} winnow__tile_values;

/* For n items, or any fewer. */
winnow__values_room winnow__values_room_of(const winnow__where *where,
                                           uint64_t n);
/* No values, in memory of room->all bytes, aligned to 64. */
void winnow__no_values(const winnow__values_room *room, unsigned char *memory,
                       winnow__tile_values *tile);

/* Set the bits of the span's items, inside of a tile that begins at a multiple of
 * its size, that pass a leaf, which tests values or their validity. Of items that
 * are not `wanted` (NULL: all are) they may be any. */
void winnow__test_values(const winnow__host_loops *loops,
                         const winnow__bound *bound,
                         const winnow__where_leaf *leaf,
                         const winnow__span *span, const uint32_t *wanted,
                         winnow__tile_values *tile, uint32_t *words);

/* What a leaf that tests elements asks of them. */
static inline winnow__question
winnow__question_of(const winnow__bound *bound,
                    const winnow__where_leaf *leaf) {
    return (winnow__question){
        .tests = &bound->program.test[leaf->first],
        .number = leaf->tests,
        .set = leaf->tests == 0 ? bound->made->set[leaf->first] : NULL};
}

/* The same of any leaf, inside of a tile if it tests values. */
void winnow__test_leaf(const winnow__host_loops *loops,
                       const winnow__bound *bound,
                       const winnow__where_leaf *leaf, const winnow__span *span,
                       const uint32_t *wanted, winnow__tile_values *tile,
                       uint32_t *words);

/* The same, by kernels of the call. */
winnow_status winnow__find_lengths_on_device(const winnow__call *call,
                                             winnow__where_values *values,
                                             void *memory);

/* Bytes that a device works in, aligned to 16. */
size_t winnow__values_device_bytes(const winnow__where *where, uint64_t n);
/* Enqueue kernels that write the bits of leaves and validities of expressions to
 * this memory. The sets are those of the program, by their numbers. */
winnow_status winnow__compute_values(const winnow__call *call,
                                     winnow__bound *bound,
                                     const winnow__set_ref set[], void *memory);
/* Then have the program read the bits. */
void winnow__place_values(winnow__where_program *program,
                          const winnow__where *where, void *memory, uint64_t n);
