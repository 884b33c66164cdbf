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
    WINNOW__FOREIGN,        /* another library's: launch_foreign() */
    WINNOW__TILE_PER_BLOCK, /* a block for each tile */
    WINNOW__CLUSTER,        /* the same, all of them one cluster */
    WINNOW__COOPERATIVE,    /* all of them resident together; the same, but
                               for kernels/copy/software_atomic.cu's */
    WINNOW__PERSISTENT,     /* as many blocks as are resident go through them */
    WINNOW__SEVERAL,        /* the operation enqueues them */
} winnow__launch_mode;

/* Whether a call that packs does so in one pass (lib/one_call). */
typedef struct winnow__one_pass {
    enum {
        WINNOW__BY_SELECTION, /* in two */
        WINNOW__BY_KEY,     /* the key is packed, and the items are marked in a
                                 selection where there is more to do */
        WINNOW__BY_RECORDS, /* by a field of theirs */
        WINNOW__BY_PARTS    /* those that pass and the others */
    } kind;
    unsigned key; /* the number of the key's move */
} winnow__one_pass;

typedef struct winnow__plan {
    winnow_strategy strategy;
    winnow__launch_mode mode;
    const winnow__kernel *kernel; /* NULL: of several, or foreign */
    unsigned shape;               /* of lib/tile's kernels: which */
    unsigned blocks;
    bool overlaps;      /* the kernel itself waits for those before it */
    bool trigger_early; /* the next one had better begin soon */
    unsigned
        spin_limit; /* where there are groups: kernels/tile/count_exchange.cuh;
                       0 in place: a block never gives up */
    /* Memory, at most one kind of which a plan has beside the cursor. */
    bool cursor;
    size_t
        groups; /* bytes: kernels/copy/one_wave.cu's, kept from call to call */
    size_t cleared;  /* bytes, zero before the launch */
    size_t other;    /* bytes */
    size_t fallback; /* bytes of the plan for a device that refuses this one */
    winnow__one_pass one_pass;
} winnow__plan;

/* What a plan may count on, and what it knows of the call's memory. */
typedef struct winnow__constraints {
    bool exchange; /* blocks that exchange counts, or wait for each other, may
                      be launched: not where such a launch was refused */
    bool ready;    /* there is memory which needs no clearing */
    bool located;  /* the memory is known: in and in_place */
    uintptr_t in;
    bool in_place;
    /* NULL, or what AUTO has chosen for the call (lib/auto/profile.h). */
    const struct winnow__settled *settled;
} winnow__constraints;

winnow_status winnow__plan_query(const winnow__query *query,
                                 const winnow__constraints *constraints,
                                 winnow__plan *plan_p);

/* The workspace that the query's calls need, wherever their memory lies and
 * whatever the device refuses: no plan of it needs more. */
size_t winnow__needed_bytes(const winnow__plan *plan);

/* ---- for operations that plan for themselves */

/* Blocks of a kernel that itself waits for those before it in the stream. */
void winnow__plan_blocks(winnow__launch_mode mode, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan);
/* The same, which share a cursor if there are several. */
void winnow__plan_sum(winnow__launch_mode mode, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan);

/* Kernels that the operation enqueues, with `bytes` of memory of any contents:
 * the rest of their workspace. */
void winnow__plan_several(size_t bytes, winnow__plan *plan);

#endif
