/*
 * Which kernel a call runs, in how many blocks, with what memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINNOW_LIB_CUDA_PLAN_H
#define WINNOW_LIB_CUDA_PLAN_H

#include "context.h"

#include <string.h>

/* The most that an operation keeps in a plan. */
enum {
    WINNOW__OWN_BYTES = 768
};

/* How the blocks of a kernel share the tiles. */
typedef enum winnow__launch_mode {
    WINNOW__BY_CUB,         /* CUB's business */
    WINNOW__TILE_PER_BLOCK, /* a block for each tile */
    WINNOW__CLUSTER,        /* the same, all of them one cluster */
    WINNOW__COOPERATIVE,    /* all of them resident together; the same, but
                               for kernels/copy/software_atomic.cu's */
    WINNOW__PERSISTENT,     /* as many blocks as are resident go through them */
    WINNOW__SEVERAL,        /* the operation enqueues them */
} winnow__launch_mode;

typedef struct winnow__plan {
    winnow_strategy strategy;
    winnow__launch_mode mode;
    const winnow__kernel *kernel; /* NULL for CUB's */
    winnow__shape shape;          /* of a strategy's kernel */
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
    /* What the operation alone needs of it later: WINNOW__KEEP(). */
    unsigned char own[WINNOW__OWN_BYTES];
} winnow__plan;

/*
 * From an operation's plan() to its enqueue() and set_results(), so that none
 * of it is found out twice in a call: a copy of a struct of its own, OWN or
 * *OWN_P.
 */
#define WINNOW__KEEP(PLAN, OWN)                                                \
    do {                                                                       \
        _Static_assert(sizeof(OWN) <= WINNOW__OWN_BYTES, "it has no room");    \
        memcpy((PLAN)->own, &(OWN), sizeof(OWN));                              \
    } while (0)
#define WINNOW__RECALL(PLAN, OWN_P)                                            \
    do {                                                                       \
        _Static_assert(sizeof *(OWN_P) <= WINNOW__OWN_BYTES,                   \
                       "it has no room");                                      \
        memcpy((OWN_P), (PLAN)->own, sizeof *(OWN_P));                         \
    } while (0)

/* What a plan may count on, and what it knows of the call's memory. */
typedef struct winnow__constraints {
    bool exchange; /* blocks that exchange counts, or wait for each other, may
                      be launched: not where such a launch was refused */
    bool ready;    /* there is memory which needs no clearing */
    bool located;  /* the memory is known: in and in_place */
    uintptr_t in;
    bool in_place;
    bool choice; /* it is one of several candidates, of which one will run */
    winnow__candidate candidate; /* WINNOW_AUTO: the first that AUTO has */
} winnow__constraints;

winnow_status winnow__plan_query(const winnow__query *query,
                                 const winnow__constraints *constraints,
                                 winnow__plan *plan_p);

/* The workspace that the query's calls need, wherever their memory lies and
 * whatever the device refuses: no plan of it needs more. */
size_t winnow__needed_bytes(const winnow__plan *plan);

/* ---- for operations that plan for themselves */

uint64_t winnow__input_bytes(const winnow__query *query);
/* How many tiles of the kernel's the input has; at most, where it is not
 * located. */
uint64_t winnow__count_tiles(const winnow__kernel *kernel,
                             const winnow__query *query,
                             const winnow__constraints *constraints);
uint64_t winnow__most_tiles(const winnow__kernel *kernel,
                            const winnow__query *query);
/* Striped tiles are cut at elements, others at vectors. */
static inline bool winnow__is_striped(const winnow__kernel *kernel,
                                      const winnow__query *query) {
    return kernel->vector_bytes == query->type->size;
}

/* Blocks of a kernel that itself waits for those before it in the stream. */
void winnow__plan_blocks(winnow__launch_mode mode, const winnow__kernel *kernel,
                         uint64_t blocks, bool cursor, winnow__plan *plan);
/* The same, which share a cursor if there are several. */
void winnow__plan_sum(winnow__launch_mode mode, const winnow__kernel *kernel,
                      uint64_t blocks, winnow__plan *plan);

/* Kernels that the operation enqueues, with `bytes` of memory of any contents:
 * the rest of their workspace. */
void winnow__plan_several(size_t bytes, winnow__plan *plan);

/* ---- lib/copy/plan.c: the strategies */

