/*
 * Tuning profiles: which strategy, in which shape, AUTO chooses by operation,
 * order, element size, number of elements and selectivity. winnow_tuning(5) has
 * the format of the files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_AUTO_PROFILE_H
#define WINNOW_LIB_AUTO_PROFILE_H

#include "cuda/shapes.h"
#include "kernels/selection/args.h"
#include "core/operation.h"

#include <pthread.h>
#include <stdatomic.h>

/* All that pass, in billionths: the unit of selectivities in a profile. */
#define WINNOW__WHOLE 1000000000u

/* A range of selectivities, and what to run there. */
typedef struct winnow__candidate {
    winnow_strategy strategy;
    winnow__shape shape; /* WINNOW__SHAPE_COUNT: by the size of the input */
    uint32_t below; /* the range begins where the one before it ends, and ends
                       below this; the last has WINNOW__WHOLE and includes it */
} winnow__candidate;

/* What to run for a range of n. */
typedef struct winnow__entry {
    uint64_t from, to; /* both included */
    unsigned number;
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    /* Of a file: what it is for, and its first line. */
    winnow__tuned operation;
    winnow_order order;
    unsigned log2_size;
    unsigned line;
} winnow__entry;

/* By how many survivors a sink of selections packs a tile in which way, for
 * elements of one size: fractions, in billionths. */
typedef struct winnow__packing {
    uint32_t gather_below; /* of the items: they are loaded one by one; at most
                              1 / WINNOW__LEAST_PER_GATHERED */
    uint32_t skewed_above; /* of a warp's vectors, kept whole: it stages them
                              out of step; 1: never */
} winnow__packing;

typedef struct winnow__entries {
    unsigned number;
    const winnow__entry *list;
} winnow__entries;

/* What tells one device from another. */
typedef struct winnow__device_identity {
    char name[128];
    int major, minor; /* compute capability */
    unsigned multiprocessors;
} winnow__device_identity;

typedef struct winnow__profile {
    char source[512]; /* where it is from, for people */
    winnow__entries entries[WINNOW__TUNED_COUNT][2 /* orders */][WINNOW__SIZES];
    winnow__packing packing[WINNOW__SIZES];
    bool has_packing[WINNOW__SIZES]; /* that there is; of what is built in all
                                        are there */
    /* Of those that were loaded: */
    winnow__entry *storage;
    struct winnow__profile *previous;
} winnow__profile;

/* What a context chooses by. */
typedef struct winnow__tuning {
    const winnow__profile *built_in;
    /* NULL, or the one that was loaded last. Those before it are kept until the
     * end: a call in another thread may still read them. */
    _Atomic(const winnow__profile *) loaded;
    winnow__profile *all;
    pthread_mutex_t lock; /* of `all` */
    char refused[512];    /* why the user's own file was not loaded, or "" */
} winnow__tuning;

/* ---- built_in.c */

const winnow__profile *
winnow__built_in_profile(const winnow__device_identity *device);

/* ---- tune.c: what a context packs by */
const winnow__packing *winnow__chosen_packing(const winnow__tuning *tuning,
                                              unsigned log2_size);

/* ---- file.c: a file, line by line */

/* What a profile is checked against. */
typedef struct winnow__device_limits {
    winnow__device_identity identity;
    size_t shared_bytes; /* the most that a block can have */
} winnow__device_limits;

/* Read it, check all of it, and make a profile. The detail of an error has the
 * line, and what was expected there. */
winnow_status winnow__profile_read(const char *path,
                                   const winnow__device_limits *device,
                                   winnow__profile **profile_p);
void winnow__profile_free(winnow__profile *profile);

/* ---- check.c */

/* Can the device do what the entry says, for all of its n? If not, *why is set
 * to what was expected. */
bool winnow__entry_is_possible(const winnow__entry *entry,
                               const winnow__device_limits *device, char *why,
                               size_t why_bytes);

/* The operation of a profile's entries, by number. */
const winnow__operation *winnow__tuned_operation(winnow__tuned number);

/* ---- tune.c: a context's */

/* The device's identity is known. What WINNOW_TUNING names, or the user's own
 * file, is loaded. */
winnow_status winnow__tuning_create(winnow_context *context);
void winnow__tuning_destroy(winnow_context *context);
/* path NULL: back to what is built in. */
winnow_status winnow__cuda_tune(winnow_context *context, const char *path);

#endif
