/*
 * winnow on NCCL: functions that place the survivors of many GPUs, distribute
 * them evenly, and send them to the ranks that they belong to.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A separate library, libwinnow-nccl, on top of libwinnow, CUDA and the NCCL
 * that it was built with. Begin with winnow_nccl(7).
 *
 * Conventions in addition to those of winnow.h
 *   - All functions except winnow_nccl_async_error() and winnow_nccl_destroy()
 *     are collective: all ranks of the communicator call the same functions in
 *     the same order, each from a thread or a process of its own.
 *   - Arrays, counts and offsets are in memory of the communicator's device.
 *     Pageable host memory and memory of another device are refused with
 *     WINNOW_ERR_ARGUMENT. Work is enqueued on launch->stream, a stream of that
 *     device. The work of calls on one winnow_nccl has to run one after the
 *     other: on one stream, or on streams that wait for each other.
 *   - Calls use only the stream of `launch`. They ignore d_workspace,
 *     workspace_bytes, order and selectivity, and return WINNOW_ERR_UNSUPPORTED
 *     if d_n, d_position, plan, strategy or d_strategy is set.
 *   - A rank whose arguments are wrong still takes part, with nothing to send,
 *     so that no other rank waits for it. A rank takes no part if `nccl` is
 *     NULL, if CUDA or NCCL fails, or if its stream is captured and the host
 *     has to wait for the call.
 */
#ifndef WINNOW_NCCL_H
#define WINNOW_NCCL_H

#include <nccl.h>
#include <winnow.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of a communicator, and memory for calls. Only one call at a time
 * may use it. */
typedef struct winnow_nccl winnow_nccl;

/* How elements are sent to other ranks. */
typedef enum winnow_nccl_way {
    /* NCCL sends them, between any GPUs. The host waits once, for the
     * counts. */
    WINNOW_NCCL_EXACT = 0,
    /* Kernels store to the memory of the other GPUs: at most 32 GPUs of one
     * host that can access each other's memory. The host does not wait, and a
     * graph can capture a call. Outputs are in memory of
     * winnow_nccl_alloc(). */
    WINNOW_NCCL_PEER = 1
} winnow_nccl_way;

typedef struct winnow_nccl_options {
    size_t size;         /* sizeof(winnow_nccl_options) */
    winnow_nccl_way way; /* the same on all ranks */
    /* The largest number of bytes of a column that NCCL sends to a rank at
     * once, 1 to 2^29; 0: 2^29. More bytes are sent in pieces. The same on all
     * ranks. */
    uint64_t piece_bytes;
    uint64_t reserved[4];
} winnow_nccl_options;

/*
 * Make a winnow_nccl for the ranks of a communicator, which must not be
 * destroyed before it. The call waits until all ranks have made it.
 *
 *   options  NULL for the defaults.
 *
 * Returns WINNOW_OK; WINNOW_ERR_ARGUMENT: nccl_p or comm is NULL, or options
 * are wrong or differ; WINNOW_ERR_UNSUPPORTED: with WINNOW_NCCL_PEER, there are
 * more than 32 ranks, or GPUs cannot access each other's memory;
 * WINNOW_ERR_MEMORY; WINNOW_ERR_CUDA; WINNOW_ERR_COMMUNICATION.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_create(
    winnow_nccl **nccl_p, ncclComm_t comm, const winnow_nccl_options *options);
/* Free a winnow_nccl and the memory of winnow_nccl_alloc(), when the work of
 * its calls is done, and before ncclCommDestroy(). If ranks are processes that
 * store to each other's memory, the call is collective and waits; if NCCL has
 * failed, memory that other ranks may still store to is not freed. NULL is
 * allowed. */
WINNOW_API void winnow_nccl_destroy(winnow_nccl *nccl);

