/*
 * What the host hands to a kernel: plain C, included by both sides.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stdint.h>

/*
 * A predicate, normalised. With all arithmetic modulo 2^width of the element,
 * x is kept exactly when
 *
 *     ((key(x) & mask) - low) <= span,   key(x) = x ^ (sign(x) & flip)
 *
 * where sign(x) is all ones when the top bit of x is set. One subtraction and
 * one comparison test a range, and so every comparison: a range may wrap
 * around, so that "not in" is a range too, and signed integers need no bias of
 * their own, since it cancels. flip orders floats, which are sign and
 * magnitude, like integers.
 */
typedef struct winnow__test {
    uint64_t flip; /* 0, or all bits but the sign */
    uint64_t mask;
    uint64_t low;
    uint64_t span;
} winnow__test;

/* Which parts of the test a predicate needs; kernels are built for each. */
typedef enum winnow__test_kind {
    WINNOW__INTERVAL = 0, /* x - low <= span */
    WINNOW__KEYED = 1,    /* key(x) - low <= span */
    WINNOW__BITS = 2,     /* (x & mask) - low <= span */
    WINNOW__TEST_KINDS = 3
} winnow__test_kind;

/* Where a cursor counts tiles beside survivors: see cursor.cuh. */
#define WINNOW__SURVIVOR_BITS 40

/* The most tiles that kernels/copy/one_wave.cu takes; its groups of blocks; and
 * the most elements, by their logarithm. */
#define WINNOW__MOST_ONE_WAVE 512
#define WINNOW__GROUP 32
#define WINNOW__MOST_GROUPS (WINNOW__MOST_ONE_WAVE / WINNOW__GROUP)
#define WINNOW__EXCHANGE_BITS 23

/* The most tiles that kernels/copy/cluster.cu takes: the blocks of a cluster.
 */
#define WINNOW__MOST_CLUSTER 16

/* The most blocks of kernels/copy/count.cu on a multiprocessor, where there are
 * many tiles.
 */
#define WINNOW__COUNT_BLOCKS 4

/* The threads of a block of kernels/copy/estimate.cu, which look at an element
 * each. */
#define WINNOW__ESTIMATE_THREADS 256

/* A warp's slot of kernels/copy/software_atomic.cu, in bytes, and aligned to as
 * many. */
#define WINNOW__SLOT_BYTES 32

/* Element sizes of 1, 2, 4 and 8 bytes, by their logarithm. */
#define WINNOW__SIZES 4

/*
 * The part of the workspace that blocks share. But for the decision and the
 * count, all zero before a launch, and all zero again after it: the last block
 * to finish sees to that. Between the launches of one call `left` and
 * `runs_left` may be 1.
 */
typedef struct winnow__cursor {
    unsigned long long survivors; /* that have their offsets */
    unsigned int blocks_done;
    unsigned int left;       /* 1: for later launches, */
    unsigned int runs_left;  /* for kernels/accumulate/runs.cu:
                                kernels/accumulate/launches.cuh */
    unsigned int unused[27]; /* up to the end of a line of memory */
    unsigned int decision; /* of kernels/auto/choose.cu, which writes it before
                              it is read: it keeps its value */
    unsigned long long count; /* of a call whose count goes on from here
                                 (deliver.cu); likewise */
} winnow__cursor;

/* Survivors before a block of kernels/copy/one_wave.cu, as
 * kernels/tile/count_exchange.cuh counts them.
 */
typedef struct winnow__counts {
    uint32_t in_group; /* of the blocks of its group before it */
    uint32_t earlier;  /* of all groups before its own */
} winnow__counts;

/*
 * Where a group of these blocks exchanges counts. All zero before the first
 * launch; every launch leaves it fit for the next.
 */
typedef struct winnow__group {
    uint32_t in_group[WINNOW__GROUP];       /* a word for each block */
    winnow__counts previous[WINNOW__GROUP]; /* what earlier launches left */
    uint32_t earlier;                       /* one word for all of them */
    uint32_t fallbacks;  /* blocks that did not wait, for the tests */
    uint32_t unused[30]; /* up to the end of a line of memory */
} winnow__group;

/* Where the results of a selection go. No kernel that has one writes the words
 * items and position: the call's last kernel does (deliver.cu). */
typedef struct winnow__sink {
    void *out;
    uint64_t capacity; /* nothing is written at or past it; without a position
                          at most n */
    unsigned long long *count; /* NULL, or where it is written */
    const uint64_t *position;  /* NULL, or where the output begins */
} winnow__sink;

/* What one kind of kernel has alone, each in a struct of its own. */
typedef struct winnow__look_back_args {
    unsigned long long *states; /* one per tile */
} winnow__look_back_args;
typedef struct winnow__one_wave_args {
    winnow__group *groups;
    unsigned int spin_limit; /* kernels/tile/count_exchange.cuh */
} winnow__one_wave_args;
typedef struct winnow__software_args {
    void *slots; /* of the warps */
} winnow__software_args;
typedef struct winnow__indices_args {
    uint8_t wide; /* of 8 bytes, not 4 */
} winnow__indices_args;
typedef struct winnow__parts_args {
    void *rejected; /* both outputs have room for n; the count, which may be
                       NULL, is two: of those that pass, and of these */
} winnow__parts_args;
typedef struct winnow__marked_args {
    uint32_t *words; /* of a selection (kernels/selection/args.h) */
} winnow__marked_args;
typedef struct winnow__field_args {
    uint32_t end; /* in bytes, from the beginning of a record */
} winnow__field_args;
typedef struct winnow__estimate_args {
    double *selectivity;
} winnow__estimate_args;

/*
 * The one argument of every kernel that selects: what all share comes first. By
 * its times an H200 fetches it in lines of 32 bytes, each when a kernel first
 * needs it (fetch_arguments() in kernel.cuh): what goes together is in one
 * line, where arguments begin at an odd multiple of 16 bytes, as there. What
 * the loads need is the line of `in`.
 */
typedef struct winnow__args {
    winnow__cursor *cursor;
    int *chosen; /* NULL, or where to report the strategy */
    winnow__test test;
    const void *in; /* n elements, aligned as elements are */
    uint64_t n;     /* an upper bound, with items: item_count() in kernel.cuh */
    const uint64_t *items; /* NULL, or how many there are */
    unsigned int blocks;   /* of this launch: gridDim.x is in another line */
    uint8_t after_clear; /* may overlap the kernel that clears the workspace */
    uint8_t trigger_early; /* when the next kernel may begin: kernel.cuh */
    uint8_t candidate; /* 0, or the number of this launch among those of which
                          one was chosen (kernels/auto/choose.cu): the others do
                          nothing */
    winnow__indices_args indices;
    winnow__sink sink;
    int strategy; /* which one this launch is */
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
    const unsigned long long *total; /* how many pass */
    unsigned long long *count;       /* NULL, or where that goes, too */
    unsigned long long *position;    /* NULL, or what grows by those of them */
    uint64_t capacity;               /* that there was room for before it */
} winnow__deliver_args;

/* How a kernel wants to be launched. */
typedef struct winnow__kernel {
    const void *function; /* the address of the kernel's host stub */
    unsigned int threads;
    unsigned int tile_bytes;   /* of input; 0 where there are no tiles */
    unsigned int vector_bytes; /* tiles are cut at multiples of this */
    unsigned int shared_bytes; /* dynamic shared memory of a block */
} winnow__kernel;
