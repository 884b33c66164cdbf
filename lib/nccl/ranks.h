/*
 * What the calls over NCCL share.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cuda_runtime_api.h>
#include <winnow_nccl.h>

#include <stdbool.h>

#include "kernels/nccl/args.h"
#include "ranks/ranks.h"

typedef struct winnow__nccl_peers winnow__nccl_peers; /* peers.h */

struct winnow_nccl {
    ncclComm_t comm;
    int device, rank, ranks;
    bool pageable; /* can the device access pageable host memory? */
    uint64_t piece_bytes;
    winnow_nccl_way way;
    cudaStream_t stream;       /* of calls that wait */
    winnow__nccl_peers *peers; /* of WINNOW_NCCL_PEER, or NULL */
    /* On the device: for each rank, or ranks + 1 offsets. */
    void *d_memory; /* the block with all of these */
    winnow__nccl_word *d_words, *d_heard;
    uint64_t *d_counts, *d_send, *d_receive, *d_parts;
    uint64_t *d_results; /* WINNOW__NCCL_REDUCE_WORDS for each rank */
    winnow__nccl_verdict *d_verdict;
    /* In pinned memory, which kernels write: the last results. */
    void *memory;
    uint64_t *send, *receive;
    winnow__nccl_verdict *verdict;
    winnow__nccl_late *late; /* of calls that did not wait */
    uint64_t most;           /* of the last offer */
};

/* ---- errors.c */

/* The status for a return value of CUDA or NCCL. `call` is text that begins
 * with the function's name. Waits for a nonblocking communicator. */
winnow_status winnow__nccl_cuda(cudaError_t error, const char *call);
winnow_status winnow__nccl_status(ncclComm_t comm, ncclResult_t result,
                                  const char *call);
#define WINNOW__NCCL_CUDA(CALL) winnow__nccl_cuda(CALL, #CALL)
#define WINNOW__NCCL(COMM, CALL) winnow__nccl_status(COMM, CALL, #CALL)

/* The status for a fault on a rank. On that rank the detail is set already; on
 * others it names the rank. `most`: of this rank's offer. */
winnow_status winnow__nccl_fault_status(const winnow_nccl *nccl, uint64_t fault,
                                        uint64_t rank, uint64_t most);
/* The winnow__nccl_fault for a status that the host found. */
uint64_t winnow__nccl_host_fault(winnow_status status);

/* ---- device.c */

/* Makes the communicator's device the thread's, until winnow__nccl_leave(). */
winnow_status winnow__nccl_enter(const winnow_nccl *nccl, int *before_p);
void winnow__nccl_leave(int before);
winnow_status winnow__nccl_launch(const winnow__kernel *kernel, unsigned blocks,
                                  const void *args, cudaStream_t stream);
/* Loads all kernels, so that none is loaded while other ranks wait. */
winnow_status winnow__nccl_load(void);
/* Waits until the stream has done its work, or NCCL has failed. */
winnow_status winnow__nccl_wait(const winnow_nccl *nccl, cudaStream_t stream);
/* Checks a launch; writes *stream_p if there is one. */
winnow_status winnow__nccl_check_launch(const winnow_launch *launch,
                                        cudaStream_t *stream_p);
static inline bool winnow__nccl_is_aligned(const void *words) {
    return (uintptr_t)words % sizeof(uint64_t) == 0;
}

/* ---- same.c */

/* The arguments that have to be equal on all ranks, in one word. */
uint64_t winnow__nccl_same_options(const winnow_nccl *nccl);
uint64_t winnow__nccl_same_columns(const winnow_move *moves, unsigned number);
uint64_t winnow__nccl_same_result(winnow_type type, unsigned wanted);
/* An error that says what differs. same: the words of rank 0 and of `rank`. */
winnow_status winnow__nccl_differ(uint64_t rank, const uint64_t same[2]);

/* ---- agree.c */

/* What a rank contributes to an agreement. */
typedef struct winnow__nccl_offer {
    winnow_status status;    /* of its arguments */
    bool is_even;            /* winnow_nccl_balance() */
    const uint64_t *count;   /* if is_even: items; on the device */
    const uint64_t *offsets; /* otherwise: ranks + 1; on the device */
    uint64_t most;           /* the most elements that they may count */
    uint64_t same;           /* the arguments that have to be equal: same.c */
    uint64_t capacity;
    uint64_t *from_offsets; /* NULL, or the caller's */
    uint64_t *share;        /* the same, if is_even */
} winnow__nccl_offer;
/* Waits for the stream. Returns the same status on all ranks; on success
 * nccl->send and nccl->receive have their offsets. */
winnow_status winnow__nccl_agree(winnow_nccl *nccl,
                                 const winnow__nccl_offer *offer,
                                 cudaStream_t stream);

/* ---- reach.c */

/* Can the device access this memory, or is it NULL? The detail has the name. */
winnow_status winnow__nccl_reaches(const winnow_nccl *nccl, cudaStream_t stream,
                                   const char *name, const void *start,
                                   uint64_t bytes);
/* All memory of an offer and its columns. Sets inaccessible results to NULL. */
winnow_status winnow__nccl_reaches_offer(const winnow_nccl *nccl,
                                         winnow__nccl_offer *offer,
                                         const winnow_move *moves,
                                         unsigned number, cudaStream_t stream);

/* ---- exchange.c */

/* Exchanges columns. The offer has its pointers, their status, the capacity. */
winnow_status winnow__nccl_bring(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                 const winnow_move *moves, unsigned number,
                                 const winnow_launch *launch);

/* ---- balance.c */

/* The offsets of this rank's items in each share. `count`: NULL for 0. */
winnow_status winnow__nccl_cut_parts(winnow_nccl *nccl, const uint64_t *count,
                                     const uint64_t **offsets_p,
                                     cudaStream_t stream);

/* ---- place.c */

/* Gathers all ranks' counts in nccl->d_counts. d_count: NULL for 0. */
winnow_status winnow__nccl_gather_counts(winnow_nccl *nccl,
                                         const uint64_t *d_count,
                                         cudaStream_t stream);