/* The shapes by which an operation has each strategy: those of a sink. */
typedef struct winnow__sink_shapes {
    winnow__shape global_atomic, shared_atomic, warp_aggregated, warp_shared;
    winnow__shape software_atomic;
    winnow__ladder single_block, cluster, aggregated, one_wave, look_back;
    /* The largest clusters worth it where there is memory, by order. */
    winnow__shape unordered_cluster, stable_cluster;
} winnow__sink_shapes;

winnow_status winnow__plan_compaction(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      winnow__plan *plan);

/* TILE_SCAN's kernel in a shape of any number of tiles; and whether the device
 * and the kernel can. */
winnow_status winnow__plan_look_back(const winnow__query *query,
                                     const winnow__constraints *constraints,
                                     winnow__shape shape, winnow__plan *plan);
bool winnow__can_look_back(const winnow__query *query, winnow__shape shape);
/* Is the input also one that copy_if takes in large tiles? The operations that
 * have such a shape beside a selection take it for these alone. */
bool winnow__is_one_pass(const winnow__query *query, winnow__shape shape);

/* ---- lib/copy/plan_small.c: inputs of few tiles. *possible_p: is there such a
 * plan? */

/* One block or one cluster, which need no memory; `last`: the largest shape of
 * a cluster that is worth it where there is memory. */
winnow_status winnow__plan_bare(const winnow__query *query,
                                const winnow__constraints *constraints,
                                const winnow__sink_shapes *shapes,
                                winnow__shape last, winnow__plan *plan,
                                bool *possible_p);
/* The same in a given shape; of a cluster, where the device can. */
winnow_status winnow__plan_bare_in(const winnow__query *query,
                                   const winnow__constraints *constraints,
                                   winnow__shape shape, winnow__plan *plan,
                                   bool *possible_p);
/* Blocks that exchange counts through memory. */
winnow_status winnow__plan_one_wave(const winnow__query *query,
                                    const winnow__constraints *constraints,
                                    winnow__ladder ladder, winnow__plan *plan,
                                    bool *possible_p);
winnow_status winnow__plan_one_wave_in(const winnow__query *query,
                                       const winnow__constraints *constraints,
                                       winnow__shape shape, winnow__plan *plan,
                                       bool *possible_p);
/*
 * Should the launch of the next kernel be triggered while the tiles are
 * counted, or later? Its blocks then wait where there is room beside these. If
 * there is room for half of them, they crowd some multiprocessors, and the
 * others have little to do (bench/NOTES.md has the times). Striped tiles are
 * small: there the trigger is early only if they fill the device, so that the
 * next kernel's blocks begin as they end.
 */
bool winnow__triggers_early(bool is_striped, uint64_t blocks, uint64_t most);

/* ---- lib/auto/choose.c: AUTO */

/* What a call may run: candidates in the order of their ranges of selectivity.
 * One: that is it. */
typedef struct winnow__choice {
    unsigned number;
    const winnow__candidate *candidates; /* NULL: `only` */
    winnow__candidate only;
    const winnow__profile *profile; /* that they are from; NULL: none */
    const winnow__entry *entry;     /* of it */
} winnow__choice;

/* The strategy asked for, or what the context's profile says: one candidate
 * where there is a hint. */
winnow__choice winnow__choose(const winnow__query *query);
/* Whatever the hint is. */
winnow__choice winnow__choose_any(const winnow__query *query);

static inline winnow__candidate
winnow__candidate_of(const winnow__choice *choice, unsigned i) {
    return choice->candidates != NULL ? choice->candidates[i] : choice->only;
}

/* ---- lib/auto/candidates.c: several of them in one call */

/* The plans of all candidates, each once, and the memory that serves any. */
typedef struct winnow__candidate_plans {
    unsigned number; /* of plans */
    winnow__candidate candidates[WINNOW__MOST_CANDIDATES];
    winnow__plan plans[WINNOW__MOST_CANDIDATES];
    /* The plan of each of the choice's candidates. */
    unsigned plan_of[WINNOW__MOST_CANDIDATES];
    winnow__plan memory; /* no kernel */
} winnow__candidate_plans;

winnow_status winnow__plan_candidates(const winnow__query *query,
                                      const winnow__constraints *constraints,
                                      const winnow__choice *choice,
                                      winnow__candidate_plans *plans_p);

/* ---- lib/copy/cub.c: what a kernel of CUB's needs, and running it */

/* Does CUB take so many elements? */
winnow_status winnow__check_cub(const winnow__query *query);
/* choice: as one of several candidates. */
winnow_status winnow__cub_bytes(const winnow__query *query, bool choice,
                                size_t *bytes_p);

#endif
