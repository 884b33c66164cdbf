/*
 * winnow_nccl_alloc: memory to which peers can store. Ranks of the same process
 * use its address; other processes open a CUDA IPC handle.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

#include <string.h>

enum {
    /* cudaMalloc() cuts smaller memory from such blocks; a handle opens one. */
    BLOCK = 2 << 20
};

static winnow_status take(winnow_nccl *nccl, size_t bytes, bool clear,
                          winnow__nccl_allocation *a, winnow__nccl_card *card) {
    void *memory = NULL;
    if (bytes > SIZE_MAX - BLOCK)
        return winnow__ranks_fail(WINNOW_ERR_MEMORY, "%zu bytes are too many",
                                  bytes);
    a->bytes = bytes / BLOCK * BLOCK + (bytes % BLOCK != 0 ? BLOCK : 0);
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMalloc(&memory, a->bytes)));
    a->own = memory;
    card->memory = memory;
    if (nccl->peers->others)
        WINNOW__TRY(
            WINNOW__NCCL_CUDA(cudaIpcGetMemHandle(&card->handle, memory)));
    if (clear)
        WINNOW__TRY(WINNOW__NCCL_CUDA(
            cudaMemsetAsync(memory, 0, a->bytes, nccl->stream)));
    return WINNOW_OK;
}

static winnow_status open_all(const winnow_nccl *nccl,
                              winnow__nccl_allocation *a) {
    const winnow__nccl_peers *const peers = nccl->peers;
    for (int r = 0; r < nccl->ranks; r++)
        if (peers->is_here[r])
            a->of[r] = peers->cards[r].memory;
        else
            WINNOW__TRY(WINNOW__NCCL_CUDA(
                cudaIpcOpenMemHandle(&a->of[r], peers->cards[r].handle,
                                     cudaIpcMemLazyEnablePeerAccess)));
    return WINNOW_OK;
}

static void close_one(const winnow_nccl *nccl, winnow__nccl_allocation *a) {
    for (int r = 0; r < nccl->ranks; r++)
        if (!nccl->peers->is_here[r] && a->of[r] != NULL)
            (void)cudaIpcCloseMemHandle(a->of[r]);
}

static winnow_status publish(winnow_nccl *nccl,
                             const winnow__nccl_allocation *a) {
    winnow__nccl_peers *const peers = nccl->peers;
    const size_t row = peers->allocations * (size_t)WINNOW__NCCL_PEERS;
    memcpy(peers->bases, a->of, sizeof a->of);
    WINNOW__TRY(WINNOW__NCCL_CUDA(
        cudaMemcpyAsync(peers->d_bases + row, peers->bases, sizeof a->of,
                        cudaMemcpyHostToDevice, nccl->stream)));
    return winnow__nccl_wait(nccl, nccl->stream);
}

/* Has every other rank closed this rank's memory? If that is unknown, the
 * memory is not freed: another process may still store to it. */
static bool all_have_closed(winnow_nccl *nccl, winnow__nccl_step step) {
    winnow__nccl_card card = {0};
    winnow_status status = WINNOW_OK;
    return !nccl->peers->others ||
           (winnow__nccl_gather(nccl, step, &status, &card) &&
            status == WINNOW_OK);
}

/* A rank that failed takes all steps that the others may take; they learn of
 * its error at the next step. */
winnow_status winnow__nccl_share(winnow_nccl *nccl, winnow_status status,
                                 size_t bytes, bool clear, void **memory_p) {
    winnow__nccl_peers *const peers = nccl->peers;
    winnow__nccl_allocation a = {.own = NULL};
    winnow__nccl_card card = {0};
    if (status == WINNOW_OK)
        status = take(nccl, bytes, clear, &a, &card);
    (void)winnow__nccl_gather(nccl, WINNOW__NCCL_OFFER, &status, &card);
    if (status == WINNOW_OK)
        status = open_all(nccl, &a);
    if (status == WINNOW_OK)
        status = publish(nccl, &a);
    const bool heard =
        winnow__nccl_gather(nccl, WINNOW__NCCL_OPENED, &status, &card);
    if (status == WINNOW_OK || !heard) {
        /* Other ranks may have this rank's memory open, and rely on its view of
         * theirs. */
        peers->allocation[peers->allocations++] = a;
        *memory_p = a.own;
        return status;
    }
    close_one(nccl, &a);
    if (all_have_closed(nccl, WINNOW__NCCL_CLOSED))
        (void)cudaFree(a.own);
    return status;
}

void winnow__nccl_close_all(winnow_nccl *nccl) {
    for (unsigned i = 0; i < nccl->peers->allocations; i++)
        close_one(nccl, &nccl->peers->allocation[i]);
}

void winnow__nccl_unshare(winnow_nccl *nccl) {
    const winnow__nccl_peers *const peers = nccl->peers;
    winnow__nccl_close_all(nccl);
    if (!all_have_closed(nccl, WINNOW__NCCL_LEAVE))
        return;
    for (unsigned i = 0; i < peers->allocations; i++)
        (void)cudaFree(peers->allocation[i].own);
}

static winnow_status check(const winnow_nccl *nccl, void **d_memory_p) {
    WINNOW__TRY(winnow__ranks_need(d_memory_p, "d_memory_p"));
    if (nccl->peers->allocations == WINNOW__NCCL_ALLOCATIONS)
        return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                  "there are %d allocations already",
                                  WINNOW__NCCL_ALLOCATIONS - 1);
    return WINNOW_OK;
}

winnow_status winnow_nccl_alloc(winnow_nccl *nccl, size_t bytes,
                                void **d_memory_p) {
    void *memory = NULL;
    int before;
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    if (nccl->way != WINNOW_NCCL_PEER)
        return winnow__ranks_fail(
            WINNOW_ERR_UNSUPPORTED,
            "nccl is not of WINNOW_NCCL_PEER: outputs may "
            "be anywhere");
    WINNOW__TRY(winnow__nccl_enter(nccl, &before));
    winnow_status status = winnow__nccl_share(
        nccl, check(nccl, d_memory_p), bytes != 0 ? bytes : 1, false, &memory);
    winnow__nccl_leave(before);
    if (status == WINNOW_OK)
        *d_memory_p = memory;
    return status;
}
