/*
 * Sums by key and what they should be: calls over keys of all kinds, types,
 * layouts and components. The truth is a loop over the items. Floats are small
 * integers, so that sums are exact in any order.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_TESTS_ACCUMULATED_H
#define WINNOW_TESTS_ACCUMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"
#include "report.h"

enum keys {
    KEYS_UNIFORM = 0,
    KEYS_FEW = 1,    /* five, far from each other */
    KEYS_SKEWED = 2, /* small ones are frequent */
    KEYS_SORTED = 3,
    KEYS_RUNS = 4, /* of 32 */
    KEYS_ONE = 5,
    KEYS_MIXED = 6,  /* eight in each 32, others in the next 32 */
    KEYS_TURNS = 7,  /* sorted, in runs, in one half, few in the other */
    KEYS_HALVES = 8, /* uniform in one half, few in the other */
    KEYS_SHORT = 9,  /* in runs of three on average */
    KEYS_KINDS = 10
};

uint64_t accumulated_key(enum keys kind, uint64_t bound, uint64_t n, uint64_t i,
                         uint64_t seed);

struct accumulate;
struct accumulated;

/* Enqueue a call. */
typedef winnow_status
accumulated_call(const struct accumulate *t, const struct backend *backend,
                 const struct accumulated *a, const winnow_in *keys,
                 const winnow_in *values, const winnow_out *sums,
                 const winnow_launch *launch);

/* Where the components of an item are. */
enum layout {
    COLUMNS = 0,     /* each in an array */
    INTERLEAVED = 1, /* side by side */
    PADDED = 2,      /* and so, with two elements behind them */
    LAYOUTS = 3
};

struct accumulate {
    winnow_type key_type, value_type;
    bool wide_sums; /* the type of 8 bytes that holds values of 4 */
    unsigned components;
    bool counted;   /* there is a d_n, */
    uint64_t items; /* which holds this number */
    uint64_t n, bound;
    enum keys keys;
    uint64_t seed;
    bool beyond; /* some keys are; and their number is asked for */
    bool aligned_keys, aligned_values; /* to 16 bytes, all columns */
    enum layout values_layout, sums_layout;
    /* NULL: winnow_accumulate_by_key(); else, in which way. */
    accumulated_call *call;
    int way;
    int32_t *d_way;
};

#define ACCUMULATE_INIT                                                        \
    {                                                                          \
        .key_type = WINNOW_UINT32, .value_type = WINNOW_INT32,                 \
        .components = 1, .n = 1000, .bound = 100, .beyond = true               \
    }

static const winnow_type accumulated_value_types[] = {
    WINNOW_INT32,  WINNOW_INT64,   WINNOW_UINT32,
    WINNOW_UINT64, WINNOW_FLOAT32, WINNOW_FLOAT64};
#define VALUE_TYPES 6

/* The memory of a call. */
struct accumulated {
    unsigned char *keys, *values, *out, *expected; /* on the host */
    unsigned char *d_keys, *d_values, *d_out;
    uint64_t *d_beyond, *d_n;
    uint64_t beyond; /* expected */
};

/* The bytes of all sums. */
size_t accumulated_bytes(const struct accumulate *t);
/* Where the keys begin. */
size_t accumulated_keys_gap(const struct accumulate *t);

void accumulated_open(const struct accumulate *t, const struct backend *backend,
                      struct accumulated *a);
void accumulated_close(const struct backend *backend, struct accumulated *a);
/* Draw the items, and expect their sums beside what is expected before. */
void accumulated_expect(const struct accumulate *t, struct accumulated *a);
winnow_status accumulated_enqueue(const struct accumulate *t,
                                  const struct backend *backend,
                                  const struct accumulated *a, void *workspace,
                                  size_t bytes);
/* The bytes of workspace that it needs: of no address. */
winnow_status accumulated_plan(const struct accumulate *t,
                               const struct backend *backend, size_t *bytes_p);
bool accumulated_check(const struct accumulate *t,
                       const struct backend *backend,
                       const struct accumulated *a, struct report *report);

/* All of it. */
bool accumulated_run(const struct accumulate *t, const struct backend *backend,
                     struct report *report);

/* ---- grids of calls, each of which is run by `run` */

typedef bool accumulated_trial(struct accumulate *t,
                               const struct backend *backend,
                               struct report *report);

bool accumulated_types(const struct backend *backend, accumulated_trial *run,
                       struct report *report);
bool accumulated_keys(const struct backend *backend, accumulated_trial *run,
                      struct report *report);
bool accumulated_components(const struct backend *backend,
                            accumulated_trial *run, struct report *report);
bool accumulated_neighbours(const struct backend *backend,
                            accumulated_trial *run, struct report *report);
bool accumulated_bounds(const struct backend *backend, accumulated_trial *run,
                        struct report *report);
bool accumulated_sizes(const struct backend *backend, accumulated_trial *run,
                       struct report *report);
/* Fewer items than there is room for, as the device reads. */
bool accumulated_items(const struct backend *backend, accumulated_trial *run,
                       struct report *report);
/* Sums of a type of their own, all layouts. */
bool accumulated_wide(const struct backend *backend, accumulated_trial *run,
                      struct report *report);

#endif
