/*
 * A call of winnow_partition_if into two arrays, and the check of what it did,
 * against a loop over the input. Calls may be enqueued side by side.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_PARTED_H
#define WINNOW_TESTS_PARTED_H

#include "backend.h"
#include "data.h"
#include "report.h"
#include "rules.h"

struct parted_call {
    struct rule rule;
    const struct pattern *pattern;
    uint64_t seed, n;
    /* Elements between an address aligned to 16 bytes and each array. */
    unsigned in_ahead, kept_ahead, rejected_ahead;
    bool counted;           /* d_counts is not NULL */
    bool limited;           /* d_n is not NULL; it says n / 2 */
    size_t workspace_bytes; /* 0: the context's own */
};

enum {
    PARTED_ARRAYS = 4 /* the input, the parts, the counts and the number */
};

struct parted {
    const struct backend *backend;
    struct parted_call call;
    winnow_predicate *predicate;
    size_t bytes;                           /* of each of the arrays */
    unsigned char *device[PARTED_ARRAYS];   /* with guards around them */
    unsigned char *expected[PARTED_ARRAYS]; /* what they should hold */
    void *workspace;
};

/* Make the input, and what is expected. */
void parted_open(struct parted *parted, const struct backend *backend,
                 const struct parted_call *call);
/* The call, on the backend's stream. */
winnow_status parted_enqueue(const struct parted *parted);
/* Wait for it, see whether everything is as expected, and release all. */
bool parted_close(struct parted *parted, struct report *report);

/* All of these. */
bool parted_run(const struct backend *backend, const struct parted_call *call,
                struct report *report);
/* The bytes of workspace of a plan for it, made without an address. */
size_t parted_plan(const struct backend *backend,
                   const struct parted_call *call);

#endif
