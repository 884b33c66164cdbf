/*
 * winnow_nccl_exchange: each part to its rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

static winnow_status check(const uint64_t *d_offsets,
                           const uint64_t *d_from_offsets,
                           const winnow_move *moves, unsigned number,
                           uint64_t capacity, const winnow_launch *launch,
                           cudaStream_t *stream_p, uint64_t *most_p) {
    const winnow_status status = winnow__nccl_check_launch(launch, stream_p);
    if (status != WINNOW_OK)
        return status;
    if (d_offsets == NULL || (uintptr_t)d_offsets % sizeof *d_offsets != 0)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "d_offsets is NULL, or not 8-byte aligned");
    if ((uintptr_t)d_from_offsets % sizeof *d_from_offsets != 0)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT,
                                 "d_from_offsets is not 8-byte aligned");
    return winnow__nccl_check_columns(moves, number, capacity, most_p);
}

winnow_status winnow_nccl_exchange(winnow_nccl *nccl, const uint64_t *d_offsets,
                                   const winnow_move *moves,
                                   unsigned move_count, uint64_t capacity,
                                   uint64_t *d_from_offsets,
                                   const winnow_launch *launch) {
    winnow__nccl_offer offer = {.offsets = d_offsets,
                                .capacity = capacity,
                                .from_offsets = d_from_offsets};
    cudaStream_t stream = NULL;
    int before;
    if (nccl == NULL)
        return winnow__nccl_fail(WINNOW_ERR_ARGUMENT, "nccl is NULL");
    offer.status = check(d_offsets, d_from_offsets, moves, move_count, capacity,
                         launch, &stream, &offer.most);
    if (offer.status == WINNOW_OK)
        offer.same = winnow__nccl_hash(nccl, moves, move_count);
    winnow_status status = winnow__nccl_enter(nccl, &before);
    if (status != WINNOW_OK)
        return status;
    if (nccl->way == WINNOW_NCCL_PEER)
        status =
            winnow__nccl_push_columns(nccl, &offer, moves, move_count, stream);
    else if ((status = winnow__nccl_agree(nccl, &offer, stream)) == WINNOW_OK)
        status = winnow__nccl_send(nccl, moves, move_count, stream);
    winnow__nccl_leave(before);
    return status;
}
