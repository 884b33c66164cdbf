/*
 * Which kernel a call runs, in how many blocks, with what memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#ifdef WINNOW_CUDA

#include "context.h"

/* How the blocks of a kernel share the tiles. */
typedef enum winnow__launch_mode {
    WINNOW__FOREIGN,        /* of another library: launch_foreign() */
    WINNOW__TILE_PER_BLOCK, /* one block for each tile */
    WINNOW__CLUSTER,        /* the same, and all blocks are one cluster */
    WINNOW__COOPERATIVE,    /* the same, and all blocks are resident together;
                               kernels/copy/software_atomic.cu has fewer blocks */
    WINNOW__PERSISTENT,     /* the resident blocks loop over the tiles */
    WINNOW__SEVERAL,        /* the operation enqueues several kernels */
} winnow__launch_mode;

/* Does a call that packs do so in one pass (lib/one_call)? */
typedef struct winnow__one_pass {
    enum {
        WINNOW__BY_SELECTION, /* no: in two passes */
        WINNOW__BY_KEY,     /* packs the key, and marks the items in a selection
                               if there are more columns */
        WINNOW__BY_RECORDS, /* packs records by one of their fields */
        WINNOW__BY_PARTS    /* packs the items that pass, and the others */
    } kind;
    unsigned key; /* the index of the key's move */
} winnow__one_pass;

typedef struct winnow__plan {
    winnow_strategy strategy;
    winnow__launch_mode mode;
    const winnow__kernel
        *kernel;    /* NULL: several kernels, or another library's */
    unsigned shape; /* the shape of a kernel of lib/tile */
    unsigned blocks;
    bool overlaps;      /* the kernel itself waits for earlier ones */
    bool trigger_early; /* the next kernel should start soon */
    unsigned
        spin_limit; /* if there are groups: kernels/tile/count_exchange.cuh; 0
                       in place: a block never gives up */
    /* Memory. Beside the cursor a plan has at most one kind. */
    bool cursor;
    size_t groups;  /* bytes for kernels/copy/one_wave.cu, kept between calls */
    size_t cleared; /* bytes, zero before the launch */
    size_t other;   /* bytes */
    size_t
        fallback; /* bytes of the plan to use if the device refuses this one */
    winnow__one_pass one_pass;
} winnow__plan;

/* What a plan may use, and what is known about the call's memory. */
typedef struct winnow__constraints {
    bool exchange; /* blocks may exchange counts or wait for each other; false
                      after such a launch was refused */
    bool ready;    /* there is memory that needs no clearing */
    bool located;  /* in and in_place are known */
    uintptr_t in;
    bool in_place;
    /* NULL, or AUTO's choice for the call (lib/auto/profile.h). */
    const struct winnow__settled *settled;
} winnow__constraints;

winnow_status winnow__plan_query(const winnow__query *query,
                                 const winnow__constraints *constraints,
                                 winnow__plan *plan_p);

/* The workspace for all calls of this query, wherever their memory lies and
 * whatever the device refuses. */
size_t winnow__needed_bytes(const winnow__plan *plan);

/* ---- for operations that make their own plans */

/* Plan the blocks of a kernel that itself waits for earlier ones in the stream. */
void winnow__plan_blocks(winnow__launch_mode mode, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan);
/* The same; several blocks share a cursor. */
void winnow__plan_sum(winnow__launch_mode mode, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan);

/* Plan kernels that the operation enqueues. `bytes` of uninitialized memory are
 * the rest of their workspace. */
void winnow__plan_several(size_t bytes, winnow__plan *plan);

#endif
