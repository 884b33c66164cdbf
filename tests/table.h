/*
 * A table on a backend: columns of any type, stride, offset and alignment, and
 * a selection of its rows by a condition.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_TABLE_H
#define WINNOW_TESTS_TABLE_H

#include "conditions.h"
#include "selected.h"

/* How the elements of a column lie. */
struct layout {
    size_t stride;  /* 0: side by side */
    size_t offset;  /* of a column of bits in bits, and it has no stride */
    size_t front;   /* bytes before the column */
    bool backwards; /* the last item first */
    /* Has it a validity? In which case item 0 has this bit of memory. */
    bool nullable;
    size_t valid_offset;
};

/* Of all kinds: side by side at several alignments, in records whose fields are
 * aligned, or not. */
struct layout layout_random(winnow_type type, uint64_t seed);

struct table {
    const struct backend *backend;
    unsigned columns;
    uint64_t most; /* rows */
    struct pool pools[CONDITION_COLUMNS];
    struct layout layouts[CONDITION_COLUMNS];
    struct region memory[CONDITION_COLUMNS];
    uint64_t *bits[CONDITION_COLUMNS]; /* of each element */
    struct region validity[CONDITION_COLUMNS];
    bool *is_null[CONDITION_COLUMNS]; /* each element */
    uint64_t *d_n;
    uint8_t *keep;
    struct selected selected;
};

/* Columns of any type, also of bits, and layout, some with nulls, to be opened.
 */
void table_random(struct table *table, unsigned columns, uint64_t seed);
/* Columns whose pools and layouts are set. */
void table_open(struct table *table, const struct backend *backend,
                uint64_t most);
void table_close(struct table *table);

/* Fill n rows; runs of `run` rows have the same elements. */
void table_fill(struct table *table, uint64_t n, uint64_t run, uint64_t seed);
/* The column of n rows. */
winnow_in table_column(const struct table *table, unsigned column, uint64_t n);

/* Enqueue the selection of n rows; `limit` says how many are looked at:
 * UINT64_MAX: there is no d_n. */
winnow_status table_select(struct table *table,
                           const winnow_condition *condition, uint64_t n,
                           uint64_t limit);
/* Is it that which the expression makes? */
bool table_check(struct table *table, const struct expression *expression,
                 uint64_t n, uint64_t limit, struct report *report);

#endif
