/*
 * winnow_nccl_balance: equal shares, in order. It is an exchange whose parts
 * follow from the counts of all ranks. Peers exchange counts in the exchange's
 * own round; otherwise NCCL gathers them first.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "ranks.h"

winnow_status winnow__nccl_cut_parts(winnow_nccl *nccl, const uint64_t *count,
                                     const uint64_t **offsets_p,
                                     cudaStream_t stream) {
    const winnow__nccl_parts_args args = {.counts = nccl->d_counts,
                                          .offsets = nccl->d_parts,
                                          .rank = (unsigned)nccl->rank,
                                          .ranks = (unsigned)nccl->ranks};
    *offsets_p = nccl->d_parts;
    WINNOW__TRY(winnow__nccl_gather_counts(nccl, count, stream));
    return winnow__nccl_launch(&winnow__nccl_parts, 1, &args, stream);
}

static winnow_status check(winnow__nccl_offer *offer) {
    if (offer->share == NULL || !winnow__nccl_is_aligned(offer->share)) {
        offer->share = NULL;
        return winnow__ranks_refuse("d_n is NULL, or not 8-byte aligned");
    }
    return offer->count != NULL && winnow__nccl_is_aligned(offer->count)
               ? WINNOW_OK
               : winnow__ranks_refuse("d_count is NULL, or not 8-byte aligned");
}

winnow_status winnow_nccl_balance(winnow_nccl *nccl, const uint64_t *d_count,
                                  const winnow_move *moves, unsigned move_count,
                                  uint64_t capacity, uint64_t *d_n,
                                  const winnow_launch *launch) {
    winnow__nccl_offer offer = {
        .is_even = true, .count = d_count, .capacity = capacity, .share = d_n};
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    offer.status = check(&offer);
    return winnow__nccl_bring(nccl, &offer, moves, move_count, launch);
}
