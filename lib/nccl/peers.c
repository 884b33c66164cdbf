/*
 * Who are the other ranks, and can this one access their memory?
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
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMallocHost(&peers->memory, pinned)));
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMalloc(&peers->d_memory, device)));
    memset(peers->memory, 0, pinned);
    peers->cards = peers->memory;
    peers->bases = (void **)(peers->cards + WINNOW__NCCL_PEERS + 1);
    peers->d_cards = peers->d_memory;
    peers->d_bases = (void **)(peers->d_cards + WINNOW__NCCL_PEERS);
    peers->d_plan =
        (winnow__nccl_plan *)(peers->d_bases +
                              WINNOW__NCCL_ALLOCATIONS * WINNOW__NCCL_PEERS);
    peers->d_epoch = (unsigned long long *)(peers->d_plan + 1);
    return WINNOW__NCCL_CUDA(
        cudaMemset(peers->d_epoch, 0, sizeof *peers->d_epoch));
}

static void give_memory(winnow__nccl_peers *peers) {
    (void)cudaFree(peers->d_memory);
    (void)cudaFreeHost(peers->memory);
    free(peers);
}

/* ------------------------------------------------------------------- cards */

/* The first rank's status that is an error. A rank with the same keeps its
 * detail. */
static winnow_status worst(const winnow_nccl *nccl, uint64_t step) {
    const winnow__nccl_card *const cards = nccl->peers->cards;
    for (int r = 0; r < nccl->ranks; r++)
        if (cards[r].status != WINNOW_OK)
            return cards[r].status == cards[nccl->rank].status
                       ? (winnow_status)cards[r].status
                       : winnow__nccl_fault_status(
                             nccl, WINNOW__NCCL_HOST + cards[r].status,
                             (uint64_t)r, 0);
    for (int r = 0; r < nccl->ranks; r++)
        if (cards[r].step != step)
            return winnow__ranks_fail(WINNOW_ERR_COMMUNICATION,
                                      "rank %d is in another call, or a call "
                                      "before failed on one rank alone",
                                      r);
    return WINNOW_OK;
}

static winnow_status send_card(winnow_nccl *nccl,
                               const winnow__nccl_card *card) {
    winnow__nccl_peers *const peers = nccl->peers;
    winnow__nccl_card *const sent = &peers->cards[WINNOW__NCCL_PEERS];
    winnow__nccl_card *const d_own = &peers->d_cards[nccl->rank];
    *sent = *card;
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMemcpyAsync(
        d_own, sent, sizeof *sent, cudaMemcpyHostToDevice, nccl->stream)));
    return WINNOW__NCCL(nccl->comm,
                        ncclAllGather(d_own, peers->d_cards, sizeof *sent,
                                      ncclUint8, nccl->comm, nccl->stream));
}

static winnow_status hear_cards(const winnow_nccl *nccl) {
    const winnow__nccl_peers *const peers = nccl->peers;
    const winnow_status status = WINNOW__NCCL_CUDA(
        cudaMemcpyAsync(peers->cards, peers->d_cards,
                        (size_t)nccl->ranks * sizeof *peers->cards,
                        cudaMemcpyDeviceToHost, nccl->stream));
    /* After an error, too: a card must not change while it is read. */
    const winnow_status waited = winnow__nccl_wait(nccl, nccl->stream);
    return status == WINNOW_OK ? waited : status;
}

/* At every step, since a rank may have missed the one before. */
static void see_processes(const winnow_nccl *nccl) {
    winnow__nccl_peers *const peers = nccl->peers;
    for (int r = 0; r < nccl->ranks; r++) {
        peers->is_here[r] =
            peers->cards[r].process == peers->cards[nccl->rank].process;
        peers->others |= !peers->is_here[r];
    }
}

