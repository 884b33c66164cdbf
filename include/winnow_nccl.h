/*
 * winnow on NCCL: what was filtered on many GPUs is placed, and brought to the
 * ranks that it belongs to.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library of its own, libwinnow-nccl, over libwinnow, CUDA and the NCCL that
 * it was built with. winnow_nccl(7) is where to begin.
 *
 * Conventions, beside those of winnow.h
 *   - All functions but winnow_nccl_async_error() and winnow_nccl_destroy() are
 *     collective: all ranks of the communicator call the same one, in the same
 *     order, each from a thread or a process of its own.
 *   - Arrays, counts and offsets are in memory of the communicator's device:
 *     plain memory of the host, and memory of another device, are
 *     WINNOW_ERR_ARGUMENT. Work is enqueued on launch->stream, a stream of that
 *     device. The work of the calls on one winnow_nccl has to come one after the
 *     other: on one stream, or on streams that wait for each other.
 *   - Of `launch`, the stream alone is used. d_workspace, workspace_bytes,
 *     order and selectivity are ignored; WINNOW_ERR_UNSUPPORTED: d_n,
 *     d_position, plan, strategy or d_strategy is set.
 *   - A rank whose arguments are wrong takes part all the same, with nothing to
 *     send, so that no other waits for it; a rank takes no part where `nccl` is
 *     NULL, where CUDA or NCCL fail, and where a call that has to wait for the
 *     host finds its stream capturing.
 */
#ifndef WINNOW_NCCL_H
#define WINNOW_NCCL_H

#include <nccl.h>
#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of a communicator, and memory of its own. One call at a time. */
typedef struct winnow_nccl winnow_nccl;

/* How elements get to other ranks. */
typedef enum winnow_nccl_way {
    /* By NCCL, between any GPUs. The host waits once, for the counts. */
    WINNOW_NCCL_EXACT = 0,
    /* By kernels, which store to the memory of the other GPUs: those of one
     * host that reach each other, at most 32. The host waits for nothing, and a
     * graph can capture it. Outputs are in memory of winnow_nccl_alloc(). */
    WINNOW_NCCL_PEER = 1
} winnow_nccl_way;

typedef struct winnow_nccl_options {
    size_t size;         /* sizeof(winnow_nccl_options) */
    winnow_nccl_way way; /* the same on all ranks */
    /* The most bytes that NCCL is handed at once of a column for a rank: what
     * is more goes in pieces. 1 to 2^29; 0: 2^29. The same on all ranks. */
    uint64_t piece_bytes;
    uint64_t reserved[4];
} winnow_nccl_options;

/*
 * Make one for the ranks of a communicator, which has to last as long. Waits
 * until all have done so.
 *
 *   options  NULL for the defaults.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: nccl_p or comm is NULL, or options
 * make no sense or differ; WINNOW_ERR_UNSUPPORTED: WINNOW_NCCL_PEER, and the
 * GPUs do not reach each other's memory; WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA;
 * WINNOW_ERR_COMMUNICATION.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_create(
    winnow_nccl **nccl_p, ncclComm_t comm, const winnow_nccl_options *options);
/* Free it, and what it has allocated, when the work of its calls is done,
 * before ncclCommDestroy(). Collective, and waits, where ranks are processes
 * that store to each other's memory: where NCCL has failed, what others may
 * still store to is not freed. NULL is allowed. */
WINNOW_API void winnow_nccl_destroy(winnow_nccl *nccl);

