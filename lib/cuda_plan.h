/*
 * Which kernel a call runs, in how many blocks, with what memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_PLAN_H
#define WINNOW_LIB_CUDA_PLAN_H

#include "cuda_context.h"

/* How the blocks of a kernel share the tiles. */
typedef enum winnow__form {
    WINNOW__BY_CUB,     /* CUB's business */
    WINNOW__EACH,       /* a block for each tile */
    WINNOW__CLUSTER,    /* the same, all of them one cluster */
    WINNOW__TOGETHER,   /* the same, all of them resident together */
    WINNOW__PERSISTENT, /* as many blocks as are resident go through them */
} winnow__form;

typedef struct winnow__plan {
    winnow_strategy strategy;
    winnow__form form;
    const winnow__kernel *kernel; /* NULL for CUB's */
    unsigned blocks;
    bool overlaps; /* the kernel waits by itself for those before it */
    bool early;    /* the next one had better begin soon */
    /* Memory, at most one kind of which a plan has beside the cursor. */
    bool cursor;
    unsigned patience; /* where there are groups, see told.cuh; 0 in place:
                          a block never gives up */
    size_t groups;     /* bytes: tile_resident.cu's, kept from call to call */
    size_t cleared;    /* bytes, zero before the launch */
    size_t other;      /* bytes */
} winnow__plan;

/* What a plan may count on. */
typedef struct winnow__means {
    bool together; /* that the blocks of small inputs meet */
    bool ready;    /* that there is memory which needs no clearing */
    size_t given;  /* that so many bytes beside a cursor are enough; or 0 */
} winnow__means;

/* call->in may be NULL, for the largest that the call may need. */
winnow_status winnow__plan_call(const winnow__call *call, winnow__means means,
                                winnow__plan *plan_p);

/* ---- for operations that plan for themselves */

const winnow__limits *winnow__limits_of(const winnow__call *call);
uint64_t winnow__input_bytes(const winnow__call *call);
/* How many tiles of the kernel's the input has; at most, where it has no
 * address. */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__call *call);
/* Blocks of a kernel that waits by itself for those before it in the stream. */
void winnow__plan_blocks(winnow__form form, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan);
/* The same, which meet at a cursor if there are several. */
void winnow__plan_sum(winnow__form form, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan);

/* ---- cuda_compaction.c: the strategies */

winnow_status winnow__plan_compaction(const winnow__call *call,
                                      winnow__means means, winnow__plan *plan);

/* Set the limits of TILE_SCAN's small tiles, which follow from what the context
 * knows of its device. */
void winnow__set_scan_small(winnow__cuda_context *context);

/* ---- cuda_choose.c: AUTO */

/* The strategy that a call runs: the one asked for, or AUTO's choice. */
winnow_strategy winnow__choose(const winnow__call *call);

/* ---- cuda_cub.c: what a kernel of CUB's needs, and running it */

/* Does CUB take so many elements? */
winnow_status winnow__check_cub(const winnow__call *call);
winnow_status winnow__cub_bytes(const winnow__call *call, size_t *bytes_p);

#endif
