/*
 * Ranks that reach each other's memory: those of WINNOW_NCCL_PEER.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

/* What the ranks are at when they gather cards. */
typedef enum winnow__nccl_step {
    WINNOW__NCCL_MEET,
    WINNOW__NCCL_OFFER,  /* memory that others may open from now on */
    WINNOW__NCCL_OPENED, /* that of all */
    WINNOW__NCCL_CLOSED, /* it, since a rank could not */
    WINNOW__NCCL_LEAVE   /* all of it */
} winnow__nccl_step;

/* What a rank tells all others about itself, or its memory. */
typedef struct winnow__nccl_card {
    uint64_t status; /* a winnow_status */
    uint64_t step;   /* and how many allocations there are */
    uint64_t host, process;
    int64_t device;
    void *memory; /* in addresses of its process, and for other processes: */
    cudaIpcMemHandle_t handle;
} winnow__nccl_card;

/* Memory that peers store to: of this rank, and as it has that of each peer. */
typedef struct winnow__nccl_allocation {
    unsigned char *own;
    size_t bytes;
    void *of[WINNOW__NCCL_PEERS];
} winnow__nccl_allocation;

struct winnow__nccl_peers {
    bool is_here[WINNOW__NCCL_PEERS]; /* in this process */
    bool others;                      /* some are not */
    unsigned blocks;                  /* of push.cu, for each peer */
    unsigned allocations;             /* the first is the window */
    winnow__nccl_allocation allocation[WINNOW__NCCL_ALLOCATIONS];
    /* Of all ranks, in pinned memory, and on the device; one more in pinned
     * memory, which is sent. */
    void *memory, *d_memory;
    winnow__nccl_card *cards, *d_cards;
    void **bases; /* in pinned memory, of an allocation */
    void **d_bases;
    winnow__nccl_plan *d_plan;
    unsigned long long *d_epoch;
};

/* ---- process.c */

/* The same for two ranks of one host, or of one process, and no others. */
uint64_t winnow__nccl_host(void);
uint64_t winnow__nccl_process(void);

/* ---- peers.c */

/* Of this rank alone, before anybody could wait for it. */
winnow_status winnow__nccl_make_peers(winnow_nccl *nccl);
/* The others are collective. */
winnow_status winnow__nccl_open_peers(winnow_nccl *nccl);
void winnow__nccl_close_peers(winnow_nccl *nccl);
/*
 * *status_p: this rank's, and then the same on all ranks: an error where one has
 * one, or where they are not at the same step. False: this rank has heard of no
 * result, which may be any, and *status_p says why. The others have its card.
 */
bool winnow__nccl_gather(winnow_nccl *nccl, winnow__nccl_step step,
                         winnow_status *status_p, winnow__nccl_card *card);

/* ---- alloc.c */

/* Memory for peers, on a rank that is well so far; `clear`: zero. */
winnow_status winnow__nccl_share(winnow_nccl *nccl, winnow_status mine,
                                 size_t bytes, bool clear, void **memory_p);
/* Collective, likewise. */
void winnow__nccl_unshare(winnow_nccl *nccl);
/* Of this rank alone: its own memory is not freed, others may have it. */
void winnow__nccl_close_all(winnow_nccl *nccl);

/* ---- push.c */

winnow__nccl_round winnow__nccl_round_of(const winnow_nccl *nccl);
/* Enqueues an exchange; returns this rank's error. */
winnow_status winnow__nccl_push_columns(winnow_nccl *nccl,
                                        const winnow__nccl_offer *offer,
                                        const winnow_move *moves,
                                        unsigned number, cudaStream_t stream);
