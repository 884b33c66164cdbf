/*
 * The arguments that the host passes to kernels. Plain C, for both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/*
 * A normalised predicate. An element x of `width` bits is kept if, in
 * arithmetic modulo 2^width,
 *
 *     ((key(x) & mask) - low) <= span,   key(x) = x ^ (sign(x) & flip)
 *
 * sign(x) is all ones if the top bit of x is set, otherwise 0. Every comparison
 * is a test of a range, by one subtraction and one comparison. A range may wrap
 * around, so its complement is a range, too. Signed integers need no bias,
 * because the subtraction cancels it. flip gives floats, which are sign and
 * magnitude, the order of integers.
 */
typedef struct winnow__test {
    uint64_t flip; /* 0, or all bits but the sign */
    uint64_t mask;
    uint64_t low;
    uint64_t span;
} winnow__test;

/* The parts of the test that a predicate needs. Each kind has a kernel. */
typedef enum winnow__test_kind {
    WINNOW__INTERVAL = 0, /* x - low <= span */
    WINNOW__KEYED = 1,    /* key(x) - low <= span */
    WINNOW__BITS = 2,     /* (x & mask) - low <= span */
    WINNOW__TEST_KINDS = 3
} winnow__test_kind;

/* The number of lower bits in which a cursor counts survivors (cursor.cuh). */
#define WINNOW__SURVIVOR_BITS 40

/* Limits of kernels/copy/one_wave.cu: tiles, blocks of a group, groups, and the
 * binary logarithm of the number of elements. */
#define WINNOW__MOST_ONE_WAVE 512
#define WINNOW__GROUP 32
#define WINNOW__MOST_GROUPS (WINNOW__MOST_ONE_WAVE / WINNOW__GROUP)
#define WINNOW__EXCHANGE_BITS 23

/* kernels/copy/cluster.cu takes at most this many tiles: a block for each. */
#define WINNOW__MOST_CLUSTER 16

/* The most blocks of kernels/copy/count.cu on a multiprocessor. */
#define WINNOW__COUNT_BLOCKS 4

/* Threads of a block of kernels/copy/estimate.cu; each tests one element. */
#define WINNOW__ESTIMATE_THREADS 256

/* Bytes and alignment of a warp's slot of kernels/copy/software_atomic.cu. */
#define WINNOW__SLOT_BYTES 32

/* Element sizes of 1, 2, 4 and 8 bytes, by their logarithm. */
#define WINNOW__SIZES 4

/*
 * The part of the workspace that blocks share. Before and after a launch all
 * members except decision and count are 0: the last block clears them. Between
 * the launches of one call left and runs_left may be 1. decision and count are
 * written before they are read, and never cleared.
 */
typedef struct winnow__cursor {
    unsigned long long survivors; /* survivors whose offsets are taken */
    unsigned int blocks_done;
    /* The first launch sets left to 1 if later launches have work, and
     * runs_left if runs.cu has work (kernels/accumulate/launches.cuh). */
    unsigned int left;
    unsigned int runs_left;
    unsigned int unused[27];  /* up to the end of a line of memory */
    unsigned int decision;    /* of kernels/auto/choose.cu */
    unsigned long long count; /* the count that deliver.cu copies */
} winnow__cursor;

/* The number of survivors before a block of kernels/copy/one_wave.cu: see
 * kernels/tile/count_exchange.cuh. */
typedef struct winnow__counts {
    uint32_t in_group; /* in earlier blocks of its group */
    uint32_t earlier;  /* in all earlier groups */
} winnow__counts;

/*
 * The memory in which a group of these blocks exchanges counts. It is 0 before
 * the first launch. Each launch leaves it ready for the next one.
 */
typedef struct winnow__group {
    uint32_t in_group[WINNOW__GROUP];       /* a word for each block */
    winnow__counts previous[WINNOW__GROUP]; /* after earlier launches */
    uint32_t earlier;                       /* a word for all these blocks */
    uint32_t fallbacks;  /* blocks that did not wait, for the tests */
    uint32_t unused[30]; /* up to the end of a line of memory */
} winnow__group;

