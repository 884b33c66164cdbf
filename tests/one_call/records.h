/*
 * A call of winnow_copy_columns_if on records, whose key is a field of theirs,
 * with canaries around its arrays, and its check against a loop over the
 * records. Calls may be enqueued side by side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_RECORDS_H
#define WINNOW_TESTS_RECORDS_H

#include "data.h"
#include "region.h"

struct records_call {
    struct rule rule;              /* of the field, and so its type */
    const struct pattern *pattern; /* NULL: record number `only` passes alone */
    uint64_t only;
    uint64_t seed, n, capacity;
    size_t bytes;               /* of a record */
    size_t field;               /* where in the record it begins */
    size_t in_ahead, out_ahead; /* bytes from a boundary of 16 */
    bool in_place;
    bool uncounted;         /* d_count is NULL */
    bool limited;           /* d_n is given, and says n / 2 */
    bool same_word;         /* it is *d_count */
    bool placed;            /* d_position is given, and says 0 */
    size_t workspace_bytes; /* 0: the context's own */
};

struct records {
    struct records_call call;
    const struct backend *backend;
    winnow_predicate *predicate;
    struct region in, out;
    uint64_t *d_numbers; /* the count, the position, the number of records */
    unsigned char *d_workspace;
};

/* A field that lies in one vector, in aligned arrays; whatever else is not
 * given here is drawn by the seed. */
struct records_call records_draw(uint64_t seed, uint64_t n, size_t bytes);
void records_open(struct records *records, const struct backend *backend,
                  const struct records_call *call);
winnow_status records_enqueue(const struct records *records);
/* Wait for it; is all as it should be? It closes in any case. */
bool records_close(struct records *records, struct report *report);
/* All of that. */
bool records_run(const struct backend *backend, const struct records_call *call,
                 struct report *report);
/* The bytes of workspace of a plan for it, made without an address. */
size_t records_plan(const struct backend *backend,
                    const struct records_call *call);

#endif
