/*
 * Expressions in a condition: values that are computed stand where those of a
 * column stand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CONDITION_RUN_WHERE_VALUES_H
#define WINNOW_LIB_CONDITION_RUN_WHERE_VALUES_H

#include "select/elements.h"
#include "evaluate.h"
#include "kernels/expression/interpret.h"
#include "where.h"

/* The columns of the call that its expressions read, which were checked. */
void winnow__find_values(const winnow__where *where,
                         const winnow__tested *tested,
                         winnow__where_values *values);
/* May a value of one of those that are tested be null? */
bool winnow__tested_is_nullable(const winnow__where *where,
                                const winnow__tested *tested,
                                const winnow__where_values *values, unsigned i);
/* What it is in a program; `is_validity`: whether it is not null. */
winnow__where_column winnow__values_column(const winnow__expression *expression,
                                           bool is_validity);
/* How one of them, or a dictionary's values, is laid out. */
winnow__value_column winnow__describe(const winnow_in *in);
/* The columns of an expression's program; where it compares strings, the values
 * of their dictionaries as well. */
void winnow__columns_of_values(const winnow__where_values *values,
                               const winnow__expression *expression,
                               winnow__value_column columns[]);

/* Bytes, aligned to 16, for the lengths of the strings of dictionaries. */
size_t winnow__lengths_bytes(const winnow__where *where);
/* Have the columns look them up in this memory. */
void winnow__place_lengths(const winnow__where *where,
                           winnow__where_values *values, void *memory);
/* The same, and find them, by the caller's thread. */
void winnow__find_lengths(const winnow__where *where,
                          winnow__where_values *values, void *memory);

/* Values of an expression, of a tile's items. */
typedef struct winnow__kept_values {
    unsigned tested; /* its number; WINNOW_CONDITION_MOST_COLUMNS: none */
    uint32_t blocks; /* a bit for each that is there */
    void *value;
    uint32_t *valid;
} winnow__kept_values;

enum {
    WINNOW__KEPT_VALUES = 4, /* expressions whose values are there at a time */
    WINNOW__MOST_VALUES_BYTES =
        WINNOW__KEPT_VALUES *
            (WINNOW__SELECTION_TILE * 8 + WINNOW__SELECTION_TILE / 8) +
        WINNOW__BLOCK * 8 + WINNOW__MOST_EVALUATE_BYTES
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
                         const winnow__compiled *compiled,
                         const winnow__where_leaf *leaf,
                         const winnow__span *span, const uint32_t *wanted,
                         winnow__tile_values *tile, uint32_t *words);

#ifdef WINNOW_CUDA
/* The same, by kernels of the call. */
winnow_status winnow__find_lengths_on_device(const winnow__call *call,
                                             const winnow__where *where,
                                             winnow__where_values *values,
                                             void *memory);

/* What a launch writes: the bits of a leaf, to the array of its number, and those
 * of the expression's validity. */
typedef struct winnow__value_launch {
    uint8_t tested, use;   /* winnow__interpret_use */
    uint16_t first, tests; /* as in the leaf */
    uint16_t valid_array;  /* 0: none, or its number + 1 */
} winnow__value_launch;

typedef struct winnow__value_launches {
    unsigned number;
    winnow__value_launch
        launch[WINNOW__WHERE_MOST_TESTS + WINNOW_CONDITION_MOST_COLUMNS];
    unsigned char *arrays;
} winnow__value_launches;

/* Bytes that a device works in, aligned to 16. */
size_t winnow__values_device_bytes(const winnow__where *where, uint64_t n);
/* Have the program read bits in this memory, which the launches write. */
void winnow__place_values(winnow__compiled *compiled,
                          const winnow__where *where, void *memory, uint64_t n,
                          winnow__value_launches *launches);
/* Enqueue them. The sets are those of the program, by their numbers. */
winnow_status winnow__compute_values(const winnow__call *call,
                                     const winnow__where *where,
                                     winnow__compiled *compiled,
                                     const winnow__value_launches *launches,
                                     const winnow__set_ref set[], void *memory);
#endif

#endif
