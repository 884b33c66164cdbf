/*
 * winnow_nccl_place: the place of a rank's items among all ranks' items.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "kernels.h"
#include "peers.h"

static winnow_status check(const winnow_nccl *nccl, const uint64_t *d_count,
                           const uint64_t *d_first, const uint64_t *d_total,
                           const winnow_launch *launch,
                           cudaStream_t *stream_p) {
    WINNOW__TRY(winnow__nccl_check_launch(launch, stream_p));
    WINNOW__TRY(winnow__ranks_need(d_count, "d_count"));
    if (((uintptr_t)d_count | (uintptr_t)d_first | (uintptr_t)d_total) %
            sizeof *d_count !=
        0)
        return winnow__ranks_refuse(
            "d_count, d_first or d_total is not 8-byte aligned");
    WINNOW__TRY(winnow__nccl_reaches(nccl, *stream_p, "d_count", d_count,
                                     sizeof *d_count));
    WINNOW__TRY(winnow__nccl_reaches(nccl, *stream_p, "d_first", d_first,
                                     sizeof *d_first));
    return winnow__nccl_reaches(nccl, *stream_p, "d_total", d_total,
                                sizeof *d_total);
}

winnow_status winnow__nccl_gather_counts(winnow_nccl *nccl,
                                         const uint64_t *d_count,
                                         cudaStream_t stream) {
    uint64_t *const own = &nccl->d_counts[nccl->rank];
    WINNOW__TRY(winnow__nccl_cuda(
        d_count != NULL ? cudaMemcpyAsync(own, d_count, sizeof *own,
                                          cudaMemcpyDeviceToDevice, stream)
                        : cudaMemsetAsync(own, 0, sizeof *own, stream),
        "copying a count"));
    return WINNOW__NCCL(
        nccl->comm,
        ncclAllGather(own, nccl->d_counts, 1, ncclUint64, nccl->comm, stream));
}

static winnow_status place_by_nccl(winnow_nccl *nccl, const uint64_t *d_count,
                                   uint64_t *d_first, uint64_t *d_total,
                                   cudaStream_t stream) {
    const winnow__nccl_place_args args = {.counts = nccl->d_counts,
                                          .first = d_first,
                                          .total = d_total,
                                          .rank = (unsigned)nccl->rank,
                                          .ranks = (unsigned)nccl->ranks};
    WINNOW__TRY(winnow__nccl_gather_counts(nccl, d_count, stream));
    return winnow__nccl_launch(&winnow__nccl_place, 1, &args, stream);
}

static winnow_status place_by_peers(const winnow_nccl *nccl,
                                    const uint64_t *d_count, uint64_t *d_first,
                                    uint64_t *d_total, cudaStream_t stream) {
    const winnow__nccl_peer_place_args args = {.round =
                                                   winnow__nccl_round_of(nccl),
                                               .count = d_count,
                                               .first = d_first,
                                               .total = d_total};
    return winnow__nccl_launch(&winnow__nccl_peer_place, 1, &args, stream);
}

winnow_status winnow_nccl_place(winnow_nccl *nccl, const uint64_t *d_count,
                                uint64_t *d_first, uint64_t *d_total,
                                const winnow_launch *launch) {
    cudaStream_t stream = NULL;
    int before;
    WINNOW__TRY(winnow__ranks_need(nccl, "nccl"));
    const winnow_status mine =
        check(nccl, d_count, d_first, d_total, launch, &stream);
    if (mine != WINNOW_OK) /* it takes part, with nothing */
        d_count = NULL, d_first = NULL, d_total = NULL;
    WINNOW__TRY(winnow__nccl_enter(nccl, &before));
    winnow_status status =
        nccl->way == WINNOW_NCCL_PEER
            ? place_by_peers(nccl, d_count, d_first, d_total, stream)
            : place_by_nccl(nccl, d_count, d_first, d_total, stream);
    winnow__nccl_leave(before);
    return status == WINNOW_OK ? mine : status;
}