/*
 * Allocate memory of this rank's device that other ranks may store to, for the
 * outputs of WINNOW_NCCL_PEER. The call waits until all ranks have allocated
 * theirs. winnow_nccl_destroy() frees the memory. A winnow_nccl can have at
 * most 63 of these allocations.
 *
 *   bytes       the number of bytes of this rank; 0 counts as 1.
 *   d_memory_p  where the call writes the address, aligned to 256 bytes.
 *
 * All ranks return the same status. WINNOW_ERR_UNSUPPORTED: nccl is of
 * WINNOW_NCCL_EXACT, which does not need such memory.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_alloc(winnow_nccl *nccl,
                                                   size_t bytes,
                                                   void **d_memory_p);

/*
 * Return an error that the device found in calls that did not wait: the status
 * of the last call that failed on any rank, with its detail, or WINNOW_OK. Each
 * error is returned once. Call the function when the stream has done the work
 * of the calls.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_async_error(winnow_nccl *nccl);

/*
 * Compute the offset of the items of this rank among the items of all ranks,
 * which are in the order of the ranks. The host does not wait.
 *
 *   d_count  the number of items of this rank, aligned to 8 bytes.
 *   d_first  NULL, or where the call writes the number of items of lower ranks.
 *   d_total  NULL, or where the call writes the number of items of all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_place(winnow_nccl *nccl,
                                                   const uint64_t *d_count,
                                                   uint64_t *d_first,
                                                   uint64_t *d_total,
                                                   const winnow_launch *launch);

/*
 * Send each part to its rank: elements d_offsets[r] to d_offsets[r + 1] - 1 of
 * d_in go to rank r. winnow_partition_by_key() makes such parts. The elements
 * that a rank receives are in the order of the ranks that sent them, and the
 * elements of one rank keep their order.
 *
 * With WINNOW_NCCL_EXACT the host waits once, for the counts, and then enqueues
 * the work that moves the elements. All ranks return the same status. If a rank
 * would receive more elements than its capacity, all ranks return
 * WINNOW_ERR_ARGUMENT, nothing is sent, and d_from_offsets is still written.
 *
 * With WINNOW_NCCL_PEER the host does not wait. Elements beyond a capacity are
 * not stored, but d_from_offsets has the true offsets. A rank returns only its
 * own error. After an error, or if arguments differ, nothing is stored at any
 * rank, all of d_from_offsets is UINT64_MAX, and winnow_nccl_async_error()
 * returns the error.
 *
 *   d_offsets       P + 1 numbers, in ascending order, aligned to 8 bytes.
 *   moves           1 to 64 columns of elements of 1 to 4096 bytes, with any
 *                   alignment. Their number and sizes are the same on all
 *                   ranks. d_in has d_offsets[P] elements, and d_out has room
 *                   for `capacity` elements. The arrays may not overlap. The
 *                   list of columns is in host memory, and is read only during
 *                   the call.
 *   capacity        the number of elements that the outputs of this rank have
 *                   room for.
 *   d_from_offsets  NULL, or where the call writes P + 1 numbers, aligned to 8
 *                   bytes: the elements from rank r are d_from_offsets[r] to
 *                   d_from_offsets[r + 1] - 1. It may be d_offsets.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_exchange(
    winnow_nccl *nccl, const uint64_t *d_offsets, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_from_offsets,
    const winnow_launch *launch);

/*
 * Distribute items evenly, in order. If P ranks have `total` items, rank r gets
 * total / P items, and one more if r is less than total % P. A rank sends only
 * to the ranks whose shares contain its items, a contiguous piece to each.
 *
 *   d_count   the number of items of this rank, aligned to 8 bytes.
 *   moves     as for winnow_nccl_exchange(); d_in has *d_count elements.
 *   capacity  the number of elements that the outputs of this rank have room
 *             for.
 *   d_n       where the call writes the size of this rank's share, aligned to 8
 *             bytes. It may be d_count.
 *
 * If the share of a rank is larger than its capacity, nothing is sent, and *d_n
 * is still written.
 *
 * With WINNOW_NCCL_EXACT the host waits once, as in winnow_nccl_exchange(). All
 * ranks return the same status, which is WINNOW_ERR_ARGUMENT if a capacity is
 * too small.
 *
 * With WINNOW_NCCL_PEER the host does not wait, and a graph can capture the
 * call. A rank returns only its own error. After an error, or if arguments
 * differ, nothing is stored at any rank, and *d_n is UINT64_MAX.
 * winnow_nccl_async_error() returns the error on all ranks. It also returns an
 * error if a capacity is too small.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_balance(
    winnow_nccl *nccl, const uint64_t *d_count, const winnow_move *moves,
    unsigned move_count, uint64_t capacity, uint64_t *d_n,
    const winnow_launch *launch);

/*
 * Merge the results of all ranks in the order of the ranks, as
 * winnow_reduction_merge() does. The result has the same bits on all ranks and
 * in every run. The host does not wait, even with WINNOW_NCCL_EXACT.
 *
 *   type       the type of the elements. type and wanted are the same on all
 *              ranks. wanted does not have WINNOW_REDUCE_PARTIAL.
 *   d_partial  the result of this rank, aligned to 8 bytes, from a call with
 *              WINNOW_REDUCE_PARTIAL.
 *   d_first    NULL for 0, or the number that is added to the indices of
 *              d_partial, such as the number that winnow_nccl_place() writes.
 *              It is aligned to 8 bytes.
 *   d_result   where the call writes the result, aligned to 8 bytes. It may be
 *              d_partial.
 *
 * A rank returns only its own error. After an error, or if arguments differ,
 * all bits of the results on the other ranks are ones, and
 * winnow_nccl_async_error() returns the error on all ranks.
 */
WINNOW_API_CHECKED winnow_status winnow_nccl_reduce(
    winnow_nccl *nccl, winnow_type type, const winnow_reduction *d_partial,
    const uint64_t *d_first, unsigned wanted, winnow_reduction *d_result,
    const winnow_launch *launch);

#ifdef __cplusplus
}
#endif

#endif