/* The outputs of a selection. A kernel with a sink does not write *items or
 * *position: the last kernel of the call does (deliver.cu). */
typedef struct winnow__sink {
    void *out;
    uint64_t capacity; /* of out, in elements; without a position at most n */
    unsigned long long *count; /* NULL, or where the count is written */
    const uint64_t *position;  /* NULL, or where the output begins */
} winnow__sink;

/* Arguments of one kind of kernel, each in a struct of its own. */
typedef struct winnow__look_back_args {
    unsigned long long *states; /* one per tile */
} winnow__look_back_args;
typedef struct winnow__one_wave_args {
    winnow__group *groups;
    unsigned int spin_limit; /* kernels/tile/count_exchange.cuh */
} winnow__one_wave_args;
typedef struct winnow__software_args {
    void *slots; /* one for each warp */
} winnow__software_args;
typedef struct winnow__indices_args {
    uint8_t wide; /* 1: indices of 8 bytes; 0: of 4 bytes */
} winnow__indices_args;
typedef struct winnow__parts_args {
    void *rejected; /* with room for n elements, as sink.out. sink.count has the
                       numbers of elements that pass and of the others */
} winnow__parts_args;
typedef struct winnow__marked_args {
    uint32_t *words; /* of a selection (kernels/selection/args.h) */
} winnow__marked_args;
typedef struct winnow__field_args {
    uint32_t end; /* of the field, in bytes from the beginning of a record */
} winnow__field_args;
typedef struct winnow__estimate_args {
    double *selectivity;
} winnow__estimate_args;

/*
 * The only argument of every kernel that selects. Common members come first.
 * Measured times suggest that an H200 fetches lines of 32 bytes, each at its
 * first use (fetch_arguments() in kernel.cuh). So members that are used
 * together are in one line, if arguments begin at an odd multiple of 16 bytes,
 * as on an H200. The line of `in` has all that the loads need.
 */
typedef struct winnow__args {
    winnow__cursor *cursor;
    int *chosen; /* NULL, or where the strategy is written */
    winnow__test test;
    const void *in; /* n elements, aligned as elements are */
    uint64_t n;     /* the number of items, or its upper bound: item_count() */
    const uint64_t *items; /* NULL, or the number of items */
    unsigned int blocks;   /* gridDim.x, which is in another line */
    uint8_t after_clear;   /* may overlap the kernel that clears memory */
    uint8_t trigger_early; /* the next kernel may begin early: kernel.cuh */
    uint8_t candidate;     /* 0, or the number of this candidate. If
                              kernels/auto/choose.cu chose another one, this
                              launch does nothing */
    winnow__indices_args indices;
    winnow__sink sink;
    int strategy; /* the strategy of this launch */
    winnow__one_wave_args one_wave;
    winnow__look_back_args look_back;
    winnow__software_args software;
    winnow__parts_args parts;
    winnow__marked_args marked;
    winnow__estimate_args estimate;
    winnow__field_args field;
} winnow__args;

/* The argument of deliver.cu. */
typedef struct winnow__deliver_args {
    const unsigned long long *total; /* the number of items that pass */
    unsigned long long *count;       /* NULL, or where *total is copied */
    unsigned long long *position;    /* NULL, or the position: the number of
                                     elements that fit is added to it */
    uint64_t capacity;               /* of the output, in elements */
} winnow__deliver_args;

/* A kernel, and how it is launched. */
typedef struct winnow__kernel {
    const void *function; /* the address of the kernel's host stub */
    unsigned int threads;
    unsigned int tile_bytes;   /* of the input; 0 if there are no tiles */
    unsigned int vector_bytes; /* tiles are cut at multiples of this */
    unsigned int shared_bytes; /* dynamic shared memory of a block */
} winnow__kernel;
