/*
 * Ranks that can access each other's memory: WINNOW_NCCL_PEER.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ranks.h"

/* The steps at which ranks gather cards. */
typedef enum winnow__nccl_step {
    WINNOW__NCCL_MEET,
    WINNOW__NCCL_OFFER,  /* others may open this memory from now on */
    WINNOW__NCCL_OPENED, /* this rank has opened all ranks' memory */
    WINNOW__NCCL_CLOSED, /* closed it again, since a rank could not open it */
    WINNOW__NCCL_LEAVE   /* closed all memory */
} winnow__nccl_step;

/* What a rank sends to all others about itself or its memory. */
typedef struct winnow__nccl_card {
    uint64_t status; /* a winnow_status */
    uint64_t step;   /* and the number of allocations */
    uint64_t host, process;
    int64_t device;
    void *memory; /* an address in its process; for other processes: */
    cudaIpcMemHandle_t handle;
} winnow__nccl_card;

/* Memory to which peers store: this rank's, and each peer's as mapped here. */
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
    /* All ranks' cards, pinned and on the device; one more pinned, to send. */
    void *memory, *d_memory;
    winnow__nccl_card *cards, *d_cards;
    void **bases; /* in pinned memory: of one allocation */
    void **d_bases;
    winnow__nccl_plan *d_plan;
    unsigned long long *d_epoch;
};

/* ---- process.c */

/* Equal for two ranks on one host, or in one process; otherwise different. */
uint64_t winnow__nccl_host(void);
uint64_t winnow__nccl_process(void);

/* ---- peers.c */

/* By this rank alone, before any other rank waits for it. */
winnow_status winnow__nccl_make_peers(winnow_nccl *nccl);
/* The following are collective. */
winnow_status winnow__nccl_open_peers(winnow_nccl *nccl);
void winnow__nccl_close_peers(winnow_nccl *nccl);
/*
 * *status_p is this rank's status, and then the same on all ranks: an error if
 * one has an error, or if they are not at the same step. If false, this rank
 * does not know the result, and *status_p says why; other ranks have its card.
 */
bool winnow__nccl_gather(winnow_nccl *nccl, winnow__nccl_step step,
                         winnow_status *status_p, winnow__nccl_card *card);

/* ---- alloc.c */

/* Allocates memory for peers if `mine` is WINNOW_OK; `clear` zeroes it. */
winnow_status winnow__nccl_share(winnow_nccl *nccl, winnow_status mine,
                                 size_t bytes, bool clear, void **memory_p);
/* Collective, too. */
void winnow__nccl_unshare(winnow_nccl *nccl);
/* Closes peers' memory. Does not free this rank's: others may use it. */
void winnow__nccl_close_all(winnow_nccl *nccl);

/* ---- push.c */

winnow__nccl_round winnow__nccl_round_of(const winnow_nccl *nccl);
/* Enqueues an exchange; returns this rank's error. */
winnow_status winnow__nccl_push_columns(winnow_nccl *nccl,
                                        const winnow__nccl_offer *offer,
                                        const winnow_move *moves,
                                        unsigned number, cudaStream_t stream);
