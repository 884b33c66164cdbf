/*
 * Expressions in a condition: values that are computed stand where those of a
 * column stand.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_SELECT_WHERE_VALUES_H
#define WINNOW_LIB_SELECT_WHERE_VALUES_H

#include "elements.h"
#include "expression/evaluate.h"
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
/* The columns of an expression's program. */
void winnow__columns_of_values(const winnow__where_values *values,
                               const winnow__expression *expression,
                               winnow__value_column columns[]);

/* Bytes, aligned to 16, for the lengths of the strings of dictionaries. */
size_t winnow__lengths_bytes(const winnow__where *where);
/* Find them, by the caller's thread. */
void winnow__find_lengths(const winnow__where *where,
                          winnow__where_values *values, void *memory);

/* Values of the expression that was computed last, of a tile's items. */
typedef struct winnow__tile_values {
    unsigned tested; /* its number; WINNOW_CONDITION_MOST_COLUMNS: none */
    uint32_t blocks; /* a bit for each that is there */
    _Alignas(64) uint64_t value[WINNOW__SELECTION_TILE];
    uint32_t valid[WINNOW__SELECTION_WORDS];
} winnow__tile_values;

static inline void winnow__no_values(winnow__tile_values *tile) {
    tile->tested = WINNOW_CONDITION_MOST_COLUMNS;
}

/* Set the bits of the span's items, inside of a tile that begins at a multiple of
 * its size, that pass a leaf, which tests values or their validity. Of items that
 * are not `wanted` (NULL: all are) they may be any. */
void winnow__test_values(const winnow__host_loops *loops,
                         const winnow__compiled *compiled,
                         const winnow__where_leaf *leaf,
                         const winnow__span *span, const uint32_t *wanted,
                         winnow__tile_values *tile, uint32_t *words);

#endif
