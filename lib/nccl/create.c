/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

#include <stdlib.h>

enum {
    LOG2_MOST_PIECE = 29 /* also the default */
};

static winnow_status check_options(const winnow_nccl_options *options,
                                   winnow_nccl *nccl) {
    winnow_nccl_options o = {.size = sizeof o};
    WINNOW__TRY(winnow__ranks_take_options(options, "winnow_nccl_options", &o,
                                           sizeof o));
    WINNOW__TRY(winnow__ranks_check_options(o.reserved, o.piece_bytes,
                                            LOG2_MOST_PIECE));
    if (o.way != WINNOW_NCCL_EXACT && o.way != WINNOW_NCCL_PEER)
        return winnow__ranks_refuse("options->way is %d, no way that there is",
                                    (int)o.way);
    nccl->piece_bytes =
        o.piece_bytes != 0 ? o.piece_bytes : UINT64_C(1) << LOG2_MOST_PIECE;
    nccl->way = o.way;
    return WINNOW_OK;
}

static winnow_status open_comm(winnow_nccl *nccl, ncclComm_t comm) {
    nccl->comm = comm;
    WINNOW__TRY(WINNOW__NCCL(comm, ncclCommCount(comm, &nccl->ranks)));
    WINNOW__TRY(WINNOW__NCCL(comm, ncclCommUserRank(comm, &nccl->rank)));
    return WINNOW__NCCL(comm, ncclCommCuDevice(comm, &nccl->device));
}

/* Cuts a part from a block of memory. Parts are multiples of 16 bytes. `memory`
 * is NULL while the block's size is computed. */
static void *cut(unsigned char *memory, size_t *at_p, size_t bytes) {
    void *const part = memory != NULL ? memory + *at_p : NULL;
    *at_p += (bytes + 15) / 16 * 16;
    return part;
}

/* Returns the size in bytes. */
static size_t lay_out_device(winnow_nccl *nccl, unsigned char *memory) {
    const size_t ranks = (size_t)nccl->ranks;
    size_t at = 0;
    nccl->d_words = cut(memory, &at, ranks * sizeof *nccl->d_words);
    nccl->d_heard = cut(memory, &at, ranks * sizeof *nccl->d_heard);
    nccl->d_counts = cut(memory, &at, ranks * sizeof *nccl->d_counts);
    nccl->d_send = cut(memory, &at, (ranks + 1) * sizeof *nccl->d_send);
    nccl->d_receive = cut(memory, &at, (ranks + 1) * sizeof *nccl->d_receive);
    nccl->d_parts = cut(memory, &at, (ranks + 1) * sizeof *nccl->d_parts);
    nccl->d_results =
        cut(memory, &at,
            ranks * WINNOW__NCCL_REDUCE_WORDS * sizeof *nccl->d_results);
    nccl->d_verdict = cut(memory, &at, sizeof *nccl->d_verdict);
    return at;
}

static size_t lay_out_host(winnow_nccl *nccl, unsigned char *memory) {
    const size_t ranks = (size_t)nccl->ranks;
    size_t at = 0;
    nccl->verdict = cut(memory, &at, sizeof *nccl->verdict);
    nccl->late = cut(memory, &at, sizeof *nccl->late);
    nccl->send = cut(memory, &at, (ranks + 1) * sizeof *nccl->send);
    nccl->receive = cut(memory, &at, (ranks + 1) * sizeof *nccl->receive);
    return at;
}

static winnow_status take_memory(winnow_nccl *nccl) {
    WINNOW__TRY(WINNOW__NCCL_CUDA(
        cudaMalloc(&nccl->d_memory, lay_out_device(nccl, NULL))));
    WINNOW__TRY(WINNOW__NCCL_CUDA(
        cudaMallocHost(&nccl->memory, lay_out_host(nccl, NULL))));
    lay_out_device(nccl, nccl->d_memory);
    lay_out_host(nccl, nccl->memory);
    *nccl->late = (winnow__nccl_late){0};
    return WINNOW_OK;
}

static void give_memory(winnow_nccl *nccl) {
    (void)cudaFree(nccl->d_memory);
    (void)cudaFreeHost(nccl->memory);
}

/* An exchange of no items: it agrees on a status. */
static winnow_status agree(winnow_nccl *nccl, winnow_status mine) {
    const winnow__nccl_offer offer = {.status = mine,
                                      .offsets = nccl->d_receive,
                                      .same = winnow__nccl_same_options(nccl)};
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaMemsetAsync(
        nccl->d_receive, 0, ((size_t)nccl->ranks + 1) * sizeof *nccl->d_receive,
        nccl->stream)));
    return winnow__nccl_agree(nccl, &offer, nccl->stream);
}

static void close_device(winnow_nccl *nccl) {
    winnow__nccl_close_peers(nccl);
    give_memory(nccl);
    if (nccl->stream != NULL)
        (void)cudaStreamDestroy(nccl->stream);
}

static winnow_status ask_device(winnow_nccl *nccl) {
    int pageable = 0;
    WINNOW__TRY(WINNOW__NCCL_CUDA(cudaDeviceGetAttribute(
        &pageable, cudaDevAttrPageableMemoryAccess, nccl->device)));
    nccl->pageable = pageable != 0;
    return WINNOW_OK;
}

static winnow_status open_device(winnow_nccl *nccl, winnow_status mine) {
    winnow_status status = winnow__nccl_load();
    if (status == WINNOW_OK)
        status = WINNOW__NCCL_CUDA(
            cudaStreamCreateWithFlags(&nccl->stream, cudaStreamNonBlocking));
    if (status == WINNOW_OK)
        status = take_memory(nccl);
    if (mine == WINNOW_OK && status == WINNOW_OK)
        mine = ask_device(nccl);
    if (mine == WINNOW_OK && status == WINNOW_OK &&
        nccl->way == WINNOW_NCCL_PEER)
        mine = winnow__nccl_make_peers(nccl);
    if (status == WINNOW_OK)
        status = agree(nccl, mine);
    if (status == WINNOW_OK && nccl->way == WINNOW_NCCL_PEER)
        status = winnow__nccl_open_peers(nccl);
    if (status != WINNOW_OK)
        close_device(nccl);
    return status;
}

winnow_status winnow_nccl_create(winnow_nccl **nccl_p, ncclComm_t comm,
                                 const winnow_nccl_options *options) {
    winnow_nccl *nccl = NULL;
    int before;
    WINNOW__TRY(winnow__ranks_need(nccl_p, "nccl_p"));
    WINNOW__TRY(winnow__ranks_need(comm, "comm"));
    if ((nccl = calloc(1, sizeof *nccl)) == NULL)
        return winnow__ranks_fail(WINNOW_ERR_MEMORY, "no memory");
    winnow_status status = open_comm(nccl, comm);
    if (status == WINNOW_OK)
        status = winnow__nccl_enter(nccl, &before);
    if (status != WINNOW_OK) {
        free(nccl);
        return status;
    }
    const winnow_status mine = check_options(options, nccl);
    status = open_device(nccl, mine);
    winnow__nccl_leave(before);
    if (status == WINNOW_OK)
        *nccl_p = nccl;
    else
        free(nccl);
    return status;
}

void winnow_nccl_destroy(winnow_nccl *nccl) {
    int before;
    if (nccl == NULL)
        return;
    if (winnow__nccl_enter(nccl, &before) == WINNOW_OK) {
        close_device(nccl);
        winnow__nccl_leave(before);
    }
    free(nccl);
}
