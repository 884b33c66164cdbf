/*
 * Tuning profiles: the strategy and shape that AUTO chooses by operation, order,
 * element size, number of elements and selectivity. winnow_tuning(5) describes the
 * format of the files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "kernels/auto/args.h"
#include "core/operation.h"
#include "core/status.h"
#include "tile/plan.h"

/* ---- An operation that has strategies, for AUTO. */
/* A range of selectivities, and what is run for it. */
typedef struct winnow__candidate {
    winnow_strategy strategy;
    winnow__shape shape; /* WINNOW__SHAPE_COUNT: by the size of the input */
    uint32_t below; /* the range begins where the one before it ends, and ends
                       below this; the last has WINNOW__FRACTION_ONE and includes it */
} winnow__candidate;

/* What a call is planned for: `settled` in winnow__constraints. */
typedef struct winnow__settled {
    winnow__candidate candidate;
    bool is_one_of_several; /* the device chooses one of them */
} winnow__settled;

typedef struct winnow__strategies {
    const char *name; /* the operation's name in profiles */
    /* The shape of a strategy that has only one; else its ladder is below. */
    winnow__shape only[WINNOW_SOFTWARE_ATOMIC + 1];
    winnow__ladder single_block, cluster, aggregated, one_wave, look_back;
    /* The last shapes of clusters to try if memory is ready, for each order. */
    winnow__shape unordered_cluster, stable_cluster;
    uint64_t (*most_of_cub)(void); /* elements WINNOW_CUB_SCAN supports */
    winnow__plan_function *plan;   /* plans what is settled */
} winnow__strategies;

/* A fraction of 1, in billionths: the unit of selectivities in a profile. */
#define WINNOW__FRACTION_ONE 1000000000u
/* The largest fraction of a tile that a sink gathers. */
#define WINNOW__MOST_GATHERED (WINNOW__FRACTION_ONE / 2)

/* What to run for a range of n. */
typedef struct winnow__entry {
    const winnow__strategies *operation;
    winnow_order order;
    unsigned log2_size;
    uint64_t from, to; /* both inclusive */
    unsigned number;
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    unsigned line; /* the entry's first line in the file; 0: built in */
} winnow__entry;

/* Which fractions of survivors (in billionths) decide how a sink of selections
 * packs a tile, for elements of one size. */
typedef struct winnow__packing {
    uint32_t gather_below; /* of the items: survivors are loaded one by one */
    uint32_t skewed_above; /* of a warp's vectors, kept whole: it stages them
                              out of step; 1: never */
} winnow__packing;

/* The contents of a file. */
typedef struct winnow__profile {
    char source[512]; /* where it is from, for messages */
    winnow__packing packing[WINNOW__SIZES];
    struct winnow__profile *previous;
    unsigned number;
    winnow__entry entries[]; /* their ranges do not overlap */
} winnow__profile;

/* The profile by which a context chooses. */
typedef struct winnow__tuning {
    /* The operations that a profile may have entries for, ended by NULL. */
    const winnow__strategies *const *operations;
    /* The built-in profile, or the one loaded last. Earlier ones are kept until the
     * context ends: a call in another thread may still read them. */
    _Atomic(const winnow__profile *) loaded;
    _Atomic(winnow__profile *) all;
    char refused[512]; /* why the user's own file was not loaded, or "" */
} winnow__tuning;

/* ---- choose.c */

extern const winnow__profile winnow__built_in;

/* ---- tune.c */

winnow_status winnow__tuning_of(const winnow_context *context,
                                winnow__tuning **tuning_p);
/* Load the profile that the environment names into a new context. */
winnow_status winnow__load_tuning(const winnow_context *context,
                                  const winnow__strategies *const *operations);
/* Use the profile in a file; NULL: the built-in one. */
winnow_status winnow__tune(const winnow_context *context, const char *path);

/* ---- file.c: a file, line by line */

/* The error of a line: what was expected there. */
#define WINNOW__EXPECTED(...) winnow__fail(WINNOW_ERR_SYNTAX, __VA_ARGS__)
/* Read a file, check all of it, and make the context use it. */
winnow_status winnow__load_profile(const winnow__cuda_context *context,
                                   winnow__tuning *tuning, const char *path);

/* ---- check.c */

/* Can the device run the entry's first candidate for every n of the entry? */
winnow_status winnow__check_entry(const winnow__entry *entry,
                                  const winnow__cuda_context *context);