bool winnow__nccl_gather(winnow_nccl *nccl, winnow__nccl_step step,
                         winnow_status *status_p, winnow__nccl_card *card) {
    card->process = winnow__nccl_process();
    card->step = (uint64_t)step | (uint64_t)nccl->peers->allocations << 8;
    card->status = (uint64_t)*status_p;
    winnow_status status = send_card(nccl, card);
    if (status != WINNOW_OK) {
        /* Nothing was sent, and other ranks wait. */
        card->status = (uint64_t)status;
        *status_p = status;
        status = send_card(nccl, card);
    }
    if (status == WINNOW_OK)
        status = hear_cards(nccl);
    if (status == WINNOW_OK) {
        see_processes(nccl);
        *status_p = worst(nccl, card->step);
        return true;
    }
    *status_p = status;
    return false;
}

/* ------------------------------------------------------------------ access */

static winnow_status reach(const winnow_nccl *nccl, int device) {
    int can = 0;
    if (device == nccl->device)
        return WINNOW_OK;
    WINNOW__TRY(
        WINNOW__NCCL_CUDA(cudaDeviceCanAccessPeer(&can, nccl->device, device)));
    if (!can)
        return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                  "device %d does not reach the memory of "
                                  "device %d",
                                  nccl->device, device);
    const cudaError_t error = cudaDeviceEnablePeerAccess(device, 0);
    if (error != cudaErrorPeerAccessAlreadyEnabled)
        return winnow__nccl_cuda(error, "cudaDeviceEnablePeerAccess");
    (void)cudaGetLastError();
    return WINNOW_OK;
}

/* The memory of other processes shows this only when it is opened. */
static winnow_status reach_all(const winnow_nccl *nccl) {
    const winnow__nccl_peers *const peers = nccl->peers;
    const winnow__nccl_card *const cards = peers->cards;
    const winnow__nccl_card *const own = &cards[nccl->rank];
    for (int r = 0; r < nccl->ranks; r++) {
        if (cards[r].host != own->host || own->host == 0)
            return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                      "rank %d is on another host: "
                                      "WINNOW_NCCL_PEER is for one",
                                      r);
        if (peers->is_here[r])
            WINNOW__TRY(reach(nccl, (int)cards[r].device));
    }
    return WINNOW_OK;
}

static winnow_status count_blocks(const winnow_nccl *nccl, unsigned *blocks_p) {
    enum {
        MOST_BLOCKS = 64 /* for each peer; on four H200s more are no faster */
    };
    int processors = 0;
    const winnow_status status = WINNOW__NCCL_CUDA(cudaDeviceGetAttribute(
        &processors, cudaDevAttrMultiProcessorCount, nccl->device));
    const unsigned half = (unsigned)processors / 2;
    *blocks_p = half < 1 ? 1 : half < MOST_BLOCKS ? half : MOST_BLOCKS;
    return status;
}

winnow_status winnow__nccl_make_peers(winnow_nccl *nccl) {
    if (nccl->ranks > WINNOW__NCCL_PEERS)
        return winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                  "%d ranks: WINNOW_NCCL_PEER is for %d",
                                  nccl->ranks, WINNOW__NCCL_PEERS);
    nccl->peers = calloc(1, sizeof *nccl->peers);
    return nccl->peers == NULL
               ? winnow__ranks_fail(WINNOW_ERR_MEMORY, "no memory")
               : take_memory(nccl->peers);
}

winnow_status winnow__nccl_open_peers(winnow_nccl *nccl) {
    winnow__nccl_peers *const peers = nccl->peers;
    winnow__nccl_card card = {.host = winnow__nccl_host(),
                              .device = nccl->device};
    void *window;
    winnow_status status = count_blocks(nccl, &peers->blocks);
    (void)winnow__nccl_gather(nccl, WINNOW__NCCL_MEET, &status, &card);
    if (status == WINNOW_OK)
        status = reach_all(nccl);
    status = winnow__nccl_share(nccl, status, sizeof(winnow__nccl_window), true,
                                &window);
    if (status != WINNOW_OK) {
        winnow__nccl_close_all(nccl);
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