/*
 * Memory of this rank's device that other ranks may store to: for the outputs
 * of WINNOW_NCCL_PEER. Waits until all ranks have theirs. It lasts as long as
 * nccl, which has at most 63 of them.
 *
 *   bytes       of this rank; 0: as 1.
 *   d_memory_p  written on success; aligned to 256 bytes.
 *
 * All ranks return the same status. WINNOW_ERR_UNSUPPORTED: of
 * WINNOW_NCCL_EXACT, which has no use for it.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_alloc(winnow_nccl *nccl,
                                                   size_t bytes,
                                                   void **d_memory_p);

/*
 * What calls have met that did not wait: WINNOW_OK, or the status and the
 * detail of the last that failed on any rank, once. For when the stream has
 * done their work.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_async_error(winnow_nccl *nccl);

/*
 * Where the items of this rank stand among those of all: behind those of lower
 * ranks. Does not wait for the device.
 *
 *   d_count  the number of items of this rank, 8-byte aligned.
 *   d_first  NULL, or where the number of items of lower ranks goes.
 *   d_total  NULL, or where the number of items of all ranks goes.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_place(winnow_nccl *nccl,
                                                   const uint64_t *d_count,
                                                   uint64_t *d_first,
                                                   uint64_t *d_total,
                                                   const winnow_launch *launch);

/*
 * Bring each part to its rank: elements d_offsets[r] to d_offsets[r + 1] - 1 of
 * d_in, as winnow_partition_by_key() writes them, go to rank r. What arrives
 * lies in d_out by the ranks that it came from, in ascending order, and of each
 * in the sender's order.
 *
 * WINNOW_NCCL_EXACT: the host waits once, for the counts; what moves the
 * elements is enqueued then. All ranks return the same status. Where what comes
 * to a rank is more than its capacity they return WINNOW_ERR_ARGUMENT, nothing
 * is sent, and d_from_offsets is written all the same.
 *
 * WINNOW_NCCL_PEER: the host does not wait. What comes to a rank beyond its
 * capacity is not stored, and d_from_offsets is true all the same. A rank
 * returns its own error alone; then, and where arguments differ, nothing is
 * stored at any rank, d_from_offsets is UINT64_MAX throughout, and
 * winnow_nccl_async_error() says so.
 *
 *   d_offsets       P + 1 numbers, in ascending order, 8-byte aligned.
 *   moves           1 to 64 columns of elements of 1 to 4096 bytes, of any
 *                   alignment: the same number and the same sizes on all ranks.
 *                   d_in has d_offsets[P] elements, and d_out room for
 *                   `capacity`; all of them apart. The array of them may be
 *                   gone when the call returns.
 *   capacity        of this rank.
 *   d_from_offsets  NULL, or P + 1 numbers, 8-byte aligned: what came from rank
 *                   r lies at d_from_offsets[r] to d_from_offsets[r + 1] - 1.
 *                   May be d_offsets.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_exchange(
    winnow_nccl *nccl, const uint64_t *d_offsets, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_from_offsets,
    const winnow_launch *launch);

/*
 * Share items out evenly, in their order: of `total` items rank r of P gets
 * total / P, and one more if r is less than total % P. A rank sends contiguous
 * pieces to those ranks alone whose shares its items are in.
 *
 *   d_count   the number of items of this rank, 8-byte aligned.
 *   moves     as for winnow_nccl_exchange(); d_in has *d_count elements.
 *   capacity  of this rank.
 *   d_n       where its share goes, 8-byte aligned. May be d_count.
 *
 * Where a rank's share is above its capacity nothing is sent, and *d_n is
 * written all the same.
 *
 * WINNOW_NCCL_EXACT: the host waits once, as in winnow_nccl_exchange(). All
 * ranks return the same status, WINNOW_ERR_ARGUMENT where a capacity is too
 * small.
 *
 * WINNOW_NCCL_PEER: the host does not wait, and a graph can capture the call. A
 * rank returns its own error alone; then, and where arguments differ, nothing
 * is stored at any rank, and *d_n is UINT64_MAX. winnow_nccl_async_error() says
 * so on all ranks, and also where a capacity is too small.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_balance(
    winnow_nccl *nccl, const uint64_t *d_count, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_n,
    const winnow_launch *launch);

/*
 * Put the results of all ranks together, as winnow_reduction_merge() does, in
 * the order of the ranks: the same bits on all of them, and at every run. Does
 * not wait for the device, by either way.
 *
 *   type       of the elements, and `wanted`, without WINNOW_REDUCE_PARTIAL:
 *              the same on all ranks.
 *   d_partial  of this rank, 8-byte aligned, of a call with
 *              WINNOW_REDUCE_PARTIAL.
 *   d_first    NULL for 0, or what is added to its indices, 8-byte aligned:
 *              what winnow_nccl_place() writes, for example.
 *   d_result   of all, 8-byte aligned. May be d_partial.
 *
 * A rank returns its own error alone. Then, and where arguments differ, all
 * bits of the results of the others are ones, and winnow_nccl_async_error()
 * says so on all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_reduce(
    winnow_nccl *nccl, winnow_type type, const winnow_reduction *d_partial,
    const uint64_t *d_first, unsigned wanted, winnow_reduction *d_result,
    const winnow_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
