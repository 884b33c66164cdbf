/*
 * Random conditions with sets, over random columns, and what they keep, found by
 * searching sorted values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_SET_TREES_H
#define WINNOW_TESTS_SET_TREES_H

#include "condition/program/tree.h"
#include "selected.h"

enum {
    SET_COLUMNS = 3
};

/* Elements of unsigned integers, of which half a set's are in it. */
struct set_column {
    winnow_type type;
    unsigned size;
    unsigned kind;   /* of values */
    uint64_t values; /* different ones */
    size_t stride;
    unsigned char *d_bytes;
    uint64_t *bits; /* of each element */
    winnow_in in;
};

struct set_table {
    const struct backend *backend;
    uint64_t n;
    struct set_column columns[SET_COLUMNS];
    struct selected selected;
    uint64_t *d_n;
};

/* Columns of n items, for sets of about `values` values. */
void set_table_open(struct set_table *table, const struct backend *backend,
                    uint64_t n, uint64_t values, uint64_t seed);
void set_table_close(struct set_table *table);

/* A condition of one set of a column, with a mask or not; keep[i] is what it
 * says of item i. */
winnow_condition *set_leaf(const struct set_table *table, unsigned column,
                           uint64_t number, uint64_t seed, uint8_t *keep);
/* A tree of `leaves` of them and tests between. */
winnow_condition *set_tree(const struct set_table *table, unsigned leaves,
                           uint64_t number, uint64_t seed, uint8_t *keep);

/* Before a selection: of the first `limit` of the items; of all, UINT64_MAX. */
void set_ready(struct set_table *table, uint64_t limit);
/* Enqueue it; with a workspace of 4096 bytes, which is not needed, or NULL. */
winnow_status set_select(struct set_table *table,
                         const winnow_condition *condition, uint64_t limit,
                         void *d_workspace);
/* Was it right? */
bool set_check(struct set_table *table, const uint8_t *keep, uint64_t limit,
               struct report *report);

#endif
