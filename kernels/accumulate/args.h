/*
 * Sums by key: the arguments of the kernels, and their tables. Plain C,
 * included by host and device code.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "kernels/core/args.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WINNOW__MOST_COMPONENTS 16

/* The threads of a block, the items of a tile, and the resident blocks of a
 * multiprocessor. A block that uses all of the shared memory is resident alone
 * and has the threads of all of these blocks. */
#define WINNOW__ACCUMULATE_THREADS 512
#define WINNOW__ACCUMULATE_TILE 2048
#define WINNOW__ACCUMULATE_BLOCKS 2

/* front.cu is used if at least one key in this number has its sum in shared
 * memory. */
#define WINNOW__ACCUMULATE_FRONT_SHARE 3

/* Shared memory of a block beside its sums, in bytes: the sample's table, and
 * what CUDA reserves. */
#define WINNOW__ACCUMULATE_STATIC 6144

/* How sums are made. The library uses AUTO; tests select the other values. */
typedef enum winnow__way {
    WINNOW__WAY_AUTO = 0,   /* blocks decide from samples of their keys */
    WINNOW__WAY_ATOMIC = 1, /* a global atomic for each item and component */
    WINNOW__WAY_RUNS = 2,   /* for each run of equal keys in a warp */
    WINNOW__WAY_WARP = 3,   /* for each distinct key of a warp */
    WINNOW__WAY_SHARED = 4  /* sums in the shared memory of each block */
} winnow__way;

/* In each component, value i is at [i * value_stride], and the sum of key k at
 * [k * out_stride]. */
typedef struct winnow__accumulate_arrays {
    const void *values[WINNOW__MOST_COMPONENTS];
    void *out[WINNOW__MOST_COMPONENTS];
    uint64_t value_stride, out_stride;
} winnow__accumulate_arrays;

typedef struct winnow__accumulate_args {
    const void *keys;
    uint64_t n;                      /* keys, at most */
    const unsigned long long *items; /* NULL, or the number of keys, if it is
                                        less than n */
    uint64_t key_bound;
    winnow__accumulate_arrays arrays;
    winnow__cursor *cursor;     /* where `beyond` is counted */
    unsigned long long *beyond; /* NULL, or the output: keys beyond the bound */
    int32_t *chosen;            /* NULL, or an output of the way, for tests */
    uint64_t tiles;             /* adjacent tiles of a block */
    uint32_t components;        /* with sums in shared memory in this launch */
    uint32_t all; /* components that are added to global memory, if none are in
                     shared memory; components of front.cu, one at a time */
    /* The keys that a launch adds to global memory if neighbouring keys are far
     * from each other. window_keys 0: the first launch adds all keys. */
    uint64_t window_first, window_keys;
    int32_t way;     /* a winnow__way */
    uint32_t slots;  /* sums of a component in a copy; 0: none */
    uint32_t seed;   /* of the hash that gives a key its slot */
    uint32_t copies; /* of all sums, in shared memory */
    /* The number of first keys with sums in the shared memory of front.cu; 0:
     * it is not launched. */
    uint32_t front_keys;
    /* `narrow`: values of 4 bytes have sums of 8. Then this is the values' sign
     * bit, or 0. */
    uint32_t sign;
    uint8_t narrow;
    uint8_t wide;   /* keys have 8 bytes, not 4 */
    uint8_t direct; /* a slot for each key: there are no tags */
    uint8_t common; /* with direct: one copy; all warps add by atomics */
    uint8_t worth;  /* enough items to use shared memory, whatever the keys */
    uint8_t first, last; /* of the call's launches: see launches.cuh */
    uint8_t runs;        /* parts in runs are left to runs.cu */
} winnow__accumulate_args;

/* By the type of sums, and by the bytes in which key_bound and all ones fit:
 * 4 or 8. */
enum {
    WINNOW__SUM_UINT32 = 0,
    WINNOW__SUM_UINT64 = 1,
    WINNOW__SUM_FLOAT32 = 2,
    WINNOW__SUM_FLOAT64 = 3,
    WINNOW__SUMS = 4
};

extern const winnow__kernel winnow__accumulate[WINNOW__SUMS][2];
extern const winnow__kernel winnow__accumulate_front[WINNOW__SUMS][2];
extern const winnow__kernel winnow__accumulate_runs[WINNOW__SUMS][2];

#ifdef __cplusplus
}
#endif
