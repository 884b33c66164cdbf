/*
 * A call of winnow_copy_columns_if on a backend, with canaries around its
 * arrays, and its check against a loop over the items. Calls may be enqueued
 * side by side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_KEYED_COLUMNS_H
#define WINNOW_TESTS_KEYED_COLUMNS_H

#include "data.h"
#include "region.h"

#define KEYED_COLUMNS_MOST 5

struct keyed_column {
    size_t bytes;               /* of an element */
    size_t in_ahead, out_ahead; /* bytes from a boundary of 16 */
    bool is_key;                /* its input is the key; bytes: 8 at most */
    bool in_place;
};

struct keyed_columns_call {
    struct rule rule;              /* of the key, and so its type */
    const struct pattern *pattern; /* NULL: item number `only` passes alone */
    uint64_t only;
    uint64_t seed, n, capacity;
    size_t key_ahead; /* bytes from a boundary of 16 */
    unsigned number;  /* of columns */
    struct keyed_column columns[KEYED_COLUMNS_MOST];
    bool uncounted; /* d_count is NULL */
    bool limited;   /* d_n is given, and says n / 2 */
    bool placed;    /* d_position is given, and says 0 */
    bool same_word; /* it is *d_count */
    bool asks;      /* the workspace is the caller's, as a plan says; else the
                       context's own */
};

struct keyed_columns {
    struct keyed_columns_call call;
    const struct backend *backend;
    winnow_predicate *predicate;
    winnow_move list[KEYED_COLUMNS_MOST];
    struct region key, in[KEYED_COLUMNS_MOST], out[KEYED_COLUMNS_MOST];
    struct region workspace;
    size_t workspace_bytes;
    uint64_t *d_numbers; /* the count, the position, the number of items */
};

/* An aligned key that is one of the columns, none of which is in place;
 * whatever else is not given here is drawn by the seed. */
struct keyed_columns_call keyed_columns_draw(uint64_t seed, uint64_t n,
                                             winnow_type type);
void keyed_columns_open(struct keyed_columns *columns,
                        const struct backend *backend,
                        const struct keyed_columns_call *call);
winnow_status keyed_columns_enqueue(const struct keyed_columns *columns);
/* Wait for it; is all as it should be? It closes in any case. */
bool keyed_columns_close(struct keyed_columns *columns, struct report *report);
/* All of that. */
bool keyed_columns_run(const struct backend *backend,
                       const struct keyed_columns_call *call,
                       struct report *report);
/* The bytes of workspace of a plan for it, made without an address. */
size_t keyed_columns_plan(const struct backend *backend,
                          const struct keyed_columns_call *call);

#endif
