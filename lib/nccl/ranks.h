/*
 * What the calls on NCCL share.
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
    bool pageable; /* the device reaches the host's plain memory */
    uint64_t piece_bytes;
    winnow_nccl_way way;
    cudaStream_t stream;       /* of calls that wait */
    winnow__nccl_peers *peers; /* of WINNOW_NCCL_PEER, or NULL */
    /* On the device; for each rank, or ranks + 1 offsets. */
    void *d_memory; /* that has all of these */
    winnow__nccl_word *d_words, *d_heard;
    uint64_t *d_counts, *d_send, *d_receive, *d_parts;
    uint64_t *d_results; /* WINNOW__NCCL_REDUCE_WORDS for each rank */
    winnow__nccl_verdict *d_verdict;
    /* In pinned memory, which kernels write: what was heard last. */
    void *memory;
    uint64_t *send, *receive;
    winnow__nccl_verdict *verdict;
    winnow__nccl_late *late; /* of calls that did not wait */
    uint64_t most;           /* of the last offer */
};

/* ---- errors.c */

/* Of a return value of CUDA's, or of NCCL's; `call` is what it came from, a text
 * that begins with the function's name. A communicator that does not block is
 * waited for. */
winnow_status winnow__nccl_cuda(cudaError_t error, const char *call);
winnow_status winnow__nccl_status(ncclComm_t comm, ncclResult_t result,
                                  const char *call);
#define WINNOW__NCCL_CUDA(CALL) winnow__nccl_cuda(CALL, #CALL)
#define WINNOW__NCCL(COMM, CALL) winnow__nccl_status(COMM, CALL, #CALL)

/* Of a fault on a rank: that rank's detail, which is there already, or one that
 * names it. `most`: of the own offer. */
winnow_status winnow__nccl_fault_status(const winnow_nccl *nccl, uint64_t fault,
                                        uint64_t rank, uint64_t most);
/* Of what the host found: a winnow__nccl_fault. */
uint64_t winnow__nccl_host_fault(winnow_status status);

/* ---- device.c */

/* The communicator's device is the thread's, until it leaves. */
winnow_status winnow__nccl_enter(const winnow_nccl *nccl, int *before_p);
void winnow__nccl_leave(int before);
winnow_status winnow__nccl_launch(const winnow__kernel *kernel, unsigned blocks,
                                  const void *args, cudaStream_t stream);
/* All kernels are on the device: none is loaded where others wait. */
winnow_status winnow__nccl_load(void);
/* Until the stream has done its work, or NCCL has failed. */
winnow_status winnow__nccl_wait(const winnow_nccl *nccl, cudaStream_t stream);
/* The stream is written where the launch has one. */
winnow_status winnow__nccl_check_launch(const winnow_launch *launch,
                                        cudaStream_t *stream_p);
static inline bool winnow__nccl_is_aligned(const void *words) {
    return (uintptr_t)words % sizeof(uint64_t) == 0;
}

/* ---- same.c */

/* What has to agree, in a word: of winnow_nccl_create(), of columns, of
 * winnow_nccl_reduce(). */
uint64_t winnow__nccl_same_options(const winnow_nccl *nccl);
uint64_t winnow__nccl_same_columns(const winnow_move *moves, unsigned number);
uint64_t winnow__nccl_same_result(winnow_type type, unsigned wanted);
/* Where it differs: an error that says what. same: the words of rank 0, and of
 * `rank`. */
winnow_status winnow__nccl_differ(uint64_t rank, const uint64_t same[2]);

/* ---- agree.c */

/* What a rank tells the others before anything is sent. */
typedef struct winnow__nccl_offer {
    winnow_status status;    /* of its arguments */
    bool is_even;            /* its items are shared out */
    const uint64_t *count;   /* then, of them; on the device */
    const uint64_t *offsets; /* else, ranks + 1; likewise */
    uint64_t most;           /* elements that they may count */
    uint64_t same;           /* the arguments that have to agree: same.c */
    uint64_t capacity;
    uint64_t *from_offsets; /* NULL, or the caller's */
    uint64_t *share;        /* likewise, where it is even */
} winnow__nccl_offer;
/* Waits for the stream. The same status on all ranks; on success nccl->send and
 * nccl->receive have their offsets. */
winnow_status winnow__nccl_agree(winnow_nccl *nccl,
                                 const winnow__nccl_offer *offer,
                                 cudaStream_t stream);

/* ---- reach.c */

/* Is it memory of the device, or that the device reaches? NULL is. The detail has
 * the name. */
winnow_status winnow__nccl_reaches(const winnow_nccl *nccl, cudaStream_t stream,
                                   const char *name, const void *start,
                                   uint64_t bytes);
/* All that an offer and its columns name. What cannot be stored to is NULL then. */
winnow_status winnow__nccl_reaches_offer(const winnow_nccl *nccl,
                                         winnow__nccl_offer *offer,
                                         const winnow_move *moves,
                                         unsigned number, cudaStream_t stream);

/* ---- exchange.c */

/* The call. Of the offer there are: the status of its pointers, these, and the
 * capacity. */
winnow_status winnow__nccl_bring(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                 const winnow_move *moves, unsigned number,
                                 const winnow_launch *launch);

/* ---- balance.c */

/* Offsets of what this rank has of each share. `count`: NULL for 0. */
winnow_status winnow__nccl_cut_parts(winnow_nccl *nccl, const uint64_t *count,
                                     const uint64_t **offsets_p,
                                     cudaStream_t stream);

/* ---- place.c */

/* nccl->d_counts: of all ranks. NULL: a count of 0. */
winnow_status winnow__nccl_gather_counts(winnow_nccl *nccl,
                                         const uint64_t *d_count,
                                         cudaStream_t stream);
