/*
 * Tuning profiles: which strategy, in which shape, AUTO chooses by operation,
 * order, element size, number of elements and selectivity. winnow_tuning(5) has
 * the format of the files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>

#include "kernels/auto/args.h"
#include "core/operation.h"
#include "core/status.h"
#include "tile/plan.h"

/* ---- An operation that has strategies, as AUTO sees it. */
/* A range of selectivities, and what to run there. */
typedef struct winnow__candidate {
    winnow_strategy strategy;
    winnow__shape shape; /* WINNOW__SHAPE_COUNT: by the size of the input */
    uint32_t below; /* the range begins where the one before it ends, and ends
                       below this; the last has WINNOW__FRACTION_ONE and includes it */
} winnow__candidate;

/* What a call is planned for: a winnow__constraints has it as `settled`. */
typedef struct winnow__settled {
    winnow__candidate candidate;
    bool is_one_of_several; /* of which the device chooses one */
} winnow__settled;

typedef struct winnow__strategies {
    const char *name; /* the operation's, in profiles */
    /* The shape of a strategy that has one, and the ladders of the others. */
    winnow__shape only[WINNOW_SOFTWARE_ATOMIC + 1];
    winnow__ladder single_block, cluster, aggregated, one_wave, look_back;
    /* The largest clusters worth it where there is memory, by order. */
    winnow__shape unordered_cluster, stable_cluster;
    uint64_t (*most_of_cub)(void); /* elements that WINNOW_CUB_SCAN takes */
    winnow__plan_function *plan;   /* of what is settled */
} winnow__strategies;

/* All that pass, in billionths: the unit of selectivities in a profile. */
#define WINNOW__FRACTION_ONE 1000000000u
/* The most that a sink gathers of a tile. */
#define WINNOW__MOST_GATHERED (WINNOW__FRACTION_ONE / 2)

/* What to run for a range of n. */
typedef struct winnow__entry {
    const winnow__strategies *operation;
    winnow_order order;
    unsigned log2_size;
    uint64_t from, to; /* both included */
    unsigned number;
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    unsigned line; /* of a file, the entry's first; 0: built in */
} winnow__entry;

/* By how many survivors a sink of selections packs a tile in which way, for
 * elements of one size: fractions, in billionths. */
typedef struct winnow__packing {
    uint32_t gather_below; /* of the items: they are loaded one by one */
    uint32_t skewed_above; /* of a warp's vectors, kept whole: it stages them
                              out of step; 1: never */
} winnow__packing;

/* What a file says. */
typedef struct winnow__profile {
    char source[512]; /* where it is from, for people */
    winnow__packing packing[WINNOW__SIZES];
    struct winnow__profile *previous;
    unsigned number;
    winnow__entry entries[]; /* apart from each other */
} winnow__profile;

/* What a context chooses by. */
typedef struct winnow__tuning {
    /* Which a profile may have entries of; NULL is the last. */
    const winnow__strategies *const *operations;
    /* The built-in one, or the one that was loaded last. Those before it are kept
     * until the end: a call in another thread may still read them. */
    _Atomic(const winnow__profile *) loaded;
    _Atomic(winnow__profile *) all;
    char refused[512]; /* why the user's own file was not loaded, or "" */
} winnow__tuning;

/* ---- choose.c */

extern const winnow__profile winnow__built_in;

/* ---- tune.c */

winnow_status winnow__tuning_of(const winnow_context *context,
                                winnow__tuning **tuning_p);
/* Have a new context choose by what the environment says. */
winnow_status winnow__load_tuning(const winnow_context *context,
                                  const winnow__strategies *const *operations);
/* By the profile in a file; NULL: by what is built in. */
winnow_status winnow__tune(const winnow_context *context, const char *path);

/* ---- file.c: a file, line by line */

/* An error of a line: what was expected there. */
#define WINNOW__EXPECTED(...) winnow__fail(WINNOW_ERR_SYNTAX, __VA_ARGS__)
/* Read it, check all of it, and have the context choose by it. */
winnow_status winnow__load_profile(const winnow__cuda_context *context,
                                   winnow__tuning *tuning, const char *path);

/* ---- check.c */

/* Can the device do what the entry's first candidate says, for all its n? */
winnow_status winnow__check_entry(const winnow__entry *entry,
                                  const winnow__cuda_context *context);
