/*
 * winnow_nccl_exchange: each part to its rank.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "peers.h"

/* There the host could wait for ever. */
static winnow_status check_capture(cudaStream_t stream) {
    enum cudaStreamCaptureStatus capture;
    const winnow_status status =
        WINNOW__NCCL_CUDA(cudaStreamIsCapturing(stream, &capture));
    return status != WINNOW_OK || capture == cudaStreamCaptureStatusNone
               ? status
               : winnow__ranks_fail(WINNOW_ERR_UNSUPPORTED,
                                    "the stream is capturing: this call waits "
                                    "for the counts");
}

static winnow_status bring_exactly(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                   const winnow_move *moves, unsigned number,
                                   cudaStream_t stream) {
    WINNOW__TRY(check_capture(stream));
    if (offer->is_even)
        WINNOW__TRY(winnow__nccl_cut_parts(nccl, offer->count, &offer->offsets,
                                           stream));
    WINNOW__TRY(winnow__nccl_agree(nccl, offer, stream));
    return winnow__nccl_send(nccl, moves, number, stream);
}

winnow_status winnow__nccl_bring(winnow_nccl *nccl, winnow__nccl_offer *offer,
                                 const winnow_move *moves, unsigned number,
                                 const winnow_launch *launch) {
    cudaStream_t stream = NULL;
    int before;
    winnow_status status = winnow__nccl_check_launch(launch, &stream);
    if (status == WINNOW_OK && offer->status == WINNOW_OK)
        status = winnow__nccl_check_columns(moves, number, offer->capacity,
                                            &offer->most);
    if (status == WINNOW_OK && offer->status == WINNOW_OK)
        status = winnow__nccl_reaches_offer(nccl, offer, moves, number, stream);
    if (status != WINNOW_OK)
        offer->status = status;
    if (offer->status == WINNOW_OK)
        offer->same = winnow__nccl_same_columns(moves, number);
    else
        offer->count = NULL;
    WINNOW__TRY(winnow__nccl_enter(nccl, &before));
    status = nccl->way == WINNOW_NCCL_PEER
                 ? winnow__nccl_push_columns(nccl, offer, moves, number, stream)
                 : bring_exactly(nccl, offer, moves, number, stream);
    winnow__nccl_leave(before);
    return status;
}

/* No rank stores to what is not aligned, not even that there is an error. */
static winnow_status check(winnow__nccl_offer *offer) {
    if (!winnow__nccl_is_aligned(offer->from_offsets)) {
        offer->from_offsets = NULL;
        return winnow__ranks_refuse("d_from_offsets is not 8-byte aligned");
    }
    return offer->offsets != NULL && winnow__nccl_is_aligned(offer->offsets)
               ? WINNOW_OK
               : winnow__ranks_refuse(
                     "d_offsets is NULL, or not 8-byte aligned");
}

winnow_status winnow_nccl_exchange(winnow_nccl *nccl, const uint64_t *d_offsets,
                                   const winnow_move *moves,
                                   unsigned move_count, uint64_t capacity,
                                   uint64_t *d_from_offsets,
                                   const winnow_launch *launch) {
    winnow__nccl_offer offer = {.offsets = d_offsets,
                                .capacity = capacity,
                                .from_offsets = d_from_offsets};
    if (nccl == NULL)
        return winnow__ranks_refuse("nccl is NULL");
    offer.status = check(&offer);
    return winnow__nccl_bring(nccl, &offer, moves, move_count, launch);
}
