/*
 * One input on a backend and everything to run calls on it and check them:
 * the answer of the oracle, poisoned outputs with canaries, a workspace of the
 * exact size. The heart of the tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_TRIAL_H
#define WINNOW_TESTS_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "data.h"
#include "oracle.h"
#include "region.h"
#include "report.h"
#include "strategies.h"

struct trial {
    const struct backend *backend;
    struct rule rule;
    const struct pattern *pattern;
    uint64_t seed;
    uint64_t n;  /* elements loaded */
    size_t size; /* bytes of one */
    unsigned in_offset;
    winnow_predicate *predicate;

    struct region in;      /* in_offset elements of poison, then the input, and
                              not a byte more: for tools that look at reads */
    struct region out;     /* room for n + TRIAL_OFFSETS elements */
    struct region results; /* *d_count, *d_strategy, *d_selectivity, and what
                              the launch reads: *d_position, *d_n */
    struct region workspace;
    size_t workspace_bytes; /* what the plan said; for the call in hand */
    bool workspace_given;

    unsigned char *input;    /* the host's copy */
    unsigned char *expected; /* survivors in the input's order */
    uint32_t *kept;          /* kept[i]: survivors among the first i */
    uint64_t *sorted;        /* survivors among the first sorted_n, sorted */
    uint64_t sorted_n;
    unsigned calls;
};

/* Largest out_offset of a call. */
#define TRIAL_OFFSETS 16

enum operation {
    COPY_IF = 0,
    COUNT_IF = 1,
    ESTIMATE = 2,
    COPY_INDEX = 3 /* copy_index_if */
};

enum workspace {
    WORKSPACE_ALTERNATE = 0, /* by turns the two below */
    WORKSPACE_GIVEN = 1,
    WORKSPACE_OF_CONTEXT = 2
};

/* Where launch->d_n points to. */
enum bound {
    BOUND_NONE = 0, /* nowhere */
    BOUND_APART = 1,
    BOUND_IN_COUNT = 2 /* to *d_count */
};

/* One call on a trial. TRIAL_CALL_INIT is copy_if with all of a launch at rest.
 */
struct trial_call {
    enum operation operation;
    const struct strategy_row *row; /* COPY_IF, COPY_INDEX */
    bool wide;                      /* COPY_INDEX: of 8 bytes each */
    uint64_t n;                     /* the first n elements of the input */
    enum bound bound;
    uint64_t d_n;        /* *launch->d_n, if there is one */
    bool placed;         /* there is a launch->d_position, */
    uint64_t position;   /* and that is what it says */
    unsigned out_offset; /* elements; d_out off its alignment */
    double hint;
    uint64_t capacity;
    bool no_out;   /* d_out is NULL; for capacity 0 */
    bool no_count; /* d_count is NULL */
    bool in_place; /* d_in is d_out */
    bool tuned;    /* by a profile, which may name stable strategies for any
                      order */
    enum workspace workspace;
    double tolerance; /* ESTIMATE, beyond TRIAL_EXACT_ESTIMATE elements */
};
#define TRIAL_CALL_INIT                                                        \
    { .capacity = WINNOW_NO_LIMIT }
#define TRIAL_EXACT_ESTIMATE 65536

void trial_open(struct trial *trial, const struct backend *backend,
                const struct rule *rule, const struct pattern *pattern,
                uint64_t seed, uint64_t n, unsigned in_offset);
/* Other data in the same memory. */
void trial_reload(struct trial *trial, const struct pattern *pattern,
                  uint64_t seed);
/* Frees everything. False if anything has written to the input. */
bool trial_close(struct trial *trial, struct report *report);

/* The three steps of a call: poison, call, wait and look. */
bool trial_prepare(struct trial *trial, const struct trial_call *call,
                   struct report *report);
bool trial_enqueue(struct trial *trial, const struct trial_call *call,
                   struct report *report);
bool trial_check(struct trial *trial, const struct trial_call *call,
                 struct report *report);
/* All three. */
bool trial_run(struct trial *trial, const struct trial_call *call,
               struct report *report);
/* Twice; the second time in place, where its row's order allows that. */
bool trial_run_in_place_too(struct trial *trial, const struct trial_call *call,
                            struct report *report);

/* *d_strategy, as the last check saw it. */
winnow_strategy trial_strategy_seen(const struct trial *trial);

/* The 8 bytes of *d_selectivity as the last check saw them. */
const unsigned char *trial_selectivity_seen(const struct trial *trial);

#endif
