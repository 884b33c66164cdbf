/*
 * Who the other ranks are, and whether this one reaches their memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ memory */

static winnow_status take_memory(winnow__nccl_peers *peers) {
    const size_t pinned = (WINNOW__NCCL_PEERS + 1) * sizeof(winnow__nccl_card) +
                          WINNOW__NCCL_PEERS * sizeof(void *);
    const size_t device =
        WINNOW__NCCL_PEERS * sizeof(winnow__nccl_card) +
        WINNOW__NCCL_ALLOCATIONS * WINNOW__NCCL_PEERS * sizeof(void *) +
        sizeof(winnow__nccl_plan) + sizeof(unsigned long long);
    winnow_status status = winnow__nccl_cuda(
        cudaMallocHost(&peers->memory, pinned), "cudaMallocHost");
    if (status == WINNOW_OK)
        status = winnow__nccl_cuda(cudaMalloc(&peers->d_memory, device),
                                   "cudaMalloc");
    if (status != WINNOW_OK)
        return status;
    memset(peers->memory, 0, pinned);
    peers->cards = peers->memory;
    peers->bases = (void **)(peers->cards + WINNOW__NCCL_PEERS + 1);
    peers->d_cards = peers->d_memory;
    peers->d_bases = (void **)(peers->d_cards + WINNOW__NCCL_PEERS);
    peers->d_plan =
        (winnow__nccl_plan *)(peers->d_bases +
                              WINNOW__NCCL_ALLOCATIONS * WINNOW__NCCL_PEERS);
    peers->d_epoch = (unsigned long long *)(peers->d_plan + 1);
    return winnow__nccl_cuda(
        cudaMemset(peers->d_epoch, 0, sizeof *peers->d_epoch), "cudaMemset");
}

static void give_memory(winnow__nccl_peers *peers) {
    (void)cudaFree(peers->d_memory);
    (void)cudaFreeHost(peers->memory);
    free(peers);
}

/* ------------------------------------------------------------------- cards */

/* Of the first rank that has an error. */
static winnow_status worst(const winnow_nccl *nccl) {
    const winnow__nccl_card *const cards = nccl->peers->cards;
    for (int r = 0; r < nccl->ranks; r++)
        if (cards[r].status != WINNOW_OK)
            return winnow__nccl_fault_status(
                nccl, WINNOW__NCCL_HOST + cards[r].status, (uint64_t)r, 0);
    return WINNOW_OK;
}

winnow_status winnow__nccl_gather(winnow_nccl *nccl, winnow_status mine,
                                  winnow__nccl_card *card) {
    winnow__nccl_peers *const peers = nccl->peers;
    winnow__nccl_card *const sent = &peers->cards[WINNOW__NCCL_PEERS];
    winnow__nccl_card *const d_own = &peers->d_cards[nccl->rank];
    card->status = (uint64_t)mine;
    *sent = *card;
    winnow_status status =
        winnow__nccl_cuda(cudaMemcpyAsync(d_own, sent, sizeof *sent,
                                          cudaMemcpyHostToDevice, nccl->stream),
                          "cudaMemcpyAsync");
    if (status == WINNOW_OK)
        status = winnow__nccl_status(nccl->comm,
                                     ncclAllGather(d_own, peers->d_cards,
                                                   sizeof *sent, ncclUint8,
                                                   nccl->comm, nccl->stream),
                                     "ncclAllGather");
    if (status == WINNOW_OK)
        status = winnow__nccl_cuda(
            cudaMemcpyAsync(peers->cards, peers->d_cards,
                            (size_t)nccl->ranks * sizeof *sent,
                            cudaMemcpyDeviceToHost, nccl->stream),
            "cudaMemcpyAsync");
    if (status == WINNOW_OK)
        status = winnow__nccl_wait(nccl, nccl->stream);
    return status == WINNOW_OK ? worst(nccl) : status;
}

/* ------------------------------------------------------------------ access */

static winnow_status reach(const winnow_nccl *nccl, int device) {
    int can = 0;
    if (device == nccl->device)
        return WINNOW_OK;
    winnow_status status =
        winnow__nccl_cuda(cudaDeviceCanAccessPeer(&can, nccl->device, device),
                          "cudaDeviceCanAccessPeer");
    if (status != WINNOW_OK)
        return status;
    if (!can)
        return winnow__nccl_fail(WINNOW_ERR_UNSUPPORTED,
                                 "device %d does not reach the memory of "
                                 "device %d",
                                 nccl->device, device);
    const cudaError_t error = cudaDeviceEnablePeerAccess(device, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        return winnow__nccl_cuda(error, "cudaDeviceEnablePeerAccess");
    (void)cudaGetLastError();
    return WINNOW_OK;
}

/* Of devices of other processes this is known when their memory is opened. */
static winnow_status reach_all(winnow_nccl *nccl) {
    winnow__nccl_peers *const peers = nccl->peers;
    const winnow__nccl_card *const cards = peers->cards;
    const winnow__nccl_card *const own = &cards[nccl->rank];
    winnow_status status = WINNOW_OK;
    for (int r = 0; r < nccl->ranks && status == WINNOW_OK; r++) {
        if (cards[r].host != own->host || own->host == 0)
            status = winnow__nccl_fail(WINNOW_ERR_UNSUPPORTED,
                                       "rank %d is on another host: "
                                       "WINNOW_NCCL_PEER is for one",
                                       r);
        peers->is_here[r] = cards[r].process == own->process;
        peers->others |= !peers->is_here[r];
        if (status == WINNOW_OK && peers->is_here[r])
            status = reach(nccl, (int)cards[r].device);
    }
    return status;
}

static winnow_status count_blocks(const winnow_nccl *nccl, unsigned *blocks_p) {
    enum {
        MOST_BLOCKS = 64 /* of four H200s, for each peer: more is no faster */
    };
    int processors = 0;
    const winnow_status status = winnow__nccl_cuda(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                               nccl->device),
        "cudaDeviceGetAttribute");
    const unsigned half = (unsigned)processors / 2;
    *blocks_p = half < 1 ? 1 : half < MOST_BLOCKS ? half : MOST_BLOCKS;
    return status;
}

winnow_status winnow__nccl_open_peers(winnow_nccl *nccl) {
    winnow__nccl_card card = {.host = winnow__nccl_host(),
                              .process = winnow__nccl_process(),
                              .device = nccl->device};
    void *window;
    if (nccl->ranks > WINNOW__NCCL_PEERS)
        return winnow__nccl_fail(WINNOW_ERR_UNSUPPORTED,
                                 "%d ranks: WINNOW_NCCL_PEER is for %d",
                                 nccl->ranks, WINNOW__NCCL_PEERS);
    winnow__nccl_peers *const peers = calloc(1, sizeof *peers);
    if (peers == NULL)
        return winnow__nccl_fail(WINNOW_ERR_MEMORY, "no memory");
    nccl->peers = peers;
    winnow_status status = take_memory(peers);
    if (status == WINNOW_OK)
        status = winnow__nccl_gather(nccl, count_blocks(nccl, &peers->blocks),
                                     &card);
    if (status == WINNOW_OK)
        status = winnow__nccl_share(nccl, reach_all(nccl),
                                    sizeof(winnow__nccl_window), true, &window);
    if (status != WINNOW_OK) {
        give_memory(peers);
        nccl->peers = NULL;
    }
    return status;
}

void winnow__nccl_close_peers(winnow_nccl *nccl) {
    if (nccl->peers == NULL)
        return;
    winnow__nccl_unshare(nccl);
    give_memory(nccl->peers);
}
